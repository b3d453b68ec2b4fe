/** A chime for "your turn", synthesised so that there is nothing to download. */

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
            const volume = context.createGain();
            tone.type = "sine";
            tone.frequency.value = pitch;
            volume.gain.setValueAtTime(0, start + at);
            volume.gain.linearRampToValueAtTime(0.12, start + at + 0.02);
            volume.gain.exponentialRampToValueAtTime(0.001, start + at + 0.6);
            tone.connect(volume).connect(context.destination);
            tone.start(start + at);
            tone.stop(start + at + 0.65);
        }
    } catch {
        // Without sound, the tab's title still shows whose turn it is.
    }
}
