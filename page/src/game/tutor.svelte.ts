/** The tutor: before a choice that costs much, it asks whether you want to look again. It is off until you switch it on. */

import type { Command } from "../protocol";
import * as server from "../server.ts";
import { settings } from "../settings.svelte.ts";
import type { Table } from "../table.svelte.ts";

export class TutorState {
    /** Points that the choice would lose, while the tutor waits for an answer. */
    loss = $state<number | null>(null);
    private reply: ((may: boolean) => void) | null = null;

    constructor(private readonly table: Table) {
        $effect(() => {
            const { news } = table;
            const isOn = settings.tutor && news !== null && news.table.hints && news.table.lesson === null;
            table.mayPlay = isOn ? (command) => this.ask(command) : null;
            return () => (table.mayPlay = null);
        });
        // The question is about one decision: it ends when the game moves on.
        const decision = $derived(`${table.news?.version} ${table.me}`);
        $effect(() => {
            void decision;
            return () => this.answer(false);
        });
    }

    /** Return whether a choice may be played. Without advice from the server, it may. */
    private async ask(command: Command): Promise<boolean> {
        const cost = await server.cost(this.table.id, command).catch(() => null);
        if (!cost?.costly || this.table.news?.version !== command.version) return true;
        this.loss = cost.loss;
        return new Promise((reply) => (this.reply = reply));
    }

    /** Play the choice, or look again. */
    answer(may: boolean): void {
        this.loss = null;
        this.reply?.(may);
        this.reply = null;
    }
}
