/**
 * Sentences for what the server sends as codes with facts: events, refusals, prices, bonus cards and the final verdict.
 * With `texts.ts` this is the page's English; another language needs another of both.
 */

import { midpoint } from "./draw/routes.ts";
import { COLOURS } from "./cards.ts";
import type { Board, BonusCard, Final, Hint, Price, Refusal, Route, Step } from "./protocol";
import { texts } from "./texts.ts";

export type Event = Step["events"][number];
export type EventCode = Event["code"];
export type EventOf<Code extends EventCode> = Extract<Event, { code: Code }>;

/** What sentences need to name things: the board, and the players' names by seat. */
export interface Naming {
    board: Board;
    names: readonly string[];
}

// --- routes, tickets and cards

const PLACES = {
    2: [
        ["left", "right"],
        ["upper", "lower"],
    ],
    3: [
        ["left", "middle", "right"],
        ["upper", "middle", "lower"],
    ],
} as const;

/** Which of several equal routes it is, as seen on the map: "left", "middle", "lower". */
function place(board: Board, number: number): string {
    const route = board.routes[number]!;
    const isTwin = (other: Route) => other.twin > 0 && other.colour === route.colour && other.cities.join() === route.cities.join();
    const twins = board.routes.flatMap((other, at) => (isTwin(other) ? [{ at, middle: midpoint(board.drawing, at) }] : []));
    const [one, other] = [twins[0]!.middle, twins.at(-1)!.middle];
    const axis = Math.abs(one[0] - other[0]) >= Math.abs(one[1] - other[1]) ? 0 : 1;
    const inOrder = twins.toSorted((a, b) => a.middle[axis] - b.middle[axis]).map((twin) => twin.at);
    return PLACES[twins.length as 2 | 3][axis][inOrder.indexOf(number)]!;
}

/** "Bergen–Oslo red", or "Oslo–Göteborg gray (left)" where there are several. */
export function routeName(board: Board, number: number): string {
    const route = board.routes[number]!;
    const name = `${texts.between(route.cities)} ${route.colour}`;
    return route.twin ? `${name} (${place(board, number)})` : name;
}

export const ticketNames = (board: Board, numbers: readonly number[]): string =>
    texts.list(numbers.map((number) => `${texts.between(board.tickets[number]!.cities)} (${board.tickets[number]!.points})`));
const cardNames = (cards: Record<string, number>): string =>
    texts.list(Object.entries(cards).map(([colour, count]) => texts.cards(count, colour)));

/** What a route costs: "1 locomotive and 2 blue cards; a locomotive can replace any card" */
export function priceText(price: Price, isTunnel: boolean): string {
    const rest = price.spaces - price.locomotives;
    const colour = price.colour === "gray" ? "" : texts.colours[price.colour]!;
    const cards = colour ? texts.cardsOf(rest, colour) : `${texts.cardCount(rest)} of ${rest === 1 ? "any" : "one"} colour`;
    const parts = [price.locomotives ? texts.cards(price.locomotives, "locomotive") : "", rest ? cards : ""];
    const notes: string[] = [];
    if (price.locomotives_wild && rest) notes.push("a locomotive can replace any card");
    if (price.substitute) {
        const { cards, alike, any_space } = price.substitute;
        const what = alike ? `${cards} cards of one colour` : `any ${cards} cards`;
        notes.push(`${what} can replace ${any_space ? "any one card" : "one locomotive"}`);
    }
    if (isTunnel) notes.push("the tunnel may cost extra");
    return [texts.list(parts.filter(Boolean)), ...notes].join("; ");
}

// --- bonus cards and the verdict

const COUNTED: Record<string, string> = {
    "completed tickets": "completed tickets",
    countries: "countries reached",
    "locomotives in hand": "locomotives in hand, where two cards of one colour count as one",
    routes: "routes",
    "trains left": "trains left",
};

/** Who gets a bonus card: "10 points for the most ferries". */
export function bonusText(card: BonusCard, board: Board): string {
    const points = texts.points(card.points);
    if (card.most === "longest path") return `${points} for the longest path`;
    let what = COUNTED[card.most] ?? card.most;
    if (card.most === "routes") {
        const size = card.length ? `${texts.inWords(card.length)}-space ` : "";
        what = size + (card.ferry ? "ferries" : "routes");
    }
    if (card.most === "completed tickets" && card.worth_at_most) what += ` worth ${texts.points(card.worth_at_most)} or less`;
    if (card.ends.length && ["routes", "completed tickets"].includes(card.most)) what += ` ${endsText(card.ends, board)}`;
    return `${points} for the most ${what}`;
}

