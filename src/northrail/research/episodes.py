"""Kernels that play the games of a `Vector`: deal, play a learner's action, let bots answer, observe.

An `Episode` is a game and what a step must remember. Bots forget everything between whole choices, and a step ends only
when a learner is to move, so an episode holds no plans.
"""

from northrail.boards.board import CITIES, NOBODY, SEATS, TICKET_WORDS, BoardStruct
from northrail.engine.knowledge import look
from northrail.engine.moves import OTHER_MOVES
from northrail.engine.rules import (
    LOGGED_BLIND,
    LOGGED_CLAIM,
    LOGGED_GIVEN_UP,
    LOGGED_KEPT,
    LOGGED_LAST_ROUND,
    LOGGED_OFFERED,
    LOGGED_PASS,
    LOGGED_TAKE,
    LOGGED_TUNNEL,
    Log,
    apply,
    count_moves,
    deal,
    is_legal,
    legal,
    nth_move,
)
from northrail.engine.scoring import ScoreTable, completed_tickets, count_winners, has_chosen, score
from northrail.engine.scratch import GameScratch
from northrail.engine.state import OVER, PAY, Moves, State, ViewStruct, advance, scaled, seeded
from northrail.kernels.bits import popcount
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.signals import post, wait_while
from northrail.kernels.structs import (
    Bytes,
    Float32s,
    Int8s,
    Int16s,
    Int64s,
    Struct,
    Structs,
    clear_struct,
    int8,
    int16,
    int32,
    int64,
    part,
)
from northrail.players.bots import BOTS, CASUAL, LEARNER, RANDOM, Bot, bot_move
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.plans import clear_plan
from northrail.research.observing import (
    EVENTS,
    HISTORY,
    PublicEvents,
    put_events,
    put_mask,
    put_view,
)

MARGIN, WIN, SCORE, STEPS = range(4)  # rewards
NEXT_STEP, SAME_STEP, DISABLED = range(3)  # when a finished game is dealt anew
RUNNING, ENDED, CUT, LOST = range(4)  # `Episode.status`; LOST: an illegal action ended it
BEGIN, SHOW, PICK, CHECK, STEP, STOP = range(6)  # jobs: what threads do for their shares of the games
JOBS = 8  # a job's number is a multiple of this, plus what to do
ASKED, DONE, PARKED = 0, 16, 32  # a worker's signals: places far enough apart for a cache line each
SIGNALS = 48  # numbers for each worker
PATIENCE = 4000  # how often an idle worker looks for a job before it sleeps: about 0.2 ms
PENALTY = -100.0  # the reward of a seat whose illegal action ends its game; -1 where rewards are wins


class Setup(Struct):
    """What all games of a vector have in common."""

    bots = part(Bot, SEATS)
    weights = part(Weights)  # of the planner whose features a layout shows
    stride = int64()  # added to a game's seed to get the seed of its next one
    most_steps = int64()  # cut a game after this many steps; 0: never
    width = int64()  # bytes of an observation
    seats = int8()
    layout = int8()
    reward = int8()
    autoreset = int8()


class Episode(Struct):
    """A game, its legal moves, and what its next step needs."""

    state = part(State)
    moves = part(Moves)  # of the seat to move
    events = part(PublicEvents)
    seed = int64()
    rng = int64()  # for the bots
    steps = int32()
    progress = int16(SEATS)  # [seat] -> points rewarded so far, where rewards are given at every step
    learner = int8()  # the seat that observes: the learner to move, or the last one that moved
    status = int8()


class StepScratch(GameScratch):
    """Scratch memory of a step."""

    noticed = part(ViewStruct)
    plan = part(Plan)
    planning = part(PlanScratch)


# --- playing ----------------------------------------------------------------------------------------------------------


@kernel
def tell(events: PublicEvents, log: Log, seat: int, choosing: int) -> None:
    """Add what a move of ``seat`` showed to everyone. ``choosing`` seats had yet to choose first tickets before it."""
    for at in range(log.lines):
        what = int(log.line[at, 0])
        which = int(log.line[at, 1])
        number = int(log.line[at, 2])
        if what == LOGGED_BLIND:  # its colour is a secret
            which = 0
        elif what == LOGGED_KEPT:  # only the number is public; of first tickets, not even that
            which = popcount(which) if choosing == 0 else 0
        elif what not in (
            LOGGED_TAKE,
            LOGGED_CLAIM,
            LOGGED_TUNNEL,
            LOGGED_GIVEN_UP,
            LOGGED_OFFERED,
            LOGGED_PASS,
            LOGGED_LAST_ROUND,
        ):
            continue
        place = int(events.count) % EVENTS
        events.what[place] = what
        events.seat[place] = seat
        events.which[place] = which
        events.number[place] = number
        events.count += 1


