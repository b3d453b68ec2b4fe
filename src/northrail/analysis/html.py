"""A review as one self-contained HTML page: graph, bars, the decisions that mattered with maps, tickets and luck."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape

from northrail.analysis.english import (
    LABEL_NAMES,
    chance_sentence,
    led_to_sentence,
    points,
    result_sentence,
    why_sentence,
)
from northrail.analysis.judge import choice_text
from northrail.analysis.review import Review
from northrail.analysis.steps import Step
from northrail.drawing.svg import draw
from northrail.drawing.themes import CHART, THEMES
from northrail.engine.game import Game

WIDTH, HEIGHT = 720, 240  # of the graph
LEFT, FOOT = 44, 24  # room for its axes

_LIGHT = THEMES["light"]
STYLE = f"""
.review {{ max-width: 46rem; margin: auto; font: 1rem/1.5 system-ui, sans-serif; color: {_LIGHT.ink} }}
.review table {{ border-collapse: collapse; width: 100% }}
.review th, .review td {{ padding: .2rem .5rem; text-align: left; border-bottom: 1px solid {_LIGHT.line} }}
.review td.number, .review th.number {{ text-align: right; font-variant-numeric: tabular-nums }}
.review img {{ width: 100% }}
.review .bar {{ fill: {CHART.line} }}
.review .bar.below {{ fill: {CHART.missed} }}
.review .open {{ fill: none; stroke: {CHART.axes}; stroke-width: 1.5; stroke-dasharray: 4 3 }}
.review .known {{ fill: none; stroke: {CHART.line}; stroke-width: 2 }}
.review .axis {{ stroke: {CHART.grid} }}
.review svg text {{ font-size: 12px; fill: {CHART.ink} }}
"""


def page_of(review: Review) -> str:
    """Return a review as a whole HTML page."""
    title = f"Review · {escape(review.board.name)}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>body {{ background: {_LIGHT.paper} }}</style></head><body>\n{fragment_of(review)}\n</body></html>\n"
    )


def fragment_of(review: Review) -> str:
    """Return a review as a piece of HTML, for a notebook."""
    return "\n".join(_lines(review))


def _lines(review: Review) -> Iterator[str]:
    yield f"<style>{STYLE}</style><article class='review'><h1>Review · {escape(review.board.name)}</h1>"
    for seat in range(review.seats):
        yield f"<section><h2>{escape(result_sentence(review, seat))}</h2>"
        yield graph(review, seat)
        yield bars(review, seat)
        yield from _decisions(review, seat)
        yield _tickets(review, seat)
        yield _luck(review, seat)
        yield "</section>"
    yield "</article>"


# --- graphs ---------------------------------------------------------------------------------------------------------


def graph(review: Review, seat: int) -> str:
    """Return the graph of a seat's expected margin: as far as it could know, and with all cards open."""
    last = len(review.steps)
    shown = [(step.number, step.open[seat]) for step in review.steps] + [(last, review.result[seat])]
    known = [(step.number, step.known) for step in review.judged(seat) if step.known is not None]
    known.append((last, review.result[seat]))
    most = max(10.0, *(abs(value) for _, value in shown + known))

    def line(places: Sequence[tuple[int, float]]) -> str:
        spots = (
            f"{LEFT + at * (WIDTH - LEFT) / max(1, last):.1f},{(HEIGHT - FOOT) * (0.5 - value / most / 2):.1f}"
            for at, value in places
        )
        return " ".join(spots)

    middle = (HEIGHT - FOOT) / 2
    label = f"Expected margin of seat {seat}: solid as far as it could know, dashed with all cards open"
    return (
        f'<figure><svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" aria-label="{escape(label)}">'
        f'<path class="axis" d="M{LEFT} {middle}H{WIDTH}"/>'
        f'<text x="0" y="12">{most:+.0f}</text><text x="0" y="{middle + 4}">0</text>'
        f'<text x="0" y="{HEIGHT - FOOT}">{-most:+.0f}</text>'
        f'<polyline class="open" points="{line(shown)}"/><polyline class="known" points="{line(known)}"/>'
        f'<text x="{LEFT}" y="{HEIGHT - 4}">start</text>'
        f'<text x="{WIDTH}" y="{HEIGHT - 4}" text-anchor="end">end</text>'
        f"</svg><figcaption>{escape(label)}.</figcaption></figure>"
    )