/** Which cities count, named together if they have something in common. */
function endsText(ends: readonly string[], board: Board): string {
    const are = (cities: Board["cities"]) => cities.length === ends.length && cities.every((city) => ends.includes(city.name));
    if (are(board.cities.filter((city) => city.arctic))) return "with an end in the Arctic";
    const country = board.cities.find((city) => city.name === ends[0])?.country;
    if (ends.length > 1 && are(board.cities.filter((city) => city.country === country))) return `with an end in ${country}`;
    return `with an end in ${texts.either(ends)}`;
}

/** Who wins. */
export function verdict(final: Final, names: readonly string[]): string {
    const winners = texts.list(final.winners.map((seat) => names[seat]!));
    const points = texts.points(final.seats.find((seat) => seat.seat === final.winners[0])!.total);
    if (final.winners.length > 1) return `${winners} share the win with ${points} each`;
    const { tie_break: tieBreak } = final;
    return `${winners} wins with ${points}${tieBreak ? ` and ${texts.rules.tieBreaks[tieBreak] ?? tieBreak}` : ""}`;
}

// --- events

const events: { [Code in EventCode]: (event: EventOf<Code>, who: string, board: Board, names: readonly string[]) => string } = {
    took: (event, who) => `${who} takes ${texts.oneCard(event.colour)}`,
    drew: (event, who) => `${who} draws ${event.colour ? texts.oneCard(event.colour) : "a card"} from the deck`,
    turned_up: (event) => `${texts.oneCard(event.colour)} is turned face up`,
    row_cleared: (event) => `${event.locomotives} locomotives are face up: the row is cleared`,
    reshuffled: (event) => `The discards become a new deck of ${texts.cardCount(event.count)}`,
    tunnel_tried: (event, who, board) => {
        const turned = event.revealed.map((colour) => texts.colours[colour]).join(", ") || "nothing";
        const extra = event.owed ? texts.tunnel.extra(event.owed) : texts.tunnel.nothing.toLowerCase();
        return `${who} tries the tunnel ${routeName(board, event.route)} with ${cardNames(event.cards)}: ${turned} turned over, ${extra}`;
    },
    claimed: (event, who, board) =>
        `${who} claims ${routeName(board, event.route)} with ${cardNames(event.cards)} for ${texts.points(event.points)}`,
    gave_up: (event, who, board) => `${who} gives up ${routeName(board, event.route)} and takes the cards back`,
    drew_tickets: (event, who, board) =>
        `${who} draws ${texts.ticketCount(event.count)}${event.tickets ? `: ${ticketNames(board, event.tickets)}` : ""}`,
    kept_tickets: (event, who, board) => {
        if (event.tickets) return `${who} keeps ${ticketNames(board, event.tickets)}`;
        return event.count == null ? `${who} has chosen` : `${who} keeps ${event.count} of ${texts.ticketCount(event.of!)}`;
    },
    all_kept: (event, _who, _board, names) =>
        `Everyone has chosen tickets: ${texts.list(event.counts.map((count, seat) => `${names[seat]} keeps ${count}`))}`,
    completed_tickets: (event, who, board) => `${who} completes ${ticketNames(board, event.tickets)}`,
    passed: (_event, who) => `${who} has no legal move and passes`,
    last_round: (event, who) => `${who} has ${texts.trainCount(event.trains)} left: the last round begins`,
    game_over: () => "The game is over",
};

/** What happened, in a sentence. */
export function eventSentence(event: Event, { board, names }: Naming): string {
    const write = events[event.code] as (event: Event, who: string, board: Board, names: readonly string[]) => string;
    return texts.sentence(write(event, event.seat === null ? "" : names[event.seat]!, board, names));
}

// --- refusals

/** The facts of a refusal; OpenAPI leaves them open, because each code has its own. */
type Facts = Record<string, any>;
type Name = (seat: number) => string;
type RouteName = (route: number) => string;

