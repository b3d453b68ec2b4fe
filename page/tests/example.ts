/** A table in the words of the server, for tests: as little as they need. */

import type { Final, News, Options, SeatFacts, Step, View } from "../src/protocol";

export const seatFacts = (seat: number, changes: Partial<SeatFacts> = {}): SeatFacts => ({
  seat, who: "person", name: `P${seat}`, level: null, stand_in: null, resigned: false, present: true, reserved: false, ...changes,
});

export const options = (changes: Partial<Options> = {}): Options => ({
  claim: {}, take: [], blind: false, draw_tickets: 0, keep: null, tunnel: null, passing: false, ...changes,
});

export const view = (changes: Partial<View> = {}): View => ({
  board: "nordic-countries", me: 0, seats: 3, first: 0, seat: 0, phase: "turn", hand: {}, tickets: [], offered: [], keep_least: 0, returned: [],
  known: [{}, {}, {}], hand_sizes: [4, 4, 4], ticket_counts: [2, 2, 2], trains: [40, 40, 40], points: [0, 0, 0], owners: {}, closed: [],
  row: ["red", "blue", null, "green", "locomotive"], deck: 90, discard: {}, ticket_deck: 31, batches: [], bonus_cards: [], route: null, laid: {},
  revealed: {}, turns_left: null, chosen: null, options: null, ...changes,
});

export const step = (version: number, changes: Partial<Step> = {}): Step => ({
  version, seat: 0, by: "person", at: 0, events: [{ event: "blind", seat: 0, text: `step ${version}` }], ...changes,
});

export const news = (changes: Partial<News> = {}): News => ({
  table: {
    id: "abcdefghjk", board: "nordic-countries", board_name: "Nordic Countries", digest: "", status: "running", seats: [0, 1, 2].map((seat) => seatFacts(seat)),
    first: null, clock: null, faster: false, made: 0, began: 0, ended: null, version: 0, turn: 0, winners: null, rematch: null,
  },
  you: 0, yours: [0], host: true, watchers: 0, version: 0, since: 0, steps: [], view: view(), sealed: null, clock: null, chat: [], chat_since: 0,
  final: null, now: 0, ...changes,
});

export const final: Final = {
  seats: [
    {
      seat: 0, routes: 20, tickets: 2, bonuses: {}, total: 22, completed: 1, longest: 5, hand: {}, place: 2,
      ticket_list: [
        { number: 1, cities: ["Oslo", "Bergen"], points: 7, joined: true },
        { number: 2, cities: ["Oslo", "Umeå"], points: 5, joined: false },
      ],
    },
    {
      seat: 1, routes: 15, tickets: 9, bonuses: { Globetrotter: 10 }, total: 34, completed: 1, longest: 9, hand: {}, place: 1,
      ticket_list: [{ number: 3, cities: ["Turku", "Umeå"], points: 9, joined: true }],
    },
  ],
  bonuses: [{ name: "Globetrotter", points: 10, winners: [1] }],
  winners: [1],
  text: "P1 wins with 34 points",
};