@entry
def play(board: BoardStruct, game: Episode, move: int, log: Log) -> None:
    """Play a legal move."""
    s = game.state
    seat = int(s.seat)
    choosing = int(s.choosing)
    apply(board, s, move, log)
    tell(game.events, log, seat, choosing)


@kernel
def answer(board: BoardStruct, setup: Setup, scratch: StepScratch, game: Episode) -> int:
    """Return the move of the bot to move, from its view."""
    s = game.state
    seat = int(s.seat)
    bot = setup.bots[seat]
    look(board, s, seat, scratch.seen)
    if s.phase != PAY:  # seats share a plan, and a claim is paid as planned
        clear_plan(scratch.plan)
    if bot.plays in (RANDOM, CASUAL):
        game.rng = advance(game.rng)
    return bot_move(
        board,
        scratch.seen,
        bot,
        scratch.planning,
        scratch.plan,
        scratch.moves,
        scratch.noticed,
        game.seed + seat,
        game.rng,
    )


@kernel
def play_bots(board: BoardStruct, setup: Setup, scratch: StepScratch, game: Episode) -> None:
    """Let bots play until a learner is to move or the game is over."""
    s = game.state
    while s.phase != OVER and setup.bots[s.seat].plays != LEARNER:
        play(board, game, answer(board, setup, scratch, game), scratch.log)
    if s.phase == OVER:
        game.status = ENDED
    else:
        game.learner = s.seat


@kernel
def begin(board: BoardStruct, setup: Setup, scratch: StepScratch, game: Episode, seed: int) -> None:
    """Deal a game and play it up to a learner's first move."""
    clear_struct(game)
    game.seed = seed
    game.rng = seeded(seed + BOTS)
    deal(board, game.state, setup.seats, NOBODY, seed, scratch.log)
    while setup.bots[game.learner].plays != LEARNER:
        game.learner += 1
    play_bots(board, setup, scratch, game)


# --- rewards ----------------------------------------------------------------------------------------------------------


@kernel
def standing(board: BoardStruct, s: State, seat: int) -> int:
    """Return a seat's points for routes and tickets, which it knows; bonus cards depend on what others hide."""
    if not has_chosen(s, seat):
        return int(s.points[seat])
    roots = int8.empty(CITIES)
    done = int64.empty(TICKET_WORDS)
    return int(s.points[seat]) + completed_tickets(board, s, seat, roots, done)


@kernel
def final_reward(setup: Setup, table: ScoreTable, seat: int) -> float:
    """Return a seat's reward at the end of a game."""
    seats = int(setup.seats)
    total = int(table.total[seat])
    if setup.reward == WIN:
        share = float(table.winner[seat]) / count_winners(table, seats)
        return (share * seats - 1.0) / (seats - 1)
    if setup.reward == MARGIN:
        best = -32768
        for other in range(seats):
            if other != seat:
                best = max(best, int(table.total[other]))
        return float(total - best)
    return float(total)


@kernel
def give_rewards(
    board: BoardStruct,
    setup: Setup,
    scratch: StepScratch,
    game: Episode,
    at: int,
    rewards: Float32s,
    scores: Int16s,
) -> None:
    """Write the rewards of a step, and the scores if the game is over."""
    seats = int(setup.seats)
    for seat in range(seats):
        rewards[at * seats + seat] = 0.0
        scores[at * seats + seat] = 0
    if game.status == ENDED:
        score(board, game.state, scratch.table, False)
        for seat in range(seats):
            scores[at * seats + seat] = scratch.table.total[seat]
            rewards[at * seats + seat] = final_reward(setup, scratch.table, seat) - game.progress[seat]
    elif game.status == LOST:
        rewards[at * seats + int(game.learner)] = -1.0 if setup.reward == WIN else PENALTY
    elif setup.reward == STEPS:
        for seat in range(seats):
            now = standing(board, game.state, seat)
            rewards[at * seats + seat] = float(now - int(game.progress[seat]))
            game.progress[seat] = now


