/** Asks the server whether the cards of a custom payment pay for the selected route. */

import { countOf } from "../cards.ts";
import type { Payment } from "../protocol";
import * as server from "../server.ts";
import { messageOf, type Table } from "../table.svelte.ts";

const DELAY = 120; // milliseconds; several cards tapped quickly need one request

export class PaymentCheck {
    result = $state.raw<Payment | null>(null);

    constructor(table: Table) {
        $effect(() => {
            this.result = null;
            const { selection, me } = table;
            if (selection.kind !== "route" || !selection.custom || countOf(selection.custom) === 0 || me === null) return;
            const { route, custom } = selection;
            let isOutdated = false;
            const timer = setTimeout(() => {
                void server
                    .checkPayment(table.id, me, route, custom)
                    // If the check fails, the server decides when the route is claimed.
                    .catch((problem): Payment => ({ pays: true, why: messageOf(problem) }))
                    .then((answer) => {
                        if (!isOutdated) this.result = answer;
                    });
            }, DELAY);
            return () => {
                isOutdated = true;
                clearTimeout(timer);
            };
        });
    }
}
