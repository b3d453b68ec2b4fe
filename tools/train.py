"""Train the network that judges situations for the search, and keep it if its search wins more games.

Run by `make train`; an hour or two on two cores for each board. It plays games of the quick planner and games of
searches with the present network, with all numbers of seats. Then it fits a network to how they ended and to what the
searches expected, and lets searches with the new and the present network play each other at equal effort. The games and
each epoch are kept in .cache/train, so you can stop at any time and continue later.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from northrail import Board, load_board, load_player
from northrail.arena import Contest, results_here
from northrail.arena.standings import standings
from northrail.arena.workers import cores
from northrail.boards.board import ROUTE_BITS, SEATS, TICKET_BITS
from northrail.cli.common import plain_errors
from northrail.extras import import_extra
from northrail.kernels.structs import copy_struct
from northrail.players.plan_structs import Weights
from northrail.players.planner import PATIENT, PLAYOUTS, fill_weights, tuned_weights
from northrail.players.search import USUAL_SETTINGS
from northrail.players.training import UNKNOWN, Example, Recipe, TrainingScratch, gather
from northrail.players.tree import TreeScratch
from northrail.players.value import ENDS, FIRST, MARGIN_UNIT, NUMBERS, SECOND, SETS, TICKET_SETS, Net, net_of, save_net

ROOT = Path(__file__).parent.parent
PLAYERS = ROOT / "src" / "northrail" / "players"
CACHE = ROOT / ".cache" / "train"

QUICK, SEARCHED = KINDS = ("quick", "searched")  # who plays: quick planners only, or searches among them
NOISE = {QUICK: 0.04, SEARCHED: 0.02}  # the chance of a random move at a turn
RATE = {QUICK: 0.12, SEARCHED: 0.9}  # the chance that a turn becomes an example
PLANNERS = {QUICK: 1.0, SEARCHED: 0.15}  # the chance that a planner plays a seat
BOLD = 0.4  # the chance that a search makes the move it likes best, however unsure it is
LOOK_BACK = 0.93  # how much of a situation's worth comes from later turns; the rest is what the search expected there
PARTS = {QUICK: 10, SEARCHED: 50}  # files in which the examples are kept
TURNS = 120  # more turns than a game has in all, so that there is room for its examples
VARIANTS, PLAIN = 24, 8  # sets of weights that play each other, and how many of them are the planner's own
SPREAD = 0.25  # how far the others are from the planner's, as the deviation of the logarithm
SEEDS = 20_000_000  # the first deal for training, then more for each number of seats; contests play others
MATCH = 70_000_000  # the first deal of the last comparison
TESTED = 20  # one game in so many tests the network and does not train it
BATCH = 2048
LEAST_SEARCHED = 0.12  # share of examples of searches in an epoch; if there are fewer, they come several times
# There are many examples of each searched game. Without these, the network would learn their results by heart.
DROPOUT, DECAY, RESULTS = 0.3, 1e-2, 0.3  # RESULTS: what their final results count for


@dataclass(frozen=True)
class Training:
    """What to train for, and how long."""

    board: Board
    games: int  # of the quick planner with two seats; with more seats fewer, because each has more turns
    searched: int  # the same of searches
    iterations: int  # of these searches
    epochs: int
    seed: int

    @property
    def command(self) -> str:
        """The command that trains such a network again."""
        options = ("games", "searched", "iterations", "epochs", "seed")
        given = " ".join(f"--{name} {getattr(self, name)}" for name in options)
        return f'make train ARGS="--board {self.board.id} {given}"'

    @property
    def teacher(self) -> Net | None:
        """The present network, with which searches play."""
        return net_of(self.board.digest)

    def folder(self, kind: str) -> Path:
        """Where games of a kind are kept."""
        if kind == QUICK:
            return CACHE / f"{self.board.id}-{self.games}-{self.seed}"
        teacher = hashlib.sha256(bytes(self.teacher or b"")).hexdigest()[:8]
        return CACHE / f"{self.board.id}-{self.searched}-{self.iterations}-{self.seed}-{teacher}"

    @property
    def fitted(self) -> Path:
        """Where its network is kept, with the state of its training."""
        return self.folder(SEARCHED) / f"fitted-{self.games}-{self.epochs}"


# --- games ------------------------------------------------------------------------------------------------------------


def variants(board: Board, rng: np.random.Generator) -> Any:
    """Return sets of weights for the players: the quick planner's own, and others near them.

    Half of the others also draw tickets long before their plan is done, because the search considers that, too.
    """
    own = tuned_weights(board.id, PLAYOUTS)
    players = Weights.many(VARIANTS)
    for number, player in enumerate(players):
        given = dict(own)
        if number >= PLAIN:
            given = {name: weight * float(np.exp(rng.normal(0, SPREAD))) for name, weight in own.items()}
            if number % 2:
                given |= {"tickets_busy": float(rng.uniform(0, 12)), "tickets_turns": float(rng.uniform(0, 10))}
        fill_weights(player, board, given)
    return players


def recipe_of(training: Training, kind: str) -> Recipe:
    """Return how games of a kind are played."""
    recipe = Recipe()
    recipe.noise, recipe.rate, recipe.planners = NOISE[kind], RATE[kind], PLANNERS[kind]
    recipe.iterations = training.iterations
    recipe.bold, recipe.doubt = BOLD, USUAL_SETTINGS["doubt"]
    for name, value in USUAL_SETTINGS.items():
        setattr(recipe.settings, name, value)
    recipe.settings.network = training.teacher is not None
    fill_weights(recipe.root, training.board, {}, PATIENT)
    fill_weights(recipe.quick, training.board, {}, PLAYOUTS)
    return recipe


def examples_of(training: Training, kind: str, seats: int, games: int, number: int) -> dict[str, Any]:
    """Play a part of the games of a kind and return their examples."""
    board = training.board
    seed = SEEDS * training.seed + (seats + KINDS.index(kind) * SEATS) * 1_000_000 + number * games
    players = variants(board, np.random.default_rng(seed))
    trees = TreeScratch.many(1)
    if training.teacher is not None:
        copy_struct(trees[0].net, training.teacher)
    examples = Example.many(int(games * TURNS * RATE[kind]))
    given = board.struct, TrainingScratch(), recipe_of(training, kind), players, len(players), trees
    found = examples.array[: gather(*given, seats, seed, games, examples, len(examples))]
    return {
        "numbers": found["inputs"]["numbers"].astype(np.float16),
        "routes": found["inputs"]["routes"],
        "tickets": found["inputs"]["tickets"],
        "won": found["won"],
        "margin": found["margin"] / np.float32(MARGIN_UNIT),
        "worth": found["worth"],
        "game": found["game"],
        "seat": found["seat"],
    }


def play(training: Training) -> Iterator[Path]:
    """Play what is missing of the games; yield the files with their examples."""
    least, most = training.board.rules.seats
    parts = [
        (kind, seats, games * least // (seats * seats * PARTS[kind]) + 1, number)
        for kind, games in ((QUICK, training.games), (SEARCHED, training.searched))
        for seats in range(least, most + 1)
        for number in range(PARTS[kind])
        if games
    ]

    def keep(part: tuple[str, int, int, int]) -> Path:
        kind, seats, games, number = part
        path = training.folder(kind) / f"{seats}-seats-{number}.npz"
        if not path.exists():
            content = examples_of(training, kind, seats, games, number)
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".tmp.npz")
            np.savez(unfinished, **content)
            unfinished.replace(path)
        return path

    with ThreadPoolExecutor(cores()) as crew:
        yield from crew.map(keep, parts)


def bits(words: Any, count: int, word_bits: int) -> Any:
    """Return sets of ``count`` routes or tickets as zeros and ones, one column for each member of each set."""
    places = np.arange(count)
    columns = (words[:, :, places // word_bits] >> (places % word_bits) & 1).astype(np.uint8)
    return columns.reshape(len(words), words.shape[1] * count)  # also if there are no examples


# --- training ---------------------------------------------------------------------------------------------------------


def examples_in(files: list[Path], board: Board) -> dict[str, Any]:
    """Return all examples in some files, their sets of routes and tickets as columns."""
    contents = []
    for file in files:
        content = dict(np.load(file))
        routes = bits(content.pop("routes"), len(board.routes), ROUTE_BITS)
        tickets = bits(content.pop("tickets"), len(board.tickets), TICKET_BITS)
        contents.append(content | {"sets": np.hstack([routes, tickets])})
    return {name: np.concatenate([content.pop(name) for content in contents]) for name in list(contents[0])}


def targets(data: dict[str, Any]) -> Any:
    """Return what each situation was worth, from how the game ended and what searches expected at later turns.

    The later a turn, the less it counts, and the end has the rest (the lambda-return of temporal-difference learning).
    Examples of a seat in a game follow each other in the order of its turns.
    """
    margin, win = (np.float32(USUAL_SETTINGS[name]) for name in ("margin", "win"))
    worth = win * data["won"] + (1 - win) * (0.5 + 0.5 * np.tanh(data["margin"] * MARGIN_UNIT / margin))
    order = np.lexsort((-np.arange(len(worth)), data["seat"], data["game"]))  # last turns first
    game, seat, expected = (data[name][order] for name in ("game", "seat", "worth"))
    found = worth[order]
    for at in range(1, len(found)):
        if game[at] == game[at - 1] and seat[at] == seat[at - 1] and expected[at - 1] != UNKNOWN:
            found[at] = LOOK_BACK * found[at - 1] + (1 - LOOK_BACK) * expected[at - 1]
    worth[order] = found
    return worth


def fit(training: Training, files: list[Path]) -> dict[str, Any]:
    """Fit a network to the examples; return its weights by the names of `Net`. Prints and keeps its learning curve."""
    torch = import_extra("torch", "train")
    torch.manual_seed(training.seed)
    data = examples_in(files, training.board)
    data["is_searched"] = data["worth"] != UNKNOWN
    data["worth"] = targets(data)
    sets = data["sets"]
    is_test = data["game"] % TESTED == 0
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    searched = train[data["is_searched"][train]]
    if len(searched):
        train = np.concatenate([train] + [searched] * round(LEAST_SEARCHED * len(train) / len(searched) - 1))

    layers = torch.nn.ModuleDict(
        {
            "numbers": torch.nn.Linear(NUMBERS, FIRST),
            "sets": torch.nn.Linear(sets.shape[1], FIRST, bias=False),
            "between": torch.nn.Linear(FIRST, SECOND),
            "last": torch.nn.Linear(SECOND, ENDS),
        }
    )
    torch.nn.init.normal_(layers["sets"].weight, 0, 0.02)
    steps = len(train) // BATCH
    optimiser = torch.optim.AdamW(layers.parameters(), weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps * training.epochs, pct_start=0.1)

    def loss_of(rows: Any) -> Any:
        numbers = torch.from_numpy(data["numbers"][rows].astype(np.float32))
        first = torch.relu(layers["numbers"](numbers) + layers["sets"](torch.from_numpy(sets[rows]).float()))
        first = torch.nn.functional.dropout(first, DROPOUT, layers.training)
        ends = layers["last"](torch.relu(layers["between"](first)))
        won, margin, worth = (torch.from_numpy(data[name][rows]) for name in ("won", "margin", "worth"))
        win = USUAL_SETTINGS["win"]
        scored = torch.tanh(ends[:, 1] * (MARGIN_UNIT / USUAL_SETTINGS["margin"]))
        expected = win * torch.sigmoid(ends[:, 0]) + (1 - win) * (0.5 + 0.5 * scored)
        counts = torch.from_numpy(np.where(data["is_searched"][rows], RESULTS, 1).astype(np.float32))
        losses = torch.nn.functional
        return (
            (counts * losses.binary_cross_entropy_with_logits(ends[:, 0], won, reduction="none")).mean()
            + 2 * losses.binary_cross_entropy(expected.clamp(1e-4, 1 - 1e-4), worth)
            + 0.25 * (counts * losses.smooth_l1_loss(ends[:, 1], margin, reduction="none")).mean()
        )

    kept = training.fitted.with_suffix(".pt")
    done = 0
    if kept.exists():
        state = torch.load(kept)
        done = state["done"]
        for part, name in ((layers, "layers"), (optimiser, "optimiser"), (schedule, "schedule")):
            part.load_state_dict(state[name])
    for epoch in range(done, training.epochs):
        order = np.random.default_rng(training.seed + epoch).permutation(train)
        for step in range(steps):
            loss = loss_of(order[step * BATCH : (step + 1) * BATCH])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        layers.eval()
        with torch.no_grad():
            tested = float(np.mean([float(loss_of(rows)) for rows in np.array_split(test, len(test) // BATCH + 1)]))
        layers.train()
        typer.echo(f"epoch {epoch + 1} of {training.epochs}: loss {tested:.4f} on {len(test):,} other examples")
        with training.fitted.with_suffix(".jsonl").open("a", encoding="utf-8") as curve:
            curve.write(json.dumps({"epochs": training.epochs, "epoch": epoch + 1, "loss": tested}) + "\n")
        parts = {"layers": layers, "optimiser": optimiser, "schedule": schedule}
        torch.save({"done": epoch + 1} | {name: part.state_dict() for name, part in parts.items()}, kept)

    weights = {name: tensor.detach().numpy().T for name, tensor in layers.named_parameters()}
    routes, tickets = len(training.board.routes), len(training.board.tickets)
    of_routes, of_tickets = np.split(weights["sets.weight"], [SETS * routes])
    return {
        "numbers": weights["numbers.weight"],
        "routes": of_routes.reshape(SETS, routes, FIRST),
        "tickets": of_tickets.reshape(TICKET_SETS, tickets, FIRST),
        "first": weights["numbers.bias"],
        "between": weights["between.weight"],
        "second": weights["between.bias"],
        "last": weights["last.weight"],
        "ends": weights["last.bias"],
    }


# --- the command ------------------------------------------------------------------------------------------------------


def share_of(training: Training, network: Path, games: int, effort: int) -> float:
    """Return the share of two-seat games that a search with a new network wins against the present search."""
    names = f"search:effort={effort},network={str(network)!r}", f"search:effort={effort}"
    contest = Contest(training.board, tuple(map(load_player, names)), 2, MATCH)
    found = standings(list(results_here(contest, range(games))))
    return next(one.wins[0] for one in found if one.player == names[0])


def train(
    board: Annotated[str, typer.Option(metavar="NAME", help="The board to train for.")] = "nordic-countries",
    games: Annotated[int, typer.Option(min=0, help="Games of the quick planner to learn from.")] = 400_000,
    searched: Annotated[int, typer.Option(min=0, help="Games of searches to learn from.")] = 12_000,
    iterations: Annotated[int, typer.Option(min=8, help="Iterations of these searches.")] = 200,
    epochs: Annotated[int, typer.Option(min=1, help="How often to go through all examples.")] = 3,
    seed: Annotated[int, typer.Option(min=1, help="The same seed plays the same games.")] = 1,
    match: Annotated[int, typer.Option(min=2, help="Games against the present search.")] = 400,
    effort: Annotated[int, typer.Option(min=1, help="Effort of both searches in these games.")] = 100,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to write the network.")] = PLAYERS,
) -> None:
    """Train the network of a board, and write it if its search wins more than half. Ctrl-C keeps what is done."""
    with plain_errors():
        import_extra("torch", "train")
        training = Training(load_board(board), games, searched, iterations, epochs, seed)
        typer.echo(f"playing games into {CACHE}")
        weights = fit(training, list(play(training)))
        candidate = training.fitted.with_suffix(".npz")
        save_net(candidate, training.board, weights, training.command)
        share = share_of(training, candidate, match, effort)
        typer.echo(f"its search wins {share:.1%} of {match} games against the present one")
        if share > 0.5:
            target = out / f"{training.board.id}.npz"
            target.write_bytes(candidate.read_bytes())
            typer.echo(f"{target}: written")


if __name__ == "__main__":
    sys.argv[0] = "make train"
    typer.run(train)