/** How much of a route's price a hand has: "You have 1 of 4 blue and 1 locomotive". */
function haveText(price: Price, hand: Record<string, number>): string {
    const rest = price.spaces - price.locomotives;
    const locomotives = hand.locomotive ?? 0;
    const isGray = price.colour === "gray";
    const held = isGray ? Math.max(...COLOURS.slice(0, -1).map((colour) => hand[colour] ?? 0)) : (hand[price.colour] ?? 0);
    const parts = [
        price.locomotives ? `${Math.min(locomotives, price.locomotives)} of ${texts.cards(price.locomotives, "locomotive")}` : "",
        rest
            ? `${Math.min(held, rest)} of ${isGray ? `${texts.cardCount(rest)} of one colour` : `${rest} ${texts.colours[price.colour]}`}`
            : "",
        !price.locomotives && price.locomotives_wild && locomotives ? texts.cards(locomotives, "locomotive") : "",
    ];
    return `You have ${texts.list(parts.filter(Boolean))}.`;
}

const refusals: Record<Refusal["code"], (facts: Facts, name: Name, route: RouteName, board?: Board) => string> = {
    already_chosen: () => "You have already chosen your first tickets.",
    bad_move: () => "That isn’t a move in this game.",
    bad_position: (facts) => `The game can’t start from this position: check “${facts.field}”.`,
    board_changed: () => "This table uses a version of the board that this server doesn’t have.",
    bot_plays: (facts, name) => `A bot is playing for ${name(facts.seat)}. Take the seat back first.`,
    card_not_wanted: () => "This card doesn’t fit the payment.",
    cards_not_held: () => "You don’t have these cards.",
    chat_full: () => "This chat is full.",
    deck_empty: () => "The deck is empty.",
    game_begun: () => "The game has already started.",
    game_not_begun: () => "The game hasn’t started yet.",
    game_not_over: () => "The game isn’t over yet.",
    game_over: () => "The game is over.",
    hints_off: () => "This table doesn’t allow hints.",
    host_only: () => "Only the host can do that.",
    invalid: () => "The server didn’t understand this request. Reload the page and try again.",
    keep_more: (facts) => `Keep at least ${texts.ticketCount(facts.least)}.`,
    lesson_changed: () => "This lesson was updated. Please start it again.",
    link_expired: () => "This seat link no longer works. Create a new one on the other device.",
    locomotive_second: () => "A face-up locomotive can’t be your second card.",
    must_move: () => "You can only pass if you have no legal move.",
    no_bot_plays: () => "You are already playing this seat yourself.",
    no_open_seat: () => "All seats are taken.",
    no_such_address: () => "Page not found.",
    no_such_board: () => "This server doesn’t have that board.",
    no_such_colour: () => "There is no such card.",
    no_such_lesson: () => "There is no such lesson.",
    no_such_level: () => "There is no such bot.",
    no_such_route: () => "There is no such route.",
    no_such_seat: () => "There is no such seat.",
    no_such_table: () => "Table not found.",
    no_tickets_left: () => "There are no tickets left.",
    not_face_up: (facts) => `There is no face-up ${texts.colours[facts.colour]} card.`,
    not_offered: () => "You can only keep tickets that you drew.",
    not_in_lesson: () => "This lesson asks for a different move.",
    not_your_seat: () => "This isn’t your seat.",
    not_your_turn: (facts, name) => `It’s ${name(facts.turn)}’s turn.`,
    others_choose: (facts, name) =>
        `${texts.list(facts.seats.map(name))} ${facts.seats.length === 1 ? "is" : "are"} still choosing tickets.`,
    others_play: (facts, name) =>
        `${texts.list(facts.seats.map(name))} ${facts.seats.length === 1 ? "is" : "are"} still playing. You can resign instead.`,
    overtaken: () => "Someone else was faster.",
    owns_parallel: () => "You already own a parallel route.",
    person_present: (facts, name) => `${name(facts.seat)} is still connected, or was a moment ago.`,
    players_only: () => "Only players at this table can do that.",
    rate_limited: () => "That was a bit fast. Try again in a moment.",
    route_closed: (facts, _name, route) => `Closed with ${facts.seats} players: ${route(facts.by)} is taken.`,
    route_owned: (facts, name) => (facts.owner === facts.seat ? "You already own it." : `${name(facts.owner)} owns it.`),
    seat_not_open: () => "This seat is taken.",
    seat_occupied: (facts, name) => `${name(facts.seat)} is sitting there.`,
    seat_resigned: () => "This seat has resigned.",
    database_failing: () => "The server can’t store anything right now. Nothing was changed. Please try again in a moment.",
    rules_changed: () => "This game started with an older version of the rules and can’t go on.",
    server_busy: () => "The server is full. Please try again later.",
    server_error: () => "Something went wrong on the server. Please try again.",
    stale: () => texts.errors.stale,
    table_closed: () => "This table is closed.",
    too_few_cards: (facts, _name, _route, board) =>
        board ? haveText(board.routes[facts.route]!.price, facts.hand) : "You can’t pay for this route with your cards.",
    too_few_trains: (facts) => `You have ${texts.trainCount(facts.trains)} left. This route needs ${facts.length}.`,
    too_large: () => "That was too long.",
    too_many_connections: () => "Too many connections from here. Close some tabs and try again.",
    too_many_tables: () => "Too many new tables from here. Please try again later.",
    too_many_watchers: () => "Too many people are watching this table.",
    too_many_wrong_links: () => "Too many wrong links from here. Please try again later.",
    tunnel_begun: () => "You have already added cards, so you can’t give up now.",
    wrong_extra: () => "These cards don’t pay the tunnel’s extra cost exactly.",
    wrong_host: () => "The server doesn’t know this address. If it is yours, start the server with --origin and the address.",
    wrong_method: () => "The server didn’t understand this request.",
    wrong_origin: () => "This request came from another site.",
    wrong_payment: () => "These cards don’t pay for the route exactly.",
    wrong_phase: (facts) => texts.why[facts.phase] ?? "You can’t do that now.",
    wrong_seat_count: (facts) => `This board is for ${facts.least} to ${facts.most} players.`,
};

