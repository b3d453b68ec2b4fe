"""The last round, solved exactly, against brute force: every world one by one, played with the engine."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import Any

import pytest
from positions import LIGHTS, NORDIC, Cards, all_cards, at
from worlds import hidden_cards

from northrail import Board, Game
from northrail.analysis.endings import TooFar, solve
from northrail.boards.board import COLOURS
from northrail.engine.choices import Claim, DrawTickets, Keep

TICKET_BONUSES = ["Capital investment", "Local network", "Polar Express", "Nordic Express"]


def ways(count: int, pile: Counter[str]) -> Iterator[tuple[int, Counter[str]]]:
    """Yield every choice of this many cards, and the number of ways to draw it from a pile."""
    for cards in combinations_with_replacement(COLOURS, count):
        drawn = Counter(cards)
        if drawn <= pile:
            yield prod(comb(pile[colour], number) for colour, number in drawn.items()), drawn


def worlds(game: Game) -> Iterator[tuple[int, Game]]:
    """Yield every world that looks the same to the seat to move, with the number of ways to deal it."""
    position, me = game.position(), game.seat
    other = 1 - me
    hidden = hidden_cards(position, other)
    pile = Counter(position["deck"]) + hidden
    seen = [*position["tickets"][me], *position["returned"][me], *position["offered"]]
    pool = [list(ticket.cities) for ticket in game.board.tickets]
    pool = [cities for cities in pool if cities not in seen]
    for number, drawn in ways(hidden.total(), pile):
        hand = Counter(position["hands"][other]) - hidden + drawn
        for held in combinations(pool, len(position["tickets"][other])):
            new = position | {"deck": dict(pile - drawn)}
            for name, ours, theirs in (
                ("tickets", position["tickets"][me], list(held)),
                ("hands", position["hands"][me], dict(hand)),
                ("returned", position["returned"][me], []),
            ):
                new[name] = [ours, theirs] if me == 0 else [theirs, ours]
            new["ticket_deck"] = [cities for cities in pool if cities not in held][: len(position["ticket_deck"])]
            yield number, Game.from_position(game.board, new)


def margin(game: Game, seat: int) -> int:
    totals = [score.total for score in game.scores()]
    return totals[seat] - totals[1 - seat]


def after_reply(game: Game, me: int) -> int:
    """Return the margin after the reply of the other seat that hurts most."""
    found = [margin(game, me)]
    if not game.over:
        for choice in game.view(game.seat).choices:
            if isinstance(choice, Claim):
                assert not game.board.routes[choice.route].tunnel
                reply = game.copy()
                reply.apply(choice)
                found.append(margin(reply, me))
    return min(found)


def turned_over(game: Game, claim: Claim) -> float:
    """Return what a tunnel is worth at the very last turn, over all cards that may be turned over."""
    position, total, worth = game.position(), 0, 0.0
    me, pile = game.seat, Counter(position["deck"])
    for number, turned in ways(game.board.rules.tunnel_cards, pile):
        left = dict(pile - turned + Counter(position["discard"]))
        world = Game.from_position(game.board, position | {"deck": dict(turned), "discard": left})
        world.apply(claim)
        if world.phase == "tunnel":
            world.apply(world.view(me).choices[0])  # a payment if there is one, or giving up
        worth += number * margin(world, me)
        total += number
    return worth / total


def by_brute_force(game: Game) -> dict[str, float]:
    """Return what each move is worth except drawing tickets."""
    me, sums, total = game.seat, Counter[str](), 0
    for number, world in worlds(game):
        total += number
        here: dict[str, float] = {}
        for choice in world.view(me).choices:
            match choice:
                case DrawTickets():
                    continue
                case Claim() if game.board.routes[choice.route].tunnel:
                    assert world.view(me).turns_left == 1
                    text, worth = f"claim {game.board.routes[choice.route]}", turned_over(world, choice)
                    here[text] = max(worth, here.get(text, worth))
                    continue
                case Claim():
                    text = f"claim {game.board.routes[choice.route]}"
                    after = world.copy()
                    after.apply(choice)
                case Keep():
                    text = "keep " + ", ".join(str(game.board.tickets[ticket]) for ticket in choice.tickets)
                    after = world.copy()
                    after.apply(choice)
                case _:  # cards come too late; the other seat has its turn
                    text = f"take {getattr(choice, 'colour', 'blind')}"
                    position = world.position()
                    left = position["turns_left"] - 1
                    turn = {"seat": 1 - me, "turns_left": left} if left else {}
                    after = Game.from_position(game.board, position | turn)
                    if not left:
                        here[text] = margin(after, me)
                        continue
            here[text] = after_reply(after, me)
        for text, worth in here.items():
            sums[text] += number * worth  # type: ignore[assignment]  # a Counter adds floats too
    return {text: worth / total for text, worth in sums.items()}


def check(game: Game) -> dict[str, float]:
    solved = solve(game.view(game.seat))
    exact = {move: each.margin for move, each in solved.items() if not each.at_most}
    expected = by_brute_force(game)
    assert exact == pytest.approx(expected)
    return exact


OURS = "–".join(NORDIC.tickets[0].cities)
FREE = [list(each.cities) for each in NORDIC.tickets[1:]]
# One of each pair of parallel tunnels. They have owners, because brute force claims no tunnels in a reply.
TUNNELS = [*{each.cities: at for at, each in enumerate(NORDIC.routes) if each.tunnel}.values()]
ROW = dict.fromkeys(("yellow", "purple", "orange", "black", "green"), 1)
HAND, OTHER_HAND = {"red": 2, "blue": 1}, {"red": 1, "white": 2}
DECK = {"red": 2, "blue": 2, "white": 1, "green": 1, "locomotive": 1, "black": 1}


def ending(board: Board, hand: Cards, other: Cards, deck: Cards, **fields: Any) -> Game:
    """Return a game in its last round; the cards that nobody names are discarded."""
    pile = all_cards(board)
    for cards in (hand, other, deck, ROW):
        pile.subtract(cards)
    assert min(pile.values()) >= 0
    return at(board, hand, others={1: other}, deck=deck, face_up=ROW, discard=dict(+pile), **fields)


def nordic_ending(hand: Cards = HAND, other: Cards = OTHER_HAND, deck: Cards = DECK, **fields: Any) -> Game:
    """Return a game in which seat 0 has its last turn, then seat 1 has its own, with two trains and an unknown card."""
    usual: dict[str, Any] = {
        "known": [{}, {"white": 2}],
        "owners": {at: at % 2 for at in TUNNELS},
        "trains": [2, 2],
        "turns_left": 2,
        "tickets": {0: [OURS], 1: ["–".join(FREE[0])]},
        "returned": [FREE[3:], []],  # so that seat 0 has not seen three tickets
        "ticket_deck": [],
    }
    return ending(NORDIC, hand, other, deck, **usual | fields)


def spread(values: dict[str, float]) -> float:
    return max(values.values()) - min(values.values())


def test_the_last_turn_but_one_is_as_by_brute_force() -> None:
    assert spread(check(nordic_ending())) > 0


def test_the_last_turn_is_as_by_brute_force() -> None:
    assert spread(check(nordic_ending(turns_left=1))) > 0


def test_two_unknown_cards_and_two_unknown_tickets() -> None:
    check(
        nordic_ending(
            {"red": 1, "blue": 1},
            {"red": 1, "white": 1, "blue": 1},
            {"red": 1, "locomotive": 1},
            known=[{}, {"white": 1}],
            tickets={0: [OURS], 1: ["–".join(each) for each in FREE[:2]]},
            returned=[FREE[4:], []],
            trains=[2, 2],
        )
    )


def test_a_tunnel_is_as_by_brute_force() -> None:
    tunnel = next(each for each in NORDIC.routes if each.tunnel and each.length <= 3)
    hand = {tunnel.colour or "red": tunnel.length}
    nobody: dict[str, Any] = {"known": [{}, {"white": 2}], "tickets": {0: [OURS], 1: []}, "owners": {}}
    exact = check(nordic_ending(hand, {"white": 2}, turns_left=1, **nobody))
    assert exact["take blind"] < exact[f"claim {tunnel}"] < exact["take blind"] + tunnel.points


def test_drawn_tickets_are_as_by_brute_force() -> None:
    assert spread(check(nordic_ending(phase="tickets", offered=FREE[-3:], returned=[FREE[3:-3], []]))) > 0


def test_bonus_cards_for_tickets_are_as_by_brute_force() -> None:
    short = {each.cities: at for at, each in enumerate(LIGHTS.routes) if each.length <= 2}
    theirs = [at for cities, at in short.items() if "Stockholm" in cities][:2]
    ours = [at for cities, at in short.items() if "Oslo" in cities][:1]
    near = {city for each in theirs for city in LIGHTS.routes[each].cities}
    pool = sorted((list(each.cities) for each in LIGHTS.tickets), key=lambda cities: -len(near & {*cities}))
    game = ending(
        LIGHTS,
        {"red": 1},
        {"white": 1},
        {"red": 1, "locomotive": 1},
        owners=dict.fromkeys(ours, 0) | dict.fromkeys(theirs, 1),
        trains=[1, 1],
        turns_left=2,
        tickets={0: ["–".join(each) for each in pool[6:]], 1: ["–".join(pool[0])]},
        ticket_deck=["–".join(each) for each in pool[1:6]],
        bonus_cards=TICKET_BONUSES,
    )
    check(game)


def test_drawing_tickets_has_an_upper_bound() -> None:
    solved = solve(nordic_ending(ticket_deck=["–".join(FREE[1])]).view(0))
    draw = solved["draw tickets"]
    assert draw.at_most and not any(each.at_most for move, each in solved.items() if move != "draw tickets")
    assert draw.margin < solved["take blind"].margin, "a ticket that cannot be completed only costs points"


def test_what_cannot_be_solved_is_refused() -> None:
    many = {"red": 6, "blue": 6, "yellow": 8}
    for game in (Game(NORDIC, 2, 1), Game(NORDIC, 3, 1), nordic_ending(other=many, known=[{}, {}])):
        with pytest.raises(TooFar, match="expected"):
            solve(game.view(game.seat))
