/** Something that was tapped, and why it can't be done now. The server knows the reason; the page asks for it. */

import type { Colour } from "../cards.ts";
import type { Refusal } from "../protocol";
import * as server from "../server.ts";
import type { Table } from "../table.svelte.ts";

/** A route, a card in the row, the deck or the ticket deck. */
export type Asked = { kind: "claim"; route: number } | { kind: "take"; colour: Colour; place: number } | { kind: "blind" | "draw_tickets" };

export class WhyNot {
    asked = $state.raw<Asked | null>(null);
    /** Null until the server has answered, and for spectators. */
    refusal = $state.raw<Refusal | null>(null);

    constructor(table: Table) {
        const version = $derived(table.news?.table.status === "running" ? table.news.version : null);
        $effect(() => {
            const { asked } = this;
            const { me } = table;
            if (asked === null || me === null || version === null) return; // asked again after every move
            let isOutdated = false;
            void server.why(table.id, me, asked).then(
                ({ why }) => {
                    if (isOutdated) return;
                    if (why === null && asked.kind !== "claim") this.asked = null;
                    this.refusal = why;
                },
                () => undefined, // without a reason, a route's facts are still there
            );
            return () => {
                isOutdated = true;
            };
        });
    }

    ask(asked: Asked | null): void {
        this.refusal = null;
        this.asked = asked;
    }
}