/** Why something was refused; without `naming`, players and routes stay unnamed. */
export function refusalSentence({ code, facts }: { code: string; facts: Facts }, naming?: Partial<Naming>): string {
    const name = (seat: number) => naming?.names?.[seat] ?? "another player";
    const route = (number: number) => (naming?.board ? routeName(naming.board, number) : "this route");
    const write = (refusals as Record<string, (typeof refusals)["stale"] | undefined>)[code];
    return write ? texts.sentence(write(facts, name, route, naming?.board)) : texts.errors.unknown;
}

// --- hints

/** What a hint proposes: "Claim Bergen–Oslo with 4 blue." */
export function choiceSentence(choice: Hint["choice"], board: Board): string {
    switch (choice.kind) {
        case "claim": {
            const route = board.routes[choice.route]!;
            const name = route.twin ? routeName(board, choice.route) : texts.between(route.cities); // the cards tell other routes apart
            return `${route.tunnel ? "Try the tunnel" : "Claim"} ${name} with ${cardNames(choice.cards)}.`;
        }
        case "take":
            return `Take the ${choice.colour === "locomotive" ? "locomotive" : `${texts.colours[choice.colour]} card`}.`;
        case "blind":
            return "Draw from the deck.";
        case "draw_tickets":
            return "Draw tickets.";
        case "keep":
            return `Keep ${ticketNames(board, choice.tickets)}.`;
        case "tunnel":
            return `Add ${cardNames(choice.cards)}.`;
        case "give_up":
            return "Give up the tunnel.";
        case "pass":
            return "Pass.";
    }
}

type Reason = Hint["reasons"][number];

/** The facts of a reason in words. */
class ReasonWords {
    constructor(
        readonly facts: Facts,
        readonly naming: Naming,
    ) {}
    get route(): string {
        return texts.between(this.naming.board.routes[this.facts.route]!.cities);
    }
    get tickets(): string {
        return texts.list(this.facts.tickets.map((ticket: number) => texts.between(this.naming.board.tickets[ticket]!.cities)));
    }
    get are(): string {
        return this.facts.tickets.length === 1 ? "is" : "are";
    }
    get bonus(): string {
        return this.naming.board.bonus_cards[this.facts.card]!.name;
    }
    get trains(): string {
        return texts.trainCount(this.facts.trains);
    }
    get tunnel(): string {
        return `The tunnel costs ${texts.cardCount(this.facts.extra)} more`;
    }
    /** What the claim does, or would do if the tunnel lets you. */
    does(verb: string, would: string): string {
        return this.facts.sure ? `It ${verb}` : `It would ${would}`;
    }
}