def bars(review: Review, seat: int) -> str:
    """Return the parts of a seat's result as bars in a table."""
    parts = review.parts(seat)
    rows = [("decisions", parts.decisions), ("luck", parts.luck), ("what the others did", parts.others)]
    if "start" in review.record:
        rows.insert(0, ("where the game began", parts.start))
    most = max(1.0, *(abs(value) for _, value in rows))
    cells = "".join(
        f'<tr><th scope="row">{name}</th><td class="number">{points(value)}</td><td>'
        f'<svg viewBox="-50 0 100 10" height="10" aria-hidden="true"><rect class="bar{" below" * (value < 0)}" '
        f'x="{min(0.0, 50 * value / most):.1f}" width="{abs(50 * value / most):.1f}" height="10"/></svg></td></tr>'
        for name, value in rows
    )
    total = f'<tr><th scope="row">result</th><td class="number">{points(review.result[seat])}</td><td></td></tr>'
    return f"<table>{cells}{total}</table>"


# --- tables ---------------------------------------------------------------------------------------------------------


def _decisions(review: Review, seat: int) -> Iterator[str]:
    board = review.board
    worst, finds = review.worst(seat), review.finds(seat)
    if not worst:
        yield "<p>No decision clearly lost points.</p>"
    for step in worst:
        assert step.verdict is not None, "the worst decisions have been judged"
        verdict = step.verdict
        why = why_sentence(board, verdict)
        better = f"Better: {choice_text(board, verdict.best)}" + (f" ({why})" if why else "")
        after = "; ".join(led_to_sentence(board, each["code"], each["facts"]) for each in review.led_to(step))
        yield (
            f"<h3>Turn {step.turn + 1}: {LABEL_NAMES[verdict.label]}, {verdict.loss.mean:.1f} ± "
            f"{verdict.loss.error:.1f} points</h3><p>{escape(choice_text(board, step.choice))}. {escape(better)}."
            + (f" Then: {escape(after)}." if after else "")
            + f"</p>{_map(review, step)}"
        )
    if finds:
        rows = "".join(
            f"<li>Turn {step.turn + 1}: {escape(choice_text(board, step.choice))}, "
            f"{step.verdict.find.mean:.1f} points better than {escape(choice_text(board, step.verdict.usual))}</li>"
            for step in finds
            if step.verdict is not None
        )
        yield f"<h3>Good finds</h3><ul>{rows}</ul>"


def _map(review: Review, step: Step) -> str:
    """Return the map before a choice, as an image: its names and styles must not meet those of other maps."""
    game = Game.replay(review.record, review.board, upto=step.move)
    picture = b64encode(draw(game).encode()).decode()
    return f'<img alt="The map before turn {step.turn + 1}" src="data:image/svg+xml;base64,{picture}">'


def _tickets(review: Review, seat: int) -> str:
    rows = "".join(
        f"<tr><td>{escape(str(review.board.tickets[entry.ticket]))} ({entry.points})</td>"
        f"<td>{'kept' if entry.kept else 'returned'}</td>"
        f'<td class="number">{"" if entry.worth is None else points(entry.worth)}</td>'
        f'<td class="number">{f"{entry.brought:+d}" if entry.kept else ""}</td>'
        f'<td class="number">{"" if entry.trains is None else entry.trains}</td>'
        f'<td class="number">{"" if entry.turns is None else entry.turns}</td></tr>'
        for entry in review.tickets(seat)
    )
    head = "<th>ticket</th><th></th><th class='number'>worth then</th><th class='number'>brought</th>"
    return (
        f"<h3>Tickets</h3><table><thead><tr>{head}<th class='number'>trains</th><th class='number'>turns</th></tr>"
        f"</thead><tbody>{rows}</tbody></table>"
    )


def _luck(review: Review, seat: int) -> str:
    luck = review.luck(seat)
    got, expected = review.locomotives(seat)
    rows = "".join(
        f"<tr><td>turn {step.turn + 1}</td><td>{escape(chance_sentence(review.board, step.chance, step.seat))}</td>"
        f'<td class="number">{points(step.luck[seat])}</td></tr>'
        for step in review.moments(seat)
        if step.chance is not None
    )
    parts = (
        f"the deal {points(luck.deal)}, own draws {points(luck.own)}, the others’ draws {points(luck.others)}, "
        f"hidden cards {points(luck.hidden)}"
    )
    return (
        f"<h3>Luck</h3><p>{parts}. {got} locomotives from the deck; {expected:.1f} were to be expected.</p>"
        f"<table>{rows}</table>"
    )
