/** The coach at a lesson's table: which step comes next, what to point at, and why not something else. */

import { untrack } from "svelte";
import type { GameState } from "../game/game.svelte.ts";
import type { Lesson, LessonStep } from "../protocol";
import { NO_SELECTION } from "../selection.ts";
import type { Choice } from "../server.ts";
import { texts } from "../texts.ts";
import { noteDone } from "./progress.ts";
import { afterMoves, firstStep, isAsked, isLast, moveAt } from "./steps.ts";

export class Coach {
    private at = $state(0);
    /** Why the last tap was not what the lesson asks for. */
    objection = $state("");

    constructor(
        readonly game: GameState,
        readonly lesson: Lesson,
    ) {
        const { table } = game;
        this.at = firstStep(lesson.steps, game.news.version);
        $effect(() => {
            const at = afterMoves(lesson.steps, this.at, game.news.version);
            if (at !== untrack(() => this.at)) this.goTo(at);
        });
        $effect(() => {
            const { selection } = table;
            untrack(() => this.lookAt(selection));
        });
        $effect(() => {
            if (this.isFinished) noteDone(lesson.id);
        });
        $effect(() => {
            table.pointed = { routes: this.step?.show.routes ?? [], cities: this.step?.show.cities ?? [] };
        });
        table.isWanted = (choice) => this.isWanted(choice);
    }

    get step(): LessonStep | null {
        return this.lesson.steps[this.at] ?? null;
    }
    /** What to say; a rival's later moves have no text of their own. */
    readonly says: string = $derived.by(() => this.lesson.steps.slice(0, this.at + 1).findLast((step) => step.say)?.say ?? "");
    readonly isFinished: boolean = $derived.by(() => isLast(this.lesson.steps, this.at));
    readonly hasNext: boolean = $derived.by(() => this.step?.who === "nobody" && !this.isFinished);

    next(): void {
        this.goTo(afterMoves(this.lesson.steps, this.at + 1, this.game.news.version));
    }

    private goTo(at: number): void {
        this.at = at;
        this.objection = "";
    }

    /** Whether to send a choice. If the lesson asks for another one, say why. */
    private isWanted(choice: Choice): boolean {
        const move = moveAt(this.lesson.steps, this.game.news.version);
        if (move && isAsked(move, choice)) return true;
        this.object(move);
        return false;
    }

    /** Answer the choice of a route or of the ticket deck at once, and not only when it is confirmed. */
    private lookAt(selection: GameState["table"]["selection"]): void {
        const { table } = this.game;
        if (selection.kind !== "route" && selection.kind !== "ticket deck") return;
        const move = moveAt(this.lesson.steps, this.game.news.version);
        const asked = move?.choices.map((choice) => choice.route) ?? [];
        if (selection.kind === "ticket deck" ? move?.choices[0]?.kind === "draw_tickets" : asked.includes(selection.route)) {
            this.goTo(this.lesson.steps.indexOf(move!));
            return;
        }
        table.selection = NO_SELECTION;
        const meant = selection.kind === "route" ? selection.nearby.find((route) => asked.includes(route)) : undefined;
        if (meant !== undefined) this.game.selectRoute(meant, [meant]);
        else this.object(move);
    }

    private object(move: LessonStep | null): void {
        if (move) this.goTo(this.lesson.steps.indexOf(move));
        this.objection = move?.otherwise || (this.isFinished ? texts.lesson.over : texts.lesson.notThat);
    }
}
