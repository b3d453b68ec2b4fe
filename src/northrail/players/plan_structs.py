"""The planner's structs: what it believes, what it plans, and its scratch memory."""

from northrail.boards.board import BONUSES, CARDS, CITIES, ROUTE_WORDS, ROUTES, TICKET_WORDS, TICKETS
from northrail.engine.moves import OTHER_MOVES
from northrail.kernels.structs import Struct, float64, int8, int16, int64


class Weights(Struct):
    """What a planner believes; tuned by self-play."""

    turn = float64()  # points a turn is worth
    draw = float64()  # useful cards drawn in a turn
    hand = float64()  # how much of a colour in hand counts for a route not yet paid for
    symbol = float64()  # cards a locomotive symbol costs if no locomotive in hand pays for it
    tunnel = float64()  # extra cards expected for a tunnel that turns over three
    points = float64()  # how much a route's own points count while planning for tickets
    pace = float64()  # trains a seat is expected to place in a turn
    watch = float64()  # turns after which what a seat has shown counts as much as that
    stock = float64()  # how much of a seat's hand it can place without drawing more
    stride = float64()  # trains it then places in a turn
    over = float64()  # points lost for each turn by which a plan is too long
    ticket = float64()  # points for a completed ticket besides its own
    extra = float64()  # points a turn must bring in to claim a route for points alone
    fair = float64()  # worth of cards a payment may waste
    spare = float64()  # worth of a card that no plan needs
    locomotive = float64()  # worth of a locomotive that no plan needs
    wild = float64()  # worth of a locomotive that can replace cards the plan lacks
    close = float64()  # extra worth of a card that nearly completes a payment
    urgent = float64()  # extra points for claiming a planned route that others may want
    danger = float64()  # extra points that a route costs in a plan if others may want it
    bonus = float64()  # how much of a bonus card's points its first steps are worth
    windfall = float64()  # points that make an affordable route worth claiming outside the plan
    tickets = float64()  # points that drawing tickets brings besides the worth of those it would keep
    busy = float64()  # points that drawing tickets costs for each turn the plan still needs
    tickets_trains = float64()  # the quick planner draws tickets only with this many trains left
    tickets_turns = float64()  # and this many turns
    tickets_busy = float64()  # and with a plan of no more than this many turns
    reserve = float64()  # points lost per card that a tunnel turns over, if the hand may not pay for it
    hurry = float64()  # turns left when every claim is as good as a planned one


class Plan(Struct):
    """A seat's plan, and the payment of the claim it is making. Start with `clear_plan`."""

    routes = int64(ROUTE_WORDS)  # routes to claim for tickets
    extra = int64(ROUTE_WORDS)  # routes to claim for their points
    tickets = int64(TICKET_WORDS)  # the tickets planned for
    contested = int64()  # bits of the cities where others own routes
    worth = float64()  # points the plan brings, less what its turns cost
    turns = float64()  # turns the plan needs
    bonus_step = float64(BONUSES)  # [bonus card] -> worth of one step towards it
    bonus_worth = float64(ROUTES)  # [route] -> worth of its steps towards the bonus cards in play
    want = float64(CARDS)  # [colour] -> cards that the routes need; LOCOMOTIVE: symbols
    gray = int16()  # the longest set they need in any one colour
    wild = int8()  # 1: a locomotive could replace a card they need
    pay = int8(CARDS)  # the payment of `route`
    route = int16()  # the route being claimed, or NOBODY
    trains = int16()  # this seat's trains when it planned
    spare = int16()  # trains the plan leaves


class PlanScratch(Struct):
    """Scratch memory of the planner: nothing here lasts from one decision to the next."""

    cost = float64(ROUTES)  # [route] -> points it costs to have; nothing if the seat owns it
    fresh = float64(ROUTES)  # [route] -> the same before any ticket is planned
    far = float64(CITIES)  # [city] -> cost of the path there
    via = int16(CITIES)  # [city] -> the route that leads to it
    best_via = int16(CITIES)
    roots = int8(CITIES)
    needs = float64(ROUTES)  # [route] -> turns it needs
    gain = float64(ROUTES)  # [route] -> points it brings for each of them
    worthy = int64(ROUTE_WORDS)  # routes that may be claimed for their points
    lot = float64(TICKETS)  # what the tickets that may be drawn are worth, ascending
    left = int64(TICKET_WORDS)
    chosen = int64(TICKET_WORDS)
    draw = float64(CARDS)  # [colour] -> worth of one more card
    keep = float64(CARDS)  # [colour] -> cost of one card less
    value = float64(ROUTES + OTHER_MOVES)  # [move] -> what it is worth
    pay = int8(CARDS)
    try_pay = int8(CARDS)