# --- observing --------------------------------------------------------------------------------------------------------


@kernel
def put_observation(
    board: BoardStruct, setup: Setup, scratch: StepScratch, game: Episode, seat: int, obs: Bytes, start: int
) -> None:
    """Write what ``seat`` observes."""
    look(board, game.state, seat, scratch.seen)
    layout = int(setup.layout)
    at = put_view(board, scratch.seen, setup.weights, scratch.planning, scratch.plan, layout, obs, start)
    if layout == HISTORY:
        put_events(scratch.seen, game.events, obs, at)


@kernel
def show(
    board: BoardStruct,
    setup: Setup,
    scratch: StepScratch,
    game: Episode,
    at: int,
    obs: Bytes,
    mask: Bytes,
    to_move: Int8s,
) -> None:
    """Write a learner's observation and its legal moves; no moves if the game is over."""
    put_observation(board, setup, scratch, game, int(game.learner), obs, at * int(setup.width))
    if game.status == RUNNING:
        legal(board, scratch.seen, game.moves)
    else:
        clear_struct(game.moves)
    put_mask(board, game.moves, mask, at * (int(board.routes) + OTHER_MOVES))
    to_move[at] = game.learner


@entry
def observe(
    board: BoardStruct, setup: Setup, scratch: StepScratch, games: Structs[Episode], at: int, seat: int, obs: Bytes
) -> None:
    """Write what ``seat`` observes of one game."""
    put_observation(board, setup, scratch, games[at], seat, obs, 0)


@kernel
def show_all(
    board: BoardStruct,
    setup: Setup,
    scratch: StepScratch,
    games: Structs[Episode],
    count: int,
    obs: Bytes,
    mask: Bytes,
    to_move: Int8s,
) -> None:
    """Write the observations and legal moves of all games."""
    for at in range(count):
        show(board, setup, scratch, games[at], at, obs, mask, to_move)


# --- many games -------------------------------------------------------------------------------------------------------


@kernel
def begin_all(
    board: BoardStruct,
    setup: Setup,
    scratch: StepScratch,
    games: Structs[Episode],
    count: int,
    wanted: Int8s,
    seeds: Int64s,
) -> None:
    """Deal the games that are wanted, each with its seed."""
    for at in range(count):
        if wanted[at]:
            begin(board, setup, scratch, games[at], seeds[at])


@kernel
def find_illegal(board: BoardStruct, games: Structs[Episode], count: int, actions: Int64s) -> int:
    """Return the first running game whose action is not legal, or NOBODY."""
    most = int(board.routes) + OTHER_MOVES
    for at in range(count):
        action = int(actions[at])
        if games[at].status == RUNNING:
            if action < 0 or action >= most or not is_legal(board, games[at].moves, action):
                return at
    return NOBODY


@kernel
def step_all(
    board: BoardStruct,
    setup: Setup,
    scratch: StepScratch,
    games: Structs[Episode],
    count: int,
    actions: Int64s,
    obs: Bytes,
    mask: Bytes,
    to_move: Int8s,
    rewards: Float32s,
    terminated: Int8s,
    truncated: Int8s,
    scores: Int16s,
    final_obs: Bytes,
) -> None:
    """Play an action in every game and write what follows. A running game loses by an illegal action."""
    for at in range(count):
        game = games[at]
        if game.status != RUNNING:
            if setup.autoreset == NEXT_STEP:
                begin(board, setup, scratch, game, game.seed + setup.stride)
            give_nothing(setup, at, rewards, terminated, truncated, scores)
            show(board, setup, scratch, game, at, obs, mask, to_move)
            continue
        action = int(actions[at])
        game.learner = game.state.seat
        game.steps += 1
        if action < 0 or action >= board.routes + OTHER_MOVES or not is_legal(board, game.moves, action):
            game.status = LOST
        else:
            play(board, game, action, scratch.log)
            play_bots(board, setup, scratch, game)
            if game.status == RUNNING and game.steps == setup.most_steps:
                game.status = CUT
        give_rewards(board, setup, scratch, game, at, rewards, scores)
        terminated[at] = game.status in (ENDED, LOST)
        truncated[at] = game.status == CUT
        if game.status != RUNNING and setup.autoreset == SAME_STEP:
            put_observation(board, setup, scratch, game, int(game.learner), final_obs, at * int(setup.width))
            begin(board, setup, scratch, game, game.seed + setup.stride)
        show(board, setup, scratch, game, at, obs, mask, to_move)