const reasons: Record<Reason["code"], (words: ReasonWords, facts: Facts) => string> = {
    already_complete: (words) => `${words.tickets} ${words.are} complete already`,
    all_complete: (words) => `All your tickets are complete, and you have ${words.trains} left`,
    better_in_worlds: (_words, facts) => `It did better than “${facts.move}” in ${facts.worlds} imagined games`,
    cheaper: (words) => `It makes ${words.route} cheaper`,
    collects: (_words, facts) => `More ${texts.colours[facts.colour]} cards give you more choice later`,
    collects_first: (words) => `You could claim ${words.route}, but collect more cards first`,
    colours_are_no_help: (words) => `No face-up colour helps with ${words.route}`,
    completes: (words) => `${words.does("completes", "complete")} ${words.tickets}`,
    counts_for: (words) => `${words.does("counts", "count")} for ${words.bonus}`,
    deck_may_help: (words, facts) => `${words.route} still needs ${cardNames(facts.cards)}, and the deck may bring more than the row`,
    for_last_points: (_words, facts) => `It scores ${texts.points(facts.points)} before the game ends`,
    for_points: (_words, facts) => `It scores ${texts.points(facts.points)}`,
    gives_up: (words) => `You are unlikely to complete ${words.tickets} now, and you have ${words.trains} left`,
    last_round: (words) => `${words.does("starts", "start")} the last round`,
    least_needed: () => "You pay with the cards you need least",
    must_keep: (words, facts) => `${words.tickets} ${words.are} out of reach, but you must keep ${texts.inWords(facts.least)}`,
    no_route: () => "No route stands out, so collect cards",
    no_tickets: (words) => `You hold no tickets and have ${words.trains} left`,
    on_the_way: (words, facts) => {
        const ends = facts.tickets.map((ticket: number) => `from ${words.naming.board.tickets[ticket]!.cities.join(" to ")}`);
        const more = ends.length > 2 ? ` and for ${texts.ticketCount(ends.length - 2)} more` : "";
        const names = texts.list(facts.seats.map((seat: number) => words.naming.names[seat]!));
        const rivals = names ? `, where ${names} ${facts.seats.length === 1 ? "is" : "are"} building too` : "";
        return `It is on your way ${texts.list(ends.slice(0, 2))}${more}${rivals}`;
    },
    only_a_locomotive: (words) => `Only a locomotive in the row helps with ${words.route}, but it would be your only card this turn`,
    only_move: () => "You have no other legal move",
    out_of_reach: (words) => `${words.tickets} ${words.are} out of reach`,
    pays_next_turn: (words) => `You can pay for ${words.route} next turn`,
    plan_leaves: (_words, facts) => `Your plan leaves ${facts.spare} of ${texts.trainCount(facts.trains)} for new tickets`,
    points_for_trains: (_words, facts) => {
        const trains = facts.trains
            ? `${facts.trains}${facts.more ? " more" : ""} ${facts.trains === 1 ? "train" : "trains"}`
            : "no more trains";
        return `${facts.points.length === 1 ? "It brings" : "They bring"} ${texts.list(facts.points.map(String))} points for ${trains}`;
    },
    reaches: (words, facts) => `${words.does("reaches", "reach")} ${texts.list(facts.countries)} for ${words.bonus}`,
    row_is_no_help: (words) => `No face-up card helps with ${words.route}`,
    short_of: (words, facts) => `${words.route} still needs ${cardNames(facts.cards)}`,
    tunnel_may_need: (words) => `The tunnel ${words.route} may need it`,
    tunnel_not_worth_it: (words) => `${words.tunnel} and isn’t worth it`,
    tunnel_too_dear: (words) => `${words.tunnel}, and you can’t pay that`,
    tunnel_worth_it: (words) => `${words.tunnel} and is worth it`,
    waits: (words) => `You can pay for ${words.route}, but better cards would make it cheaper`,
};

/** Why a hint proposes its move, addressed to you. */
export const reasonsText = (given: readonly Reason[], naming: Naming): string =>
    given.map(({ code, facts }) => `${texts.sentence(reasons[code](new ReasonWords(facts, naming), facts))}.`).join(" ");
