/** Asks the server whether the cards of a custom payment pay for the selected route. */

import { countOf } from "../cards.ts";
import * as server from "../server.ts";
import { messageOf, type Table } from "../table.svelte.ts";
import { texts } from "../texts.ts";

const DELAY = 120; // milliseconds; several cards tapped quickly need one request

export interface PaymentResult {
    pays: boolean;
    sentence: string;
}

export class PaymentCheck {
    result = $state.raw<PaymentResult | null>(null);

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
                    .then(
                        ({ pays }) => ({ pays, sentence: pays ? texts.pay.enough : texts.pay.notYet }),
                        // If the check fails, the server decides when the route is claimed.
                        (problem) => ({ pays: true, sentence: messageOf(problem) }),
                    )
                    .then((result) => {
                        if (!isOutdated) this.result = result;
                    });
            }, DELAY);
            return () => {
                isOutdated = true;
                clearTimeout(timer);
            };
        });
    }
}
