"""What every choice at the last turn of a game is worth, exactly: no sampling, and no kernel of the analysis."""

from math import comb

from northrail import Game
from northrail.boards.board import COLOURS
from northrail.engine.choices import Choice, Claim
from northrail.engine.view import tunnel_payments


def margin_of(game: Game, seat: int) -> float:
    """Return how far a seat would be ahead of the best other one if the game ended now."""
    totals = [score.total for score in game.scores()]
    return float(totals[seat] - max(totals[:seat] + totals[seat + 1 :]))


def worth_of(game: Game) -> list[tuple[Choice, float]]:
    """Return every whole choice of the last turn with the margin that its seat can expect.

    Cards drawn now come too late to be of use, as long as no bonus card counts them; then a draw leaves the margin as
    it is. Tickets drawn now must be kept, so that choice is left out.
    """
    seat = game.seat
    view = game.view(seat)
    found = []
    for choice in view.choices:
        if choice.kind in ("take", "blind", "pass"):
            found.append((choice, margin_of(game, seat)))
        elif isinstance(choice, Claim) and game.board.routes[choice.route].tunnel:
            found.append((choice, _tunnel_worth(game, choice)))
        elif choice.kind != "draw_tickets":
            after = game.copy()
            after.apply(choice)
            found.append((choice, margin_of(after, seat)))
    return found


def _tunnel_worth(game: Game, claim: Claim) -> float:
    """Return what trying a tunnel is worth: it is claimed unless more matching cards turn up than the hand can pay."""
    seat, board, route = game.seat, game.board, game.board.routes[claim.route]
    deck = dict(zip(COLOURS, game.state.deck.tolist(), strict=True))
    turned = min(board.rules.tunnel_cards, sum(deck.values()))
    colours = [colour for colour in claim.cards if colour != "locomotive"]
    paid = sum(claim.cards.values()) - route.length
    colour = colours[0] if colours else "locomotive"
    assert paid == 0 and len(colours) <= 1, "tunnels have no substitutes"
    matching = deck["locomotive"] + (deck[colour] if colour != "locomotive" else 0)
    left = {name: count - claim.cards.get(name, 0) for name, count in game.view(seat).hand.items()}
    claimed = game.copy()
    word, bit = int(board.struct.route_word[claim.route]), int(board.struct.route_bit[claim.route])
    claimed.state.owned[seat, word] |= bit
    claimed.state.points[seat] += route.points
    yes, no = margin_of(claimed, seat), margin_of(game, seat)
    worth = 0.0
    for hits in range(turned + 1):
        ways = comb(matching, hits) * comb(sum(deck.values()) - matching, turned - hits)
        odds = ways / comb(sum(deck.values()), turned)
        payable = hits == 0 or bool(tunnel_payments(left, colour, hits))
        worth += odds * (max(yes, no) if payable else no)
    return worth
