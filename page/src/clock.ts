/** The turn's clock, by the server's time. */

import type { Clock } from "./protocol";

/** Seconds left now, if the news that brought the clock came at `heard` (this device's milliseconds). */
export const secondsLeft = (clock: Clock, heard: number, now: number): number => Math.max(0, clock.left - (now - heard) / 1000);

/** "1:05", "12 s", "2 h", "3 d" */
export function timeWords(seconds: number): string {
    const whole = Math.ceil(seconds);
    if (whole < 60) return `${whole} s`;
    if (whole < 3600) return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    if (whole < 2 * 86_400) return `${Math.floor(whole / 3600)} h`;
    return `${Math.floor(whole / 86_400)} d`;
}
