/** Every text of the page, in English. Another language would be another object of the same type. */

import type { BoardSummary, Rules } from "./protocol";
import type { ScoreNow } from "./score.ts";

const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
/** Small numbers in words, as in running text. */
const inWords = (count: number) => ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"][count] ?? String(count);
const cardsInWords = (count: number) => `${inWords(count)} ${count === 1 ? "card" : "cards"}`;

/** A number with one decimal and a true minus sign. */
const oneDecimal = (value: number) => `${value <= -0.05 ? "−" : ""}${Math.abs(value).toFixed(1)}`;

const english = {
    inWords,
    name: "Northrail",
    tagline: "Two Nordic railway games to play with friends, family and bots",

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
    /** One card, as in "Anna takes red" and "Anna takes a locomotive". */
    oneCard: (colour: string): string => (colour === "locomotive" ? "a locomotive" : english.colours[colour]!),
    either: (parts: readonly string[]): string =>
        parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`,
    cardCount: (count: number) => plural(count, "card"),
    cardsOf: (count: number, colour: string) => plural(count, `${colour} card`),
    trainCount: (count: number) => plural(count, "train"),
    ticketCount: (count: number) => plural(count, "ticket"),
    points: (count: number) => plural(count, "point"),
    spaces: (count: number) => plural(count, "space"),
    sentence: (text: string) => text.charAt(0).toUpperCase() + text.slice(1),
    number: (number: number) => (number < 0 ? `−${-number}` : String(number)),
    signed: (points: number) => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0"),
    between: (cities: readonly string[]) => cities.join("–"),

    errors: {
        unknown: "Something went wrong on the server. Please try again.",
        unreachable: "Can’t reach the server. Are you online?",
        busy: "One moment, your last choice is still being sent.",
        stale: "The game moved on in the meantime. Please choose again.",
        noTable: "Table not found",
        noTableMore: "The link may be incomplete, or the table was closed long ago.",
        notFound: "Page not found",
        boardMissing: "Couldn’t load the board",
        tryAgain: "Try again",
        badLink: "This seat link no longer works. Create a new one on the other device.",
        crashed: "Something went wrong",
        crashedMore: "Your game is safe on the server. Reload to continue.",
    },

    nav: {
        home: "Northrail home",
        back: "Back",
        toHome: "Home page",
        rules: "Rules",
        close: "Close",
        cancel: "Cancel",
        more: "More",
        loading: "Loading…",
        settings: "Settings",
        dismiss: "Dismiss",
    },

    settings: {
        title: "Settings",
        theme: "Theme",
        themes: { auto: "Match device", light: "Midnight sun", dark: "Polar night" } as Record<string, string>,
        sound: "Sounds",
        tips: "Show tips",
        motion: "Animate moves",
        motionOff: "Animations are off because your device asks for reduced motion.",
        tutor: "Ask me before a choice that costs much",
        tutorWhere: "Only at tables that allow hints. Your moves take a second longer.",
    },

    home: {
        play: "Play against bots",
        playHint: "Tap a board to start a game right away.",
        /** Before the name of a board, for screen readers. */
        playOn: "Play against bots on",
        playNow: "Play",
        setUp: "Set up a table",
        setUpHint: "Choose the board and the players, and share a link",
        rules: "How to play",
        rulesHint: "All the rules on one page",
        mine: "My tables",
        none: "No tables yet. Games you play on this device will show up here.",
        waiting: "Waiting for players",
        running: "In progress",
        closed: "Closed",
        turnOf: (name: string) => `${name}’s turn`,
        wins: (names: string) => `Won by ${names}`,
        youWin: "You won",
        forget: "Remove from this list",
        replay: "Replay",
        starting: "Dealing…",
        level: "Bot level",
        name: "Your name",
        you: "Traveller",
        notAffiliated:
            "An independent implementation of the two Nordic Ticket to Ride games. Not affiliated with Days of Wonder, the owner of the trademark.",
    },

    /** The levels people play against, with a short description. The server knows more bots, for study. */
    levels: {
        beginner: ["Beginner", "for your first games"],
        easy: ["Easy", "once you know the rules"],
        medium: ["Medium", "a fair match"],
        hard: ["Hard", "makes few mistakes"],
        expert: ["Expert", "hard to beat"],
    } as Record<string, [string, string]>,
    /** How each animal plays, in a sentence. It is true of all bots of its level. */
    manners: {
        puffin: "Overlooks many routes and is easily tempted by tickets worth many points.",
        seal: "Plays for fun: it never draws new tickets and forgets that you are there.",
        hare: "Misses the shortest way and hops along a detour.",
        squirrel: "Collects cards for too long and keeps tempting tickets.",
        reindeer: "Walks steadily towards its tickets but overlooks a route now and then.",
        otter: "Plays well, but doesn’t notice when you want the same routes.",
        lynx: "Plans all its tickets at once and makes few mistakes.",
        fox: "Hurries to claim routes that you may want too.",
        owl: "Imagines thousands of situations before each move.",
        bear: "Weighs what you may be holding before each move.",
    } as Record<string, string>,
    level: (level: string): string => english.levels[level]?.[0] ?? level.charAt(0).toUpperCase() + level.slice(1),

    setup: {
        title: "Set up a table",
        board: "Board",
        seats: "Seats",
        seatCount: "Number of players",
        seat: (number: number) => `Seat ${number + 1}`,
        who: "Player",
        me: "Me, on this device",
        here: "Someone else on this device",
        open: "Anyone with the link",
        people: "People",
        bots: "Bots",
        moreBots: "Bots for study",
        study: "Offer bots for study",
        studyHint: "Simple players for comparing and learning, and Master, which thinks for seconds.",
        bot: (level: string): string => {
            const more = english.levels[level]?.[1];
            return `${english.level(level)} bot${more ? ` – ${more}` : ""}`;
        },
        level: (level: string): string => {
            const more = english.levels[level]?.[1];
            return `${english.level(level)}${more ? ` – ${more}` : ""}`;
        },
        name: "Name",
        player: (number: number) => `Player ${number + 1}`,
        first: "Who starts",
        chance: "Random",
        clock: "Time per turn",
        clocks: [
            [0, "No limit"],
            [30, "30 seconds"],
            [60, "1 minute"],
            [120, "2 minutes"],
            [300, "5 minutes"],
            [3600, "1 hour"],
            [86_400, "1 day"],
            [259_200, "3 days"],
        ] as [number, string][],
        clockHint: "If time runs out, a bot takes over. You can take your seat back at any time.",
        start: "Start the game",
        create: "Create and invite",
        needPerson: "At least one seat needs a person, on this device or with the link.",
        needName: "Everyone on this device needs a name.",
    },

    waiting: {
        title: "Waiting for players",
        invite: "Share this link with your players. Spectators can use it too.",
        qr: "QR code for this link",
        copy: "Copy link",
        copied: "Copied",
        share: "Share…",
        open: "Open seat",
        reserved: (name: string) => `Reserved for ${name}`,
        joinName: "Your name",
        fillBot: "Add a bot",
        fillOpen: "Free this seat",
        leave: "Leave seat",
        closeMore: "Nobody will be able to join it. You can’t undo this.",
        startsWhenFull: "The game starts as soon as every seat is taken.",
        closed: "This table was closed before the game started.",
    },

    board: {
        arcticCircle: "Arctic Circle",
        pointsForRoute: "points for a route",
        tunnel: "tunnel",
        ferry: (locomotives: number) => `ferry with ${plural(locomotives, "locomotive")}`,
        drawBonus: (cards: number) => `draw ${plural(cards, "extra card")}`,
        takenBy: (name: string) => `claimed by ${name}`,
        closedNow: "closed",
        name: (board: string) => `Map of ${board}`,
        about: (taken: number, free: number, lit: number) =>
            `${plural(taken, "route")} claimed, ${free} free${lit ? `, ${lit} you can claim now` : ""}.`,
        routes: "Routes you can claim",
        routesHint: "Use the arrow keys to go from route to route and Enter to choose one.",
        larger: "Zoom in",
        smaller: "Zoom out",
        whole: "Whole map",
    },

    table: {
        yourTurn: "Your turn",
        /** By phase: what you have to do. */
        prompt: {
            tickets: "Choose the tickets to keep",
            turn: "Claim a route, or draw",
            second_card: "Take your second card",
            tunnel: "The tunnel costs extra",
            pay: "Pay",
            over: "The game is over",
        } as Record<string, string>,
        /** By phase: what someone else is doing. */
        progress: {
            tickets: (name: string) => `${name} is choosing tickets`,
            turn: (name: string) => `${name}’s turn`,
            second_card: (name: string) => `${name} is drawing a second card`,
            tunnel: (name: string) => `${name} is in a tunnel`,
            pay: (name: string) => `${name} is paying`,
            over: () => "The game is over",
        } as Record<string, (name: string) => string>,
        paying: (cities: string) => `Pay for ${cities}`,
        drawing: "Draw tickets",
        keep: (least: number) => `Keep at least ${plural(least, "ticket")}`,
        waitingForTickets: (names: string) => `Waiting for ${names} to choose tickets`,
        titleTurn: (rest: string) => `● Your turn · ${rest}`,
        lastRound: "Last round",
        lastRoundMore: (turns: number) => `${plural(turns, "turn")} left`,
        watching: "You are watching",
        spectators: (count: number) => plural(count, "spectator"),
        you: "you",
        sending: "One moment…",
        lost: "Connection lost. Reconnecting… Your game is safe.",
        mustPass: "No legal move: you have to pass",
        pass: "Pass",
        live: "Game events",
    },

    seats: {
        title: "Players",
        trains: "trains left",
        cards: "cards in hand",
        tickets: "tickets",
        points: "points from routes",
        finalPoints: "points",
        known: "Known cards",
        knownNone: "None",
        unknown: (count: number) => plural(count, "unknown card"),
        bot: (level: string) => `${level.toLowerCase()} bot`,
        standIn: "a bot is playing",
        resigned: "resigned",
        botPlays: "played by a bot",
        away: "away",
        here: "on this device",
        chosen: "ready",
        about: (name: string) => `About ${name}`,
        starts: "first player",
        clock: "time left",
    },

    draw: {
        title: "Cards to draw",
        deck: (count: number) => `Draw from the deck, ${plural(count, "card")} left`,
        take: (colour: string) => `Take ${colour}`,
        takeFrom: (place: number, colour: string) => `Take ${colour}, place ${place + 1}`,
        place: (place: number, colour: string) => `Place ${place + 1}: ${colour}`,
        empty: (place: number) => `Place ${place + 1} is empty`,
        tickets: (count: number) => `Draw tickets, ${plural(count, "ticket")} left`,
        discard: (count: number) => `${plural(count, "card")} discarded`,
        hint: "Take a face-up card or draw from the deck. You draw two cards per turn, one after the other.",
        confirm: (count: number) => `Draw ${plural(count, "ticket")}?`,
        confirmMore: (keep: number) => `You have to keep at least ${inWords(keep)} of them. Tickets you don’t complete cost their points.`,
        confirmYes: (count: number) => `Draw ${plural(count, "ticket")}`,
    },

    hand: {
        title: "Your cards",
        none: "You have no cards.",
        lay: (colour: string, left: number) => `Use one ${colour}, ${left} left in hand`,
        takeBack: (colour: string) => `Take back one ${colour}`,
    },

    tickets: {
        title: "Your tickets",
        none: "You have no tickets.",
        joined: "completed",
        open: (trains: number) => `needs ${plural(trains, "train")}`,
        impossible: "can’t be completed",
        show: (cities: string) => `Show ${cities} on the map`,
        hint: "Tap a ticket to see its cities and the shortest open route.",
        returned: "Tickets you returned",
        bonus: "Bonus cards",
        worth: (points: number) => `worth ${plural(points, "point")}`,
    },

    offer: {
        title: "New tickets",
        first: "Your first tickets",
        hint: "Tap the tickets to keep. Completed tickets score their points at the end; the others cost them.",
        keep: (count: number) => (count === 0 ? "Keep …" : `Keep ${plural(count, "ticket")}`),
        ticket: (cities: string, points: number, needs: string) => `${cities}, ${plural(points, "point")}, ${needs}`,
    },

    pay: {
        with: (cards: string) => `Pay ${cards}`,
        confirm: (points: number) => `Claim for ${plural(points, "point")}`,
        confirmTunnel: "Try the tunnel",
        payments: "Ways to pay",
        custom: "Other cards",
        proposed: "Suggested",
        customHint: "Tap cards in your hand to use them.",
        laid: "Chosen cards",
        none: "No cards chosen yet",
        enough: "These cards pay for the route.",
        notYet: "These cards don’t pay for the route exactly.",
        checking: "Checking…",
        nearby: "Or did you mean",
        tunnelHint: (cards: number) => `We turn over ${cardsInWords(cards)}. Each match costs you one more card.`,
        needs: (price: string) => `Costs ${price}`,
    },

    tunnel: {
        title: (route: string) => `Tunnel ${route}`,
        revealed: "Turned over",
        laid: "You paid",
        owed: (count: number, colour: string) =>
            `${plural(count, "extra card")}: ${colour === "locomotive" ? "" : `${colour} or `}${count === 1 ? "locomotive" : "locomotives"}`,
        add: (cards: string) => `Add ${cards}`,
        giveUp: "Give up and take your cards back",
        cannot: "You can’t pay that.",
        nothing: "No extra cards needed",
        extra: (count: number) => `${plural(count, "extra card")} needed`,
    },

    pass: {
        title: (name: string) => `Pass the device to ${name}`,
        more: "All cards are hidden. Hand over the device, then tap.",
        confirm: (name: string) => `I am ${name}`,
        last: "What just happened",
    },

    /** On a shared device: what your move led to, before you pass the device on. */
    handOver: {
        title: "Your turn is over",
        button: (name: string) => `Hand over to ${name}`,
        drew: (cards: string) => `You drew ${cards}.`,
        claimed: (route: string, points: number) => `You claimed ${route} for ${plural(points, "point")}.`,
        gaveUp: (route: string) => `You gave up ${route} and took your cards back.`,
        kept: (tickets: string) => `You kept ${tickets}.`,
        completed: (tickets: string) => `You completed ${tickets}.`,
        passed: "You had no legal move and passed.",
        lastRound: "The last round begins.",
    },

    clock: {
        ranOut: "You ran out of time. A bot is playing for you.",
        soon: (seconds: number) => `${plural(seconds, "second")} left for your turn`,
    },

    tabs: { title: "Views", cards: "Cards", tickets: "Tickets", log: "Log", chat: "Chat", routes: "Routes" },
    routes: { title: "All routes", find: "Find a city", others: "Other routes" },

    log: { title: "Log", none: "Nothing has happened yet." },
    chat: {
        title: "Chat",
        none: "No messages yet.",
        placeholder: "Write a message",
        send: "Send",
        playersOnly: "Only players at this table can chat.",
        unread: "new",
    },

    /** The colours of trains, in the server's order. */
    trainColours: ["Crimson", "Blue", "Amber", "Violet", "Mint"],
    trainColour: "Colour of your trains",

    boards: {
        special: { ferries: "ferries", tunnels: "tunnels", draw_bonuses: "extra draws", bonus_cards: "bonus cards" },
        /** "2 to 3 players · ferries and tunnels" */
        about: ({ least_seats: least, most_seats: most, special }: BoardSummary): string =>
            [
                least === most ? english.invitation.players(least) : `${least} to ${most} players`,
                english.list(special.map((each) => english.boards.special[each])),
            ]
                .filter(Boolean)
                .join(" · "),
    },

    suggestion: {
        why: (level: string, why: "won" | "lost") =>
            why === "won"
                ? `You won twice in a row against ${english.level(level).toLowerCase()} bots.`
                : `Your last three games against ${english.level(level).toLowerCase()} bots were tough.`,
        try: (level: string) => `Try ${english.level(level)}`,
    },

    invitation: {
        from: (name: string | null, board: string) => (name === null ? `You are invited to ${board}` : `${name} invites you to ${board}`),
        players: (count: number) => plural(count, "player"),
        clock: (seconds: number | null): string =>
            seconds === null
                ? "no time limit"
                : `${(english.setup.clocks.find(([each]) => each === seconds)?.[1] ?? plural(seconds, "second")).toLowerCase()} a turn`,
        join: "Join",
        full: "Every seat is taken. You can watch once the game starts.",
        onlyHere: "This link only works on this device.",
        howOthers: "To let others at home join, start Northrail so that your network can reach it:",
        command: 'make play ARGS="--host 0.0.0.0"',
        inTheHouse: "This link works for everyone on your network.",
    },

    statistics: {
        title: "Your games",
        hint: "Your results on this device",
        played: (games: number, wins: number) => `${plural(games, "game")}, ${wins} won`,
        where: "These results are kept on this device only. Lessons don’t count.",
        shared: "Games with several players on this device are listed, but they don’t count: Northrail can’t tell which player you are.",
        none: "No finished games yet. Play one, and it will show up here.",
        games: "Games",
        wins: "Won",
        average: "Average score",
        best: "Best score",
        tickets: "Tickets completed",
        of: (part: number, whole: number) => `${part} of ${whole}`,
        groups: "By board and opponents",
        board: "Board",
        against: "Against",
        averageShort: "Average",
        bestShort: "Best",
        people: "People",
        mixed: "Mixed bots",
        opponents: (against: string): string =>
            against === "people" ? english.statistics.people : against === "mixed" ? english.statistics.mixed : english.level(against),
        list: "All games",
        won: "won",
        place: (place: number, of: number) => `place ${place} of ${of}`,
        sharedGame: "shared device",
        export: "Export",
        delete: "Delete",
        deleteSure: "Delete your games?",
        deleteMore: "This removes all results from this device. The games themselves stay on the server. You can’t undo this.",
        deleteYes: "Delete all",
    },

    /** By phase: what you have to finish first. */
    why: {
        tickets: "Choose your tickets first.",
        second_card: "Take your second card first.",
        tunnel: "Pay for the tunnel or give it up first.",
        turn: "Claim a route, or draw.",
    } as Record<string, string>,

    hint: {
        /** By what is shown already: what the button shows next. */
        button: { none: "Hint", look: "Show move", move: "Why?" } as Record<string, string>,
        compare: "Compare",
        thinking: "Thinking…",
        /** What other choices would lose, each as "Take the red card: 4.2". */
        others: (losses: string[]) => (losses.length ? `Points that others lose: ${losses.join(", ")}.` : ""),
        loss: (choice: string, points: number) => `${choice.replace(/\.$/, "")} (${oneDecimal(points)})`,
        /** By kind of choice: where to look. */
        look: {
            claim: "Look at the ringed route on the map.",
            take: "Look at the ringed card.",
            blind: "Look at the deck.",
            draw_tickets: "Look at the ticket deck.",
            keep: "Compare the points of each ticket with the trains it needs, and look for tickets that share routes.",
            tunnel: "Compare what the tunnel costs with what the route is worth.",
            give_up: "Compare what the tunnel costs with what the route is worth.",
            pass: "You have only one choice.",
        } as Record<string, string>,
        allowed: "Hints are allowed at this table.",
        notAllowed: "Hints are off at this table.",
        allow: "Allow hints",
    },

    tutor: {
        title: "Look again?",
        loses: (points: number) => `This loses about ${plural(Math.round(points), "point")}.`,
        again: "Look again",
        anyway: "Play it anyway",
    },

    score: {
        title: "Your score if the game ended now, not counting bonuses",
        sum: ({ routes, completed, open, total }: ScoreNow): string =>
            `${routes} + tickets ${completed}${open ? ` − ${open}` : ""} = ${english.number(total)}`,
        /** For narrow places. */
        brief: (score: ScoreNow): string => english.score.sum(score).replace("tickets ", ""),
        words: ({ routes, completed, open, total }: ScoreNow): string =>
            `Your score now: ${routes} for routes, plus ${completed} for completed tickets, minus ${open} for open tickets, makes a total of ${english.number(total)}.`,
        standing: (counts: [string, number][]): string => english.sentence(counts.map(([name, count]) => `${name} ${count}`).join(", ")),
        together: (tickets: number, open: number, trains: number, left: number): string => {
            const about = tickets + open > 1 ? "about " : "";
            const who = open
                ? `With your ${open === 1 ? "open ticket" : `${open} open tickets`}, ${tickets === 1 ? "this one needs" : "these need"}`
                : `${plural(tickets, "ticket")} ${tickets === 1 ? "needs" : "need"}`;
            return trains > left
                ? `${who} ${about}${trains} trains. You have ${left}.`
                : `${who} ${about}${trains} of your ${left} trains.`;
        },
        tooMany: "You can’t complete all of these.",
        wasteful: (used: number, held: number, points: number): string =>
            `This uses ${used} of your ${held} cards for ${plural(points, "point")} and helps none of your tickets.`,
    },

    takeBack: {
        title: "Take back a move",
        /** By what you did last: why it can’t be taken back. */
        why: {
            took: "You took a face-up card and a new card was turned up. Taking back would show you that card for free.",
            drew: "You have seen the card you drew. Taking back would let you look at the deck for free.",
            claimed: "Everyone has seen your claim and may plan around it.",
            tunnel_tried: "Cards were turned over for the tunnel. Taking back would show you those cards for free.",
            gave_up: "Cards were turned over for the tunnel. Taking back would show you those cards for free.",
            drew_tickets: "You have seen the tickets you drew. Taking back would let you look at them for free.",
            kept_tickets: "You have chosen your tickets and returned the others.",
            passed: "You passed because you had no other legal move.",
        } as Record<string, string>,
        pending: "You haven’t confirmed your choice yet. Cancel or choose something else.",
        none: "You haven’t made a move yet.",
        rule: "You can change your mind until you draw a card, or confirm a payment or your tickets. After that you may have seen something new, so moves are final.",
    },

    speed: "Bot speed",
    speeds: { normal: "1×", fast: "2×", instant: "Instant" },

    menu: {
        title: "Menu",
        share: "Link for spectators",
        shareMore: "Anyone with this link can watch. Hands stay hidden.",
        seatLink: "Play on another device",
        seatLinkMore: "Anyone with this link can play your seat. It works for a day.",
        handOver: "Let a bot play for me",
        handOverOther: (name: string) => `Let a bot play for ${name}`,
        takeBack: "Take back control",
        resign: "Resign",
        resignSure: "Resign from this game?",
        resignMore: "A bot will take over your seat. You can’t return to this game.",
        close: "Close table",
        closeSure: "Close this table?",
        closeMore: "The game ends without a winner. You can’t undo this.",
        standIn: "A bot is playing for you.",
        resigned: "You resigned. A bot is playing for you.",
        closedTitle: "This table is closed",
        closedMore: "The game ended without a winner.",
    },

    final: {
        routes: "Routes",
        tickets: "Tickets",
        bonus: "Bonus",
        total: "Total",
        failed: "not completed",
        ticketsOf: (name: string) => `${name}’s tickets`,
        counted: { completed: "Tickets completed", longest: "Longest path" },
        skip: "Skip",
        rematch: "Rematch",
        joinRematch: "Join rematch",
        replay: "Watch replay",
        record: "Download record",
        toTable: "Final table",
        winner: "winner",
        place: (place: number) => `Place ${place}`,
        revealing: "Revealing tickets",
        nobody: "nobody",
    },

    replay: {
        title: "Replay",
        position: "Position in the game",
        first: "Go to start",
        previous: "Previous step",
        next: "Next step",
        last: "Go to end",
        play: "Play",
        pause: "Pause",
        step: (at: number, of: number) => `Step ${at} of ${of}`,
        deal: "The deal: everyone looks at their first tickets.",
        hands: "All hands",
        keys: "Keyboard: ← → step, Home and End jump, Space plays.",
        notYet: "You can watch the replay once the game is over.",
    },

    review: {
        title: "Review",
        notYet: "You can review the game once it is over.",
        waiting: (ahead: number) => `Waiting in line: ${plural(ahead, "review")} first.`,
        running: (done: number, of: number) => `Reviewing: ${done} of ${of} choices.`,
        failed: "This game couldn’t be reviewed.",
        seats: "Whose game",
        graph: "Expected margin",
        winGraph: "Chance to win",
        wins: "Show chance to win",
        known: "as far as they could know",
        open: "with all cards open",
        position: "Choice in the game",
        choice: (at: number, of: number) => `Choice ${at} of ${of}`,
        keys: "Keyboard: ← → step, Home and End jump.",
        numbers: "Show as a table",
        turn: (turn: number) => `Turn ${turn}`,
        turnColumn: "Turn",
        result: "Result",
        parts: { start: "Where the game began", decisions: "Decisions", luck: "Luck", others: "What the others did" },
        about: "Decisions count from what our planner would have done. Luck counts for both sides.",
        decisions: "Decisions that mattered",
        noLosses: "No decision clearly lost points.",
        finds: "Good finds",
        labels: { inaccuracy: "Inaccuracy", mistake: "Mistake", blunder: "Blunder", good_find: "Good find" },
        loss: (points: number, error: number) => `loses about ${oneDecimal(points)} ± ${oneDecimal(error)} points`,
        gain: (points: number) => `about ${oneDecimal(points)} points better than the planner’s choice`,
        made: "Played",
        better: "Better",
        why: "Why",
        then: "Then",
        show: "Show on the map",
        tryAgain: "Try again",
        tryAsk: "What would you play?",
        tryBest: "That is the best choice we found.",
        tryBetter: (points: number) => `About ${oneDecimal(points)} points better than what was played.`,
        tryWorse: (points: number) => `About ${oneDecimal(points)} points worse than what was played.`,
        trySame: "That is what was played.",
        hand: "Hand",
        tickets: "Tickets",
        ticket: "Ticket",
        kept: "kept",
        returned: "returned",
        worth: "Worth then",
        brought: "Brought",
        trains: "Trains",
        turns: "Turns",
        luck: "Luck",
        luckParts: { deal: "The deal", own: "Own draws", others: "The others’ draws", hidden: "Hidden cards" },
        locomotives: (got: number, expected: number) =>
            `${plural(got, "locomotive")} from the deck, where ${oneDecimal(expected)} could be expected.`,
        decimal: (points: number) => `${points > 0.05 ? "+" : ""}${oneDecimal(points)}`,
        percent: (share: number) => `${Math.round(share * 100)} %`,
    },

    lesson: {
        learn: "Learn to play",
        offer: "Short lessons at a real table. The first takes three minutes.",
        lead: "Short lessons at a real table. You make the moves, and each lesson explains them.",
        progress: (done: number, of: number) => `${done} of ${of} lessons done`,
        title: (number: number, of: number, title: string) => `Lesson ${number} of ${of} · ${title}`,
        start: "Start",
        resume: "Continue",
        again: "Play again",
        next: "Next",
        leave: "Leave",
        done: "Lesson done!",
        isDone: "done",
        following: (title: string) => `Next lesson: ${title}`,
        play: "Play a real game",
        notThat: "Not yet: this lesson asks for a different move.",
        over: "This lesson is over. Take the next one, or play it again.",
        afterwards: "Prefer to read?",
    },

    rules: {
        title: "How to play",
        lead: "Collect cards, use them to claim routes, and connect the cities on your secret tickets. The player with the most points wins.",
        board: "Rules for",
        setup: "Setup",
        setupMore: (rules: Rules) =>
            `Every player gets ${rules.trains} trains and ${cardsInWords(rules.hand)}, looks at ${inWords(rules.first_tickets[0])} tickets and keeps at least ${inWords(rules.first_tickets[1])}. ${english.sentence(cardsInWords(rules.face_up))} ${rules.face_up === 1 ? "lies" : "lie"} face up.`,
        turn: "Your turn",
        turnMore: "Do one of these three things. The page highlights everything you can do.",
        draw: "Draw cards",
        drawMore: (rules: Rules) =>
            `Draw two cards, one after the other, from the face-up cards or the deck. A face-up card is replaced right away, before you draw the second. ${
                rules.face_up_locomotive_alone
                    ? "If you take a face-up locomotive, it is your only card this turn."
                    : "A face-up locomotive counts like any other card, so you may take two."
            }`,
        claim: "Claim a route",
        claimMore:
            "Tap a highlighted route and pay for it: one card of its colour for each space. For a gray route, choose any one colour. The page shows how you can pay, and you can cancel until you confirm. The first player to claim a route owns it.",
        tickets: "Draw tickets",
        ticketsMore: (rules: Rules) =>
            `Draw ${inWords(rules.drawn_tickets[0])} tickets and keep at least ${inWords(rules.drawn_tickets[1])}. The others ${rules.returned_go_under ? "go to the bottom of the ticket deck" : "leave the game"}.`,
        /** By where locomotives are wild; plain routes are the rest. */
        locomotivesWild: (isPlain: boolean, elsewhere: string[]): string =>
            isPlain
                ? "Locomotives are wild on every route: a locomotive can replace a card of any colour."
                : `Locomotives are not wild on plain routes. A locomotive can replace other cards only ${english.list(elsewhere)}.`,
        wildOn: { ferry: "on ferries", tunnel: "in tunnels" },
        example: "An example",
        exampleNow: (cities: string, spaces: number, colour: string) =>
            `You want the ${english.colours[colour]} route ${cities}. It has ${english.spaces(spaces)}, so it costs ${english.cards(spaces, colour)} cards. You have ${inWords(spaces - 1)}.`,
        exampleDraw: (colour: string) => `You take the ${colour} card from the row and draw another card from the deck. Your turn is over.`,
        exampleClaim: (spaces: number, colour: string, points: number) =>
            `On your next turn you pay ${english.cards(spaces, colour)} cards, put ${english.trainCount(spaces)} on the route and score ${english.points(points)}.`,
        exampleTicket: (cities: string, points: number, rest: string) =>
            `Your ticket ${cities} is worth ${english.points(points)}. ${rest ? `Once you own ${rest} too, your trains join the two cities, and the ticket is complete.` : "Your trains join the two cities, so the ticket is complete."} Any other way between them counts as well.`,
        exampleMap: (cities: string) => `Part of the map with a path for ${cities}`,
        parallel: "Parallel routes",
        parallelMore: (sizes: string[]): string =>
            `Some cities are joined by ${english.either(sizes)} routes side by side. You can never own more than one of them. How many can be claimed depends on the number of players:`,
        parallelPlayers: "Players",
        parallelSize: (size: number, count: number) => `${size === 2 ? "Double" : "Triple"} routes (${count})`,
        parallelOpen: (open: number, size: number) => (open < size ? `${open} of ${size}` : size === 2 ? "both" : `all ${size}`),
        parallelClose: "Once that many are claimed, the others close for everyone.",
        parallelList: (size: number) => (size === 2 ? "All double routes" : "All triple routes"),
        kinds: "Kinds of routes",
        kind: {
            plain: "Coloured route",
            gray: "Gray route",
            ferry: "Ferry",
            tunnel: "Tunnel",
            swap: "The long route",
        } as Record<string, string>,
        costs: (name: string, price: string) => `${name} costs ${price}.`,
        tunnelMore: (rules: Rules) =>
            `After you pay, we turn over ${cardsInWords(rules.tunnel_cards)}. Each card of your colour and each locomotive costs you one more card: your colour or a locomotive. If you can’t or don’t want to, take your cards back and your turn ends.`,
        bonusMore: (cards: number[]) =>
            `Claiming ${english.list(cards.map((count, at) => (at === 0 ? `a route marked +${count} lets you draw ${inWords(count)} extra ${count === 1 ? "card" : "cards"}` : `+${count} ${inWords(count)}`)))}.`,
        symbols: "Colours and symbols",
        worth: "Points for routes",
        spaces: "Spaces",
        points: "Points",
        end: "End of the game",
        endMore: (rules: Rules) =>
            `When a player ends a turn with ${inWords(rules.last_round_at)} or fewer trains, everyone gets one more turn, including that player. Then everyone reveals their tickets: completed tickets score their points, and the others cost them.`,
        bonuses: (rules: Rules) =>
            rules.bonus_cards_in_play > 1
                ? `${english.sentence(inWords(rules.bonus_cards_in_play))} of these bonus cards are in play in each game. If players tie for a card, each of them gets its points, even if all have zero.`
                : "There is one bonus. If players tie for it, each of them gets the points, even if all have zero.",
        /** By the names that board files use. */
        tieBreaks: {
            "completed tickets": "the most completed tickets",
            "longest path": "the longest path",
            "bonus cards": "the most bonus cards",
        } as Record<string, string>,
        tie: (criteria: readonly string[]): string =>
            criteria.length
                ? `A tie for first place is broken by ${criteria.map((each) => english.rules.tieBreaks[each] ?? each).join(", then by ")}. If players are still tied, they share the win.`
                : "Players who tie for first place share the win.",
        page: "Using this page",
        pageMore: [
            "On the map, pinch or scroll to zoom and drag to move. Double-tap to zoom in, and again to see the whole map.",
            "Tap a ticket to see its cities and the shortest open route.",
            "Tap a route or card that isn’t available to find out why.",
            "If the table allows hints, tap Hint to see where to look, then a good move, then the reason. Compare says what other choices would lose.",
            "Tap a player to see which of their cards everyone knows.",
            "With a keyboard, Tab reaches everything. On the map, the arrow keys move between highlighted routes, Enter chooses one and Escape cancels.",
            "The Routes tab lists every route in words.",
        ],
    },
};

export type Texts = typeof english;
export const texts: Texts = english;
