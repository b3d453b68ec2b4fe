/** Short sounds, synthesised so that there is nothing to download. They are soft and dry, to be heard a hundred times a game. */

import type { Event } from "./sentences.ts";
import { settings } from "./settings.svelte.ts";

export type Sound = "card" | "train" | "ticket" | "tunnel" | "turn" | "end";

interface Tone {
    /** Seconds after the sound begins. */
    at: number;
    /** In hertz: the pitch of a tone, or the middle of the noise. */
    pitch: number;
    /** Seconds until it has died away. */
    length: number;
    volume: number;
    wave: "sine" | "triangle" | "noise";
    /** Seconds until it is loudest. */
    rise?: number;
}

const sine = (at: number, pitch: number, length: number, volume: number, rise?: number): Tone => ({
    at,
    pitch,
    length,
    volume,
    wave: "sine",
    rise,
});

const SOUNDS: Record<Sound, Tone[]> = {
    // A card slides over the table: a breath of noise without a pitch, because it is the most frequent sound.
    card: [{ at: 0, pitch: 2600, length: 0.11, volume: 0.16, wave: "noise", rise: 0.02 }],
    // Wheels over a rail joint, clack-clack: two low wooden knocks, each with a little air.
    train: [0, 0.13].flatMap((at): Tone[] => [
        { at, pitch: at ? 147 : 175, length: 0.14, volume: 0.2, wave: "triangle" },
        { at, pitch: 900, length: 0.05, volume: 0.1, wave: "noise" },
    ]),
    // Joy: a major chord that rises quickly, with a quiet octave on top like a small bell.
    ticket: [sine(0, 523.3, 0.4, 0.1), sine(0.09, 659.3, 0.4, 0.1), sine(0.18, 784, 0.7, 0.1), sine(0.18, 1568, 0.5, 0.025)],
    // Suspense: an open fifth, low and slow to rise, like wind at the mouth of a tunnel.
    tunnel: [
        sine(0, 110, 0.9, 0.16, 0.25),
        sine(0, 165, 0.9, 0.1, 0.25),
        { at: 0, pitch: 350, length: 0.8, volume: 0.05, wave: "noise", rise: 0.3 },
    ],
    // A question, to be heard from another room: two notes that rise by a fifth.
    turn: [sine(0, 659.3, 0.6, 0.12), sine(0.16, 987.8, 0.6, 0.12)],
    // Arrival: a wide chord, rolled slowly upwards, that has time to die away.
    end: [261.6, 392, 523.3, 659.3, 784].map((pitch, nth) => sine(nth * 0.14, pitch, 1.6, 0.08)),
};

const ATTACK = 0.012; // seconds; a tone that starts at full volume clicks
const APART = 0.16; // seconds between the sounds of events that arrive together
const SILENT = 0.0001; // an exponential ramp cannot end at zero

/**
 * The sounds of events that arrived together: each at most once, in the order of the events.
 *
 * The server tells only you which tickets you completed. On a shared device the others at the table listen too, so
 * there completed tickets make no sound.
 */
export function soundsOf(events: readonly Event[], isShared: boolean): Sound[] {
    const sounds = events.map(({ code }): Sound | null => {
        if (code === "took" || code === "drew" || code === "drew_tickets") return "card";
        if (code === "claimed") return "train";
        if (code === "tunnel_tried") return "tunnel";
        if (code === "completed_tickets") return isShared ? null : "ticket";
        return code === "game_over" ? "end" : null;
    });
    return [...new Set(sounds.filter((sound) => sound !== null))];
}

/** Play sounds one after the other, if they are switched on. A page in the background only calls you to your turn. */
export function playSounds(sounds: readonly Sound[]): void {
    if (!settings.sound) return;
    const heard = document.visibilityState === "visible" ? sounds : sounds.filter((sound) => sound === "turn");
    try {
        heard.forEach((sound, nth) => SOUNDS[sound].forEach((tone) => play(tone, nth * APART)));
    } catch {
        // Without sound, the page still shows everything.
    }
}

let context: AudioContext | undefined;
let noise: AudioBuffer | undefined;

function play(tone: Tone, delay: number): void {
    context ??= new AudioContext();
    void context.resume(); // browsers suspend it until the first tap
    const start = context.currentTime + delay + tone.at;
    const volume = context.createGain();
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(tone.volume, start + (tone.rise ?? ATTACK));
    volume.gain.exponentialRampToValueAtTime(SILENT, start + tone.length);
    const source = tone.wave === "noise" ? noiseAround(context, tone.pitch, volume) : toneAt(context, tone.pitch, tone.wave, volume);
    volume.connect(context.destination);
    source.start(start);
    source.stop(start + tone.length + 0.05);
}

function toneAt(context: AudioContext, pitch: number, wave: OscillatorType, into: AudioNode): AudioScheduledSourceNode {
    const tone = context.createOscillator();
    tone.type = wave;
    tone.frequency.value = pitch;
    tone.connect(into);
    return tone;
}

function noiseAround(context: AudioContext, pitch: number, into: AudioNode): AudioScheduledSourceNode {
    if (!noise) {
        noise = context.createBuffer(1, context.sampleRate, context.sampleRate);
        const samples = noise.getChannelData(0);
        for (let at = 0; at < samples.length; at++) samples[at] = Math.random() * 2 - 1;
    }
    const source = context.createBufferSource();
    source.buffer = noise;
    const band = context.createBiquadFilter();
    band.type = "bandpass";
    band.frequency.value = pitch;
    band.Q.value = 0.9;
    source.connect(band).connect(into);
    return source;
}
