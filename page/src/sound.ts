/** Two soft notes: it is your turn. Made on the spot, so that there is nothing to download. */

let context: AudioContext | undefined;

export function chime(): void {
    try {
        context ??= new AudioContext();
        const start = context.currentTime;
        for (const [at, pitch] of [
            [0, 659.3],
            [0.16, 987.8],
        ] as const) {
            const tone = context.createOscillator();
            const loud = context.createGain();
            tone.type = "sine";
            tone.frequency.value = pitch;
            loud.gain.setValueAtTime(0, start + at);
            loud.gain.linearRampToValueAtTime(0.12, start + at + 0.02);
            loud.gain.exponentialRampToValueAtTime(0.001, start + at + 0.6);
            tone.connect(loud).connect(context.destination);
            tone.start(start + at);
            tone.stop(start + at + 0.65);
        }
    } catch {
        // A device without sound shows the turn in the title all the same.
    }
}
