/** The turn clock, counted by the server. */

import type { Clock } from "./protocol";

/** Seconds left at `now`, for a clock received at `receivedAt` (both in this device's milliseconds). */
export const secondsLeft = (clock: Clock, receivedAt: number, now: number): number => Math.max(0, clock.left - (now - receivedAt) / 1000);

/** The last seconds of a turn, in which the clock warns. */
export const WARNING = 10;
export const isShort = (seconds: number): boolean => seconds <= WARNING;

/** "1:05", "12 s", "2 h", "3 d" */
export function formatTime(seconds: number): string {
    const whole = Math.ceil(seconds);
    if (whole < 60) return `${whole} s`;
    if (whole < 3600) return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    if (whole < 2 * 86_400) return `${Math.floor(whole / 3600)} h`;
    return `${Math.floor(whole / 86_400)} d`;
}
