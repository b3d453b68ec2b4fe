"""What a seat can expect: what its tickets need together, which routes serve them, and how the bonus cards stand."""

import pytest
from positions import LIGHTS, NORDIC, at
from tables import BOARDS, TABLES, situation

import northrail
from northrail.server.wire.outlook import standings, trains_together, useful_routes, with_needs


def test_routes_on_the_way_of_open_tickets_are_useful() -> None:
    game = at(NORDIC, tickets={0: ["Oslo–Stockholm"]})
    short = with_needs(game.view(0), game.view(0).tickets)[0]["needs"]
    useful = useful_routes(game.view(0))
    assert set(short["routes"]) <= set(useful)
    assert {NORDIC.routes[route].cities for route in useful} == {
        NORDIC.routes[route].cities for route in short["routes"]
    }
    assert len(useful) == 4, "both parts of the way are double routes"
    assert useful_routes(game.view(1)) == useful_routes(game.view(None)) == []
    owned = dict.fromkeys(short["routes"], 0)
    assert useful_routes(at(NORDIC, tickets={0: ["Oslo–Stockholm"]}, owners=owned).view(0)) == []


def test_tickets_share_their_routes() -> None:
    game = at(NORDIC, tickets={0: ["Oslo–Stockholm", "Oslo–Helsinki"]})
    needs = [ticket["needs"] for ticket in with_needs(game.view(0), game.view(0).tickets)]
    together = sum(
        {NORDIC.routes[route].cities: NORDIC.routes[route].length for route in useful_routes(game.view(0))}.values()
    )
    assert max(need["trains"] for need in needs) <= together < sum(need["trains"] for need in needs)


@pytest.mark.parametrize("seed", range(4))
def test_what_offered_tickets_need_together(seed: int) -> None:
    view = northrail.Game(LIGHTS, 3, seed, first=0).view(0)
    needs = [ticket["needs"]["trains"] for ticket in with_needs(view, view.offered)]
    together = trains_together(view)
    assert len(together) == 2 ** len(needs) and together[0] == 0
    for chosen, trains in enumerate(together):
        each = [need for at, need in enumerate(needs) if chosen >> at & 1]
        assert trains is not None
        assert trains == sum(each) if len(each) < 2 else max(each) <= trains <= sum(each)


def test_tickets_that_cannot_be_completed_need_no_number_of_trains() -> None:
    around = {NORDIC.route(*route.cities): 1 for route in NORDIC.routes if set(route.cities) & {"Åndalsnes"}}
    start = at(NORDIC, owners=around).position()
    lost = next(ticket.cities for ticket in NORDIC.tickets if "Åndalsnes" in ticket.cities)
    start |= {"phase": "tickets", "offered": [list(lost)]}
    start["ticket_deck"] = [cities for cities in start["ticket_deck"] if tuple(cities) != lost]
    assert trains_together(northrail.Game.from_position(NORDIC, start).view(0)) == [0, None]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_standings_are_what_the_scores_count(name: str, seats: int) -> None:
    board = BOARDS[name]
    for seed in range(3):
        game = situation(board, seats, seed)
        for me in (*range(seats), None):
            for standing in standings(game.view(me)):
                card = next(card for card in board.bonus_cards if card.name == standing["name"])
                for seat, count in enumerate(standing["counts"]):
                    is_hidden = card.most in ("completed tickets", "locomotives in hand") and seat != me
                    assert (count is None) == (is_hidden and not game.over)
                    if card.most == "longest path":
                        assert count == game.scores()[seat].longest
                    elif card.most == "trains left":
                        assert count == game.view(me).trains[seat]
                won = {seat for seat, each in enumerate(game.scores()) if card.name in each.bonuses}
                if None not in standing["counts"]:
                    most = max(standing["counts"])
                    assert {seat for seat, count in enumerate(standing["counts"]) if count == most} == won
