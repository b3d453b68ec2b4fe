/** Every text of the page, in English. Another language is another object of this type. What happened in a game is said by the server. */

const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** The numbers of a board's rules that are told. */
interface RuleNumbers {
    trains: number;
    hand: number;
    face_up: number;
    first_tickets: readonly number[];
    drawn_tickets: readonly number[];
    face_up_locomotive_alone: boolean;
    returned_go_under: boolean;
    tunnel_cards: number;
    last_round_at: number;
    bonus_cards_in_play: number;
}

const english = {
    name: "Northrail",
    tagline: "Two Nordic railway games, with friends, family and bots",

    list: (parts: string[]): string => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`),
    colours: {
        purple: "purple",
        blue: "blue",
        orange: "orange",
        white: "white",
        green: "green",
        yellow: "yellow",
        black: "black",
        red: "red",
        locomotive: "locomotive",
        gray: "any colour",
    } as Record<string, string>,
    cards: (count: number, colour: string): string =>
        `${count} ${colour === "locomotive" ? (count === 1 ? "locomotive" : "locomotives") : english.colours[colour]}`,
    trainCount: (count: number) => plural(count, "train"),
    ticketCount: (count: number) => plural(count, "ticket"),
    points: (count: number) => plural(count, "point"),
    spaces: (count: number) => plural(count, "space"),
    /** What the server says begins in lower case. */
    sentence: (text: string) => text.charAt(0).toUpperCase() + text.slice(1),
    number: (number: number) => (number < 0 ? `−${-number}` : String(number)),
    signed: (points: number) => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0"),
    between: (cities: readonly string[]) => cities.join("–"),

    errors: {
        unknown: "Something went wrong on the server. Please try again.",
        unreachable: "The server cannot be reached. Are you online?",
        busy: "One moment: your last choice is still on its way.",
        stale: "The table went on meanwhile. Please choose again.",
        noTable: "There is no such table",
        noTableMore: "The link may be incomplete, or the table was closed long ago.",
        lost: "There is nothing at this address",
        boardMissing: "The board could not be loaded",
        tryAgain: "Try again",
        badLink: "This seat link no longer works. Ask for a new one on the other device.",
        crashed: "The page stumbled",
        crashedMore: "Nothing of the game is lost: it lives on the server.",
    },

    nav: {
        home: "Northrail, to the start",
        back: "Back",
        toStart: "To the start page",
        rules: "Rules",
        close: "Close",
        cancel: "Step back",
        more: "More",
        loading: "Loading…",
        settings: "Settings",
        hideHint: "Put this hint away",
    },

    settings: {
        title: "Settings",
        theme: "Light",
        themes: { auto: "As the device", light: "Midnight sun", dark: "Polar night" } as Record<string, string>,
        sound: "Sound when it is my turn",
        hints: "Hints beside the controls",
        motion: "Show moves with motion",
        motionOff: "Your device asks for reduced motion, so nothing moves.",
    },

    home: {
        play: "Play against bots",
        playHint: "Begins a game on the Nordic board at once",
        set: "Set up a table",
        setHint: "Choose the board, who sits where, and share a link",
        rules: "How to play",
        rulesHint: "The rules on one page",
        mine: "My tables",
        none: "No tables yet. The games you play on this device will be listed here.",
        waiting: "Waiting for people",
        running: "Running",
        closed: "Closed",
        turnOf: (name: string) => `${name}’s turn`,
        wins: (names: string) => `Won by ${names}`,
        forget: "Remove from the list",
        replay: "Replay",
        starting: "Dealing…",
        level: "How well the bots play",
        name: "Your name",
        you: "Traveller",
        notAffiliated:
            "An independent implementation of the rules of the Nordic Ticket to Ride games; not affiliated with Days of Wonder, whose trademark that is.",
    },

    /** The levels for people, with a word on each; whoever else the server can seat is for study. */
    levels: {
        easy: ["Easy", "for first games"],
        medium: ["Medium", "a fair match"],
        hard: ["Hard", "overlooks little"],
        expert: ["Expert", "the strongest"],
    } as Record<string, [string, string]>,
    level: (level: string): string => english.levels[level]?.[0] ?? level.charAt(0).toUpperCase() + level.slice(1),
    levelMore: (level: string): string => [english.level(level), ...(english.levels[level]?.slice(1) ?? [])].join(" – "),

    setup: {
        title: "Set up a table",
        board: "Board",
        boardSeats: (least: number, most: number) => `${least} to ${most} people`,
        seats: "Seats",
        seatCount: "How many play",
        seat: (number: number) => `Seat ${number + 1}`,
        who: "Who sits here",
        me: "I, on this device",
        here: "Another person on this device",
        open: "Somebody with the link",
        people: "People",
        bots: "Bots",
        moreBots: "Bots for study",
        bot: (level: string) => `Bot, ${level.charAt(0).toLowerCase()}${level.slice(1)}`,
        name: "Name",
        player: (number: number) => `Player ${number + 1}`,
        first: "Who starts",
        chance: "Chance decides",
        clock: "Time for a turn",
        clocks: [
            [0, "No clock"],
            [30, "30 seconds"],
            [60, "1 minute"],
            [120, "2 minutes"],
            [300, "5 minutes"],
            [3600, "1 hour"],
            [86_400, "1 day"],
            [259_200, "3 days"],
        ] as [number, string][],
        clockHint: "When it runs out a bot plays on; one can take one’s seat back at any time.",
        faster: "Bots move fast",
        begin: "Begin the game",
        create: "Set up and invite",
        needPerson: "At least one seat must be a person’s, on this device or with the link.",
        needName: "Each person here needs a name.",
    },

    waiting: {
        title: "Waiting for people",
        invite: "Send this link to those who are to play. It is also the link to watch by.",
        qr: "The link as a picture to point a phone’s camera at",
        copy: "Copy the link",
        copied: "Copied",
        share: "Share…",
        open: "Open seat",
        reserved: (name: string) => `Kept for ${name}`,
        you: "you",
        join: "Sit down",
        joinTitle: "There is an open seat",
        joinName: "Your name",
        fillBot: "Seat a bot",
        fillOpen: "Open the seat",
        leave: "Stand up",
        close: "Close the table",
        closeMore: "Nobody can sit down here any more. This cannot be undone.",
        beginsAlone: "The game begins as soon as every seat is taken.",
        closed: "This table was closed before the game began.",
    },

    board: {
        arcticCircle: "Arctic Circle",
        pointsForRoute: "points for a route",
        tunnel: "tunnel",
        ferry: (locomotives: number) => `ferry with ${plural(locomotives, "locomotive")}`,
        drawBonus: (cards: number) => `draws ${plural(cards, "card")}`,
        takenBy: (name: string) => `taken by ${name}`,
        closedNow: "closed",
        name: (board: string) => `Map of ${board}`,
        about: (taken: number, free: number, lit: number) =>
            `${taken} routes taken, ${free} free${lit ? `, ${lit} you can claim now` : ""}.`,
        routes: "Routes you can claim",
        routesHint: "Arrow keys go from route to route, Enter chooses one.",
        larger: "Larger",
        smaller: "Smaller",
        whole: "Whole map",
    },

    table: {
        yourTurn: "Your turn",
        asked: {
            tickets: "Choose the tickets to keep",
            turn: "Claim a lit route, or draw",
            second_card: "Take your second card",
            tunnel: "The tunnel asks for more",
            pay: "Pay",
            over: "The game is over",
        } as Record<string, string>,
        doing: {
            tickets: (name: string) => `${name} chooses tickets`,
            turn: (name: string) => `${name}’s turn`,
            second_card: (name: string) => `${name} takes a second card`,
            tunnel: (name: string) => `${name} is in a tunnel`,
            pay: (name: string) => `${name} pays`,
            over: () => "The game is over",
        } as Record<string, (name: string) => string>,
        paying: (cities: string) => `Pay for ${cities}`,
        drawing: "Draw new tickets, or step back",
        choose: (first: boolean, least: number) => `${first ? "First tickets" : "Tickets"}: keep at least ${least}`,
        waitingForChoice: (names: string) => `Waiting for ${names} to choose tickets`,
        titleTurn: (rest: string) => `● Your turn · ${rest}`,
        lastRound: "Last round",
        lastRoundMore: (turns: number) => (turns === 1 ? "one turn left" : `${turns} turns left`),
        watching: "You are watching",
        watchers: (count: number) => plural(count, "watcher"),
        you: "you",
        sending: "One moment…",
        lost: "Connection lost. Trying again; nothing is lost.",
        must_pass: "Nothing can be done",
        pass: "Pass",
        live: "What happened",
    },

    seats: {
        title: "Seats",
        trains: "trains left",
        cards: "cards in hand",
        tickets: "tickets",
        points: "points for routes",
        finalPoints: "points",
        known: "Known to hold",
        knownNone: "No card is known",
        unknown: (count: number) => `${plural(count, "card")} nobody knows`,
        bot: (level: string) => `bot, ${level.toLowerCase()}`,
        standIn: "a bot plays",
        resigned: "gave up",
        botPlays: "a bot decides",
        away: "away",
        chosen: "has chosen",
        about: (name: string) => `About ${name}`,
        starts: "starts",
        clock: "time left",
    },

    row: {
        title: "Cards on the table",
        deck: (count: number) => `Draw from the deck, ${plural(count, "card")} left`,
        take: (colour: string) => `Take ${colour}`,
        place: (place: number, colour: string) => `Place ${place + 1}: ${colour}`,
        empty: (place: number) => `Place ${place + 1} is empty`,
        tickets: (count: number) => `Draw tickets, ${plural(count, "ticket")} left`,
        discard: (count: number) => `${plural(count, "card")} discarded`,
        hint: "Tap a card to take it; the deck gives an unknown one. A turn’s draw is two cards, one after the other.",
        drawTickets: (count: number) => `Draw ${plural(count, "ticket")}?`,
        drawTicketsMore: "You will see them and must keep at least one. A ticket that is not completed at the end costs its points.",
        drawTicketsYes: (count: number) => `Draw ${plural(count, "ticket")}`,
    },

    hand: {
        title: "Your cards",
        none: "You hold no cards.",
        lay: (colour: string, left: number) => `Lay one ${colour}, ${left} left in hand`,
        takeBack: (colour: string) => `Take one ${colour} back`,
    },

    tickets: {
        title: "Your tickets",
        none: "You hold no tickets.",
        joined: "completed",
        open: (trains: number) => `needs ${plural(trains, "train")}`,
        noWay: "no way is left",
        show: (cities: string) => `Show ${cities} on the map`,
        hint: "Tap a ticket to see its cities and the shortest way still open.",
        returned: "Tickets you gave back",
        bonus: "Bonus cards",
        worth: (points: number) => `worth ${plural(points, "point")}`,
    },

    offer: {
        title: "Tickets on offer",
        first: "Your first tickets",
        hint: "Tap to keep. Completed at the end, a ticket gives its points; if not, it costs them.",
        keep: (count: number) => (count === 0 ? "Keep …" : `Keep ${plural(count, "ticket")}`),
        ticket: (cities: string, points: number, needs: string) => `${cities}, ${plural(points, "point")}, ${needs}`,
    },

    pay: {
        with: (cards: string) => `Pay ${cards}`,
        confirm: (points: number) => `Claim for ${plural(points, "point")}`,
        confirmTunnel: "Try the tunnel",
        payments: "Ways to pay",
        other: "Other cards",
        usual: "Usual ways",
        ownHint: "Tap cards in your hand to lay them.",
        laid: "Laid",
        none: "Nothing laid yet",
        enough: "This pays for it.",
        notYet: "These cards do not pay for it exactly.",
        checking: "Checking…",
        near: "Or did you mean",
        tunnelHint: "Up to three cards are turned over; each that fits asks for one more.",
        needs: (price: string) => `Costs ${price}`,
        step: "Step back",
    },

    tunnel: {
        title: (route: string) => `Tunnel ${route}`,
        turned: "Turned over",
        laid: "You laid",
        owed: (count: number, colour: string) =>
            `${plural(count, "more card")} asked: ${colour === "locomotive" ? "locomotives" : `${colour} or locomotives`}`,
        add: (cards: string) => `Add ${cards}`,
        giveUp: "Give up and take the cards back",
        cannot: "You cannot pay that.",
        nothing: "Nothing more asked",
        asked: (count: number) => `${plural(count, "more card")} asked`,
    },

    handover: {
        title: (name: string) => `Over to ${name}`,
        more: "The cards are covered. Hand the device over, then tap.",
        confirm: (name: string) => `I am ${name}`,
        last: "What happened last",
    },

    tabs: { title: "What to look at", cards: "Cards", tickets: "Tickets", log: "Log", chat: "Chat", routes: "Routes" },
    routes: { title: "All routes", find: "Find a city", others: "Other routes" },

    log: { title: "Log", none: "Nothing has happened yet." },
    chat: {
        title: "Chat",
        none: "Nobody has said anything yet.",
        say: "Say something",
        send: "Send",
        watcher: "Only those who sit at the table can write.",
        unread: "new",
    },

    menu: {
        title: "Menu",
        share: "Link to watch",
        shareMore: "Whoever opens this link watches; nobody’s cards are shown.",
        seatLink: "My seat on another device",
        seatLinkMore: "Whoever opens this link plays your seat. It works for a day.",
        faster: "Bots move fast",
        handOver: "Let a bot play for me",
        handOverOther: (name: string) => `Let a bot play for ${name}`,
        takeBack: "Play again myself",
        resign: "Give up",
        resignSure: "Give up for good?",
        resignMore: "A bot plays on for you; you cannot come back into this game.",
        resignYes: "Give up",
        close: "Close the table",
        closeSure: "Close this table?",
        closeMore: "The game ends without a winner. This cannot be undone.",
        standIn: "A bot plays for you.",
        resigned: "You gave up; a bot plays on for you.",
        closedTitle: "This table is closed",
        closedMore: "The game ended without a winner.",
    },

    final: {
        routes: "Routes",
        tickets: "Tickets",
        longest: "Longest path",
        completed: "Tickets completed",
        skip: "Show all",
        rematch: "Rematch",
        joinRematch: "Join the rematch",
        replay: "Replay the game",
        record: "Download the record",
        toTable: "Final table",
        winner: "Winner",
        place: (place: number) => `Place ${place}`,
        revealing: "Opening the tickets",
        bonuses: "Bonuses",
        nobody: "nobody",
    },

    replay: {
        title: "Replay",
        scrub: "Moment of the game",
        first: "To the deal",
        previous: "One step back",
        next: "One step on",
        last: "To the end",
        play: "Play",
        pause: "Pause",
        moment: (at: number, of: number) => `Step ${at} of ${of}`,
        deal: "The deal: every seat looks at its first tickets.",
        hands: "All hands",
        keys: "Keys: ← → one step, Home and End, space plays.",
        notYet: "A game can be replayed once it is over.",
    },

    rules: {
        title: "How to play",
        lead: "Collect cards, pay for routes with them, and join the cities on your secret tickets. Whoever has most points at the end wins.",
        board: "Rules for",
        begin: "To begin",
        beginMore: (rules: RuleNumbers) =>
            `Everybody has ${rules.trains} trains and is dealt ${rules.hand} cards. Everybody looks at ${rules.first_tickets[0]} tickets and keeps at least ${rules.first_tickets[1]} of them. ${rules.face_up} cards lie face up.`,
        turn: "Your turn",
        turnMore: "Do one of three things. Whatever you can do is lit.",
        draw: "Draw cards",
        drawMore: (rules: RuleNumbers) =>
            `Take two cards, one after the other: face up, or blind from the deck. A card taken is replaced at once, before you choose the second. ${
                rules.face_up_locomotive_alone
                    ? "A face-up locomotive counts for both: take it as your only card."
                    : "A face-up locomotive is a card like any other: you may take two."
            }`,
        claim: "Claim a route",
        claimMore:
            "Tap a lit route and pay with cards: as many of its colour as it has spaces. A gray route takes any one colour. You see the ways to pay and can step back until you confirm. A route belongs to who claims it first; nobody owns two side by side, and with few players one side of them closes.",
        tickets: "Draw tickets",
        ticketsMore: (rules: RuleNumbers) =>
            `Look at ${rules.drawn_tickets[0]} and keep at least ${rules.drawn_tickets[1]}. The others ${rules.returned_go_under ? "go under the deck" : "leave the game"}.`,
        kinds: "Kinds of routes",
        kind: {
            plain: "Plain",
            gray: "Gray",
            ferry: "Ferry",
            tunnel: "Tunnel",
            swap: "The long way",
        } as Record<string, string>,
        costs: (name: string, price: string) => `${name} costs ${price}.`,
        tunnelMore: (rules: RuleNumbers) =>
            `When you have laid your cards, ${rules.tunnel_cards} cards are turned over. For each of your colour and each locomotive you add one more card, or you give up, take your cards back and your turn is over.`,
        bonusMore: "After claiming a route marked +1, +2 or +3 you draw so many cards from the deck.",
        signs: "The colours and their signs",
        worth: "What a route is worth",
        spaces: "Spaces",
        points: "Points",
        end: "The end",
        endMore: (rules: RuleNumbers) =>
            `When somebody ends a turn with ${rules.last_round_at} trains or fewer, everybody has one more turn, that player too. Then tickets are opened: the points of completed ones are added, those of the others taken off. ${
                rules.bonus_cards_in_play > 1
                    ? `${rules.bonus_cards_in_play} of these bonus cards are in play; all who tie get the points.`
                    : "Then the bonus; all who tie get it."
            }`,
        tie: (parts: string) => `A tie is broken by ${parts}; then it is shared.`,
        device: "On this page",
        deviceMore: [
            "Pinch, drag or turn the wheel on the map to look closer; tap twice to come near and to go back.",
            "Tap a ticket to see its cities and the shortest way still open.",
            "Tap a seat to see which of its cards everybody knows.",
            "By keyboard: Tab reaches everything; on the map the arrow keys go from lit route to lit route, Enter chooses, Escape steps back.",
            "The Routes tab lists every route in words.",
        ],
    },
};

export type Texts = typeof english;
export const texts: Texts = english;