@kernel
def give_nothing(setup: Setup, at: int, rewards: Float32s, terminated: Int8s, truncated: Int8s, scores: Int16s) -> None:
    """Write that a step brought nothing."""
    for seat in range(setup.seats):
        rewards[at * int(setup.seats) + seat] = 0.0
        scores[at * int(setup.seats) + seat] = 0
    terminated[at] = 0
    truncated[at] = 0


@kernel
def pick_random(board: BoardStruct, games: Structs[Episode], count: int, rng: Int64s, actions: Int64s) -> None:
    """Pick a random legal action for each running game, and 0 for the others. Each game has its own generator."""
    for at in range(count):
        actions[at] = 0
        if games[at].status == RUNNING:
            rng[at] = advance(rng[at])
            actions[at] = nth_move(board, games[at].moves, scaled(rng[at], count_moves(board, games[at].moves)))


# --- threads ----------------------------------------------------------------------------------------------------------


@entry(threads=True)
def work(
    job: int,
    board: BoardStruct,
    setup: Setup,
    scratch: StepScratch,
    games: Structs[Episode],
    count: int,
    wanted: Int8s,
    seeds: Int64s,
    rng: Int64s,
    picked: Int64s,
    actions: Int64s,
    illegal: Int64s,
    obs: Bytes,
    mask: Bytes,
    to_move: Int8s,
    rewards: Float32s,
    terminated: Int8s,
    truncated: Int8s,
    scores: Int16s,
    final_obs: Bytes,
) -> None:
    """Do a job for one share of the games."""
    if job == PICK:
        pick_random(board, games, count, rng, picked)
    elif job == CHECK:
        illegal[0] = find_illegal(board, games, count, actions)
    elif job == STEP:
        step_all(
            board,
            setup,
            scratch,
            games,
            count,
            actions,
            obs,
            mask,
            to_move,
            rewards,
            terminated,
            truncated,
            scores,
            final_obs,
        )
    else:
        if job == BEGIN:
            begin_all(board, setup, scratch, games, count, wanted, seeds)
        show_all(board, setup, scratch, games, count, obs, mask, to_move)


@entry
def ask(signals: Int64s, job: int) -> bool:
    """Give a worker a job; return whether it sleeps, so that you must wake it."""
    post(signals, ASKED, (signals[ASKED] // JOBS + 1) * JOBS + job)
    return wait_while(signals, PARKED, 1, 0) == 1


@entry(threads=True)
def wait_for_workers(signals: Int64s, workers: int) -> None:
    """Wait until all workers have done what they were asked for."""
    for worker in range(workers):
        asked = signals[worker * SIGNALS + ASKED]
        done = 0
        while done < asked:
            done = wait_while(signals, worker * SIGNALS + DONE, done, PATIENCE)


@entry(threads=True)
def serve(
    signals: Int64s,
    board: BoardStruct,
    setup: Setup,
    scratch: StepScratch,
    games: Structs[Episode],
    count: int,
    wanted: Int8s,
    seeds: Int64s,
    rng: Int64s,
    picked: Int64s,
    actions: Int64s,
    illegal: Int64s,
    obs: Bytes,
    mask: Bytes,
    to_move: Int8s,
    rewards: Float32s,
    terminated: Int8s,
    truncated: Int8s,
    scores: Int16s,
    final_obs: Bytes,
) -> bool:
    """Do jobs as they come; return whether to sleep until there is another one. The alternative is to stop."""
    post(signals, PARKED, 0)
    done = int(signals[DONE])
    while True:
        asked = wait_while(signals, ASKED, done, PATIENCE)
        if asked == done:
            post(signals, PARKED, 1)
            asked = wait_while(signals, ASKED, done, 0)
            if asked == done:
                return True
            post(signals, PARKED, 0)
        job = asked % JOBS
        if job == STOP:
            return False
        work(
            job,
            board,
            setup,
            scratch,
            games,
            count,
            wanted,
            seeds,
            rng,
            picked,
            actions,
            illegal,
            obs,
            mask,
            to_move,
            rewards,
            terminated,
            truncated,
            scores,
            final_obs,
        )
        done = asked
        post(signals, DONE, done)
