"""People at browsers: a server in a thread, and hands that play by what the page offers, by roles and names alone."""

import asyncio
import json
import random
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    WebSocket,
    WebSocketRoute,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as TookTooLong
from serving import Json, listening, quick

import northrail
from northrail.server.settings import Settings
from northrail.server.tables.keys import COOKIE
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.seating import Seating

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / ".cache" / "pictures"
AXE = ROOT / "page" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = "/usr/bin/chromium"
MINUS = "\N{MINUS SIGN}"  # as the page prints numbers
PATIENCE = 60_000.0  # milliseconds a busy machine may take for anything
STARTING = 280.0  # seconds a server may take to begin: the kernels may have to be compiled
BOTS = [{"who": "bot", "level": "random"}]

expect.set_options(timeout=PATIENCE)

Hands = Literal["mouse", "finger", "keys"]
Device = Literal["laptop", "phone"]
Theme = Literal["light", "dark"]
DEVICES: dict[Device, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


# --- the house: a server and a browser --------------------------------------------------------------------------------


class House:
    """A server in a thread of this process, and tables that begin where a test wants them to."""

    def __init__(self) -> None:
        self.address = ""
        self.ready: Future[None] = Future()
        self._hall: TableRegistry
        self._loop: asyncio.AbstractEventLoop
        self._end: asyncio.Event

    def run(self, settings: Settings) -> None:
        """Serve until the end; the thread's work."""
        try:
            asyncio.run(self._serve(settings))
        except BaseException as fault:
            if self.ready.done():
                raise
            self.ready.set_exception(fault)

    async def _serve(self, settings: Settings) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with listening(settings) as (address, self._hall):
            self.address = f"http://{address}"
            self.ready.set_result(None)
            await self._end.wait()

    def end(self) -> None:
        """Let the thread end."""
        self._loop.call_soon_threadsafe(self._end.set)

    def table(self, seats: list[Json], start: Json) -> tuple[str, str]:
        """A table that begins at a position; gives its id and the cookie of who sits here."""
        registry, board = self._hall, self._hall.boards[start["board"]]

        async def make() -> tuple[str, str]:
            session, keys, host = await Seating(registry).make(board, seats, start=start)
            async with session.lock:
                await session.begin()
            return session.id, ".".join([*keys.values(), host])

        return asyncio.run_coroutine_threadsafe(make(), self._loop).result(60)


def must_be_built() -> None:
    """Fail where there is no page to play on."""
    if not (Settings().static / "index.html").is_file():
        pytest.fail("the page is not built, and these tests play on it: run make page", pytrace=False)


@contextmanager
def open_house(database: str) -> Iterator[House]:
    """A server with the built page, on a port of this machine."""
    must_be_built()
    house = House()
    thread = threading.Thread(target=house.run, args=(quick(database),))
    thread.start()
    try:
        house.ready.result(STARTING)
        yield house
    finally:
        house.end()
        thread.join(60)


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """Debian's chromium."""
    with sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def moment(board: northrail.Board, phase: str, seats: int = 2, ways: int = 1, claimed: int = 4) -> Json:
    """A position of a random game: seat 0 is in that phase, with so many moves at least; so many routes are claimed."""
    for seed in range(200):
        game, chance = northrail.Game(board, seats, seed, first=0), random.Random(seed)
        while not game.over:
            moves = game.moves()
            if (game.phase, game.seat) == (phase, 0) and len(moves) >= ways and _claimed(game) >= claimed:
                return game.position()
            game.play(chance.choice(moves))
    raise AssertionError(f"no random game comes to {phase}")


def _claimed(game: northrail.Game) -> int:
    return len(game.view().owners)


# --- one person -------------------------------------------------------------------------------------------------------

# What is in the page's JavaScript below: everything one could press now, and the name of each.
FIND = """
  const nameOf = each => (each.getAttribute("aria-label") ?? each.innerText ?? "").trim();
  const found = [...document.querySelectorAll("button, a[href], [role=button]")]
    .filter(each => !each.disabled && each.checkVisibility());
"""
# All of it as (role, name, is it checked).
OFFERS = f"""() => {{{FIND}
  const roleOf = each => each.getAttribute("role") ?? (each.matches("a") ? "link" : "button");
  return found.map(each => [roleOf(each), nameOf(each), each.getAttribute("aria-checked") === "true"]);
}}"""
# The same, once the page has taken in what was pressed last and something fits the pattern.
ASKED = f"""pattern => {{
  if (document.querySelector("main .status")?.textContent.includes("One moment")) return null;
  const offers = ({OFFERS})();
  return offers.some(([, name]) => new RegExp(pattern).test(name)) ? offers : null;
}}"""
# Where one presses what has that name, once it rests: its middle, or a route's middle space; and what lies over it.
PLACE = f"""async name => {{{FIND}
  const it = found.find(each => nameOf(each) === name);
  if (!it) return null;
  const spaces = it.closest("svg") ? [...it.children].filter(each => each.tagName === "g") : [];
  if (!spaces.length) it.scrollIntoView({{block: "nearest", behavior: "instant"}});
  const middle = () => {{
    const box = (spaces[Math.floor(spaces.length / 2)] ?? it).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }};
  let [x, y] = middle();
  for (let frame = 0, still = 0; frame < 60 && still < 2; frame++) {{
    await new Promise(requestAnimationFrame);
    const now = middle();
    still = now[0] === x && now[1] === y ? still + 1 : 0;
    [x, y] = now;
  }}
  const top = document.elementFromPoint(x, y);
  const isFree = it.contains(top) || (spaces.length && top?.closest("[role=group]")?.contains(it));
  return [x, y, isFree ? "" : top?.outerHTML.slice(0, 200) ?? "the edge"];
}}"""
# The name of what the keyboard is at, and whether one sees that it is there.
FOCUSED = f"""() => {{{FIND}
  const at = document.activeElement, shape = getComputedStyle(at);
  const isMarked = shape.outlineStyle !== "none" || shape.boxShadow !== "none";
  return [nameOf(at), isMarked || at === document.body || at.matches("svg *")];
}}"""
WORDS = """() => {
  const passing = document.querySelector(".moment")?.innerText ?? "";
  return (document.querySelector("main")?.innerText ?? "").replace(passing, "").replace(/\\s+/g, " ");
}"""

ROUTE = re.compile(r"^(?P<cities>.+?–.+?) (?P<colour>\S+)( #\d)?, (?P<spaces>\d+) spaces?, \d+ points?")
PAYS = r"^(Claim for \d+ points?|Try the tunnel)$"
KEEPS = r"^Keep \d+ tickets?$"
ADDS = r"^Add "
COVERED = r"^I am "
OVER = r"^Download the record$"
DRAWS = r"^(Take |Draw from the deck|Pass$)"
GIVES_UP = r"^Give up and take"
TICKET = r", \d+ points?, (needs|completed|no way)"
SOMETHING = f"{PAYS}|{KEEPS}|{ADDS}|{COVERED}|{OVER}|{DRAWS}|{GIVES_UP}|{TICKET}"


@dataclass(frozen=True)
class Offer:
    """Something one could press."""

    role: Any
    name: str
    checked: bool


@dataclass
class Person:
    """Somebody at a page, who plays by what it offers."""

    page: Page
    house: str
    hands: Hands = "mouse"
    worth: int = 1  # spaces a route must have to be claimed; a whole game is shorter with longer ones
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    told: list[Json] = field(default_factory=list)  # all news that came over sockets
    complaints: list[str] = field(default_factory=list)  # what the browser's console said was wrong
    pressed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("websocket", self._listen)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} ({message.location.get('url')})")

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.told.append(json.loads(frame)))

    # --- going about

    def go(self, path: str) -> None:
        """Open an address of the house."""
        self.page.goto(self.house + path)

    def sit(self, table: tuple[str, str]) -> None:
        """Open a table with a cookie for it."""
        name, cookie = table
        domain = self.house.removeprefix("http://").split(":")[0]
        path = f"/api/tables/{name}"
        self.page.context.add_cookies([{"name": COOKIE, "value": cookie, "domain": domain, "path": path}])
        self.go(f"/t/{name}")

    @property
    def table(self) -> str:
        """The id of the table that is open."""
        return self.page.url.rsplit("/", 1)[-1]

    def words(self) -> str:
        """All that is written on the page, but for what passes by."""
        found: str = self.page.evaluate(WORDS)
        return found

    def until_words_are(self, words: str) -> None:
        """Wait until the page says again what it said before."""
        for _ in range(300):
            if self.words() == words:
                return
            self.page.wait_for_timeout(50)
        assert self.words() == words

    def picture(self, name: str) -> None:
        """Keep what is seen."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png")

    def hand(self) -> int:
        """How many cards one holds, as the page counts them."""
        heading = self.page.get_by_role("heading", name="Your cards").inner_text()
        return int(heading.rsplit(" ", 1)[1])

    def phase(self) -> str:
        """The phase, as the page was last told."""
        phase: str = self.told[-1]["view"]["phase"]
        return phase

    @contextmanager
    def without_network(self) -> Iterator[None]:
        """The network is gone for a while. Offline, chromium cuts no sockets, so new ones are refused too."""
        is_cut = True

        def connect(socket: WebSocketRoute) -> None:
            if is_cut:
                socket.close()
            else:
                socket.connect_to_server()

        self.page.context.route_web_socket("**/socket?*", connect)
        self.page.context.set_offline(True)
        yield
        is_cut = False
        self.page.context.set_offline(False)

    def forgive_the_network(self) -> None:
        """Forget what the browser says of a network that was cut: only that may have gone wrong."""
        self.complaints = [said for said in self.complaints if "ERR_" not in said and "WebSocket" not in said]

    # --- pressing

    def offers(self, pattern: str = SOMETHING) -> list[Offer]:
        """What can be pressed, once something that fits the pattern can be."""
        try:
            found = self.page.wait_for_function(ASKED, arg=pattern, polling=50).json_value()
        except TookTooLong:
            self.picture("stuck")
            offered = self.page.evaluate(OFFERS)
            raise AssertionError(
                f"expected {pattern}, got {offered} after {self.pressed[-8:]}; see .cache/pictures/stuck.png"
            ) from None
        return [Offer(*each) for each in found]

    def press(self, name: str, is_tick: bool = False) -> None:
        """Press what has that name, by mouse, finger or keys."""
        self.pressed.append(name)
        if self.hands == "keys":
            self._tab_to(lambda focused: focused == name)
            self.page.keyboard.press("Space" if is_tick else "Enter")
            return
        place = self.page.evaluate(PLACE, name)
        assert place, f"there is nothing to press with the name {name!r}"
        x, y, over = place
        assert not over, f"{name!r} cannot be pressed: {over} lies over it"
        if self.hands == "finger":
            self.page.touchscreen.tap(x, y)
        else:
            self.page.mouse.click(x, y)

    def press_like(self, pattern: str) -> None:
        """Press what has a name like that, once it is there."""
        self.press(_named(self.offers(pattern), pattern)[0].name)

    def press_route(self, name: str) -> None:
        """Choose a route on the map, and see that it is the one meant."""
        if self.hands == "keys":
            self._tab_to(lambda focused: ROUTE.match(focused) is not None)
            for _ in range(200):
                if self._focused() == name:
                    break
                self.page.keyboard.press("ArrowDown")
        self.press(name)
        found = ROUTE.match(name)
        assert found
        self.offers(PAYS)
        heading = self.page.locator("#pay-title").inner_text()
        assert heading == found["cities"], f"pressed {name}, got {heading}"

    def _focused(self) -> str:
        name, is_seen = self.page.evaluate(FOCUSED)
        assert is_seen, f"nothing shows that the keyboard is at {name!r}"
        found: str = name
        return found

    def _tab_to(self, is_there: Callable[[str], bool]) -> None:
        passed = [self._focused()]
        while not is_there(passed[-1]):
            if len(passed) > 150:
                raise AssertionError(f"after {self.pressed[-3:]} Tab comes only to {list(dict.fromkeys(passed))}")
            self.page.keyboard.press("Tab")
            passed.append(self._focused())

    def tab_to_field(self, name: str) -> None:
        """Tab to a field of a form with that name or label."""
        for _ in range(50):
            if name in self.page.evaluate("() => [document.activeElement.name, document.activeElement.ariaLabel]"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not come to {name}")

    # --- playing

    def play(self, moves: int = 1_000) -> bool:
        """Answer what is asked, so many times or to the end; gives whether the game is over."""
        for _ in range(moves):
            offers = self.offers()
            if _named(offers, OVER):
                return True
            self.answer(offers)
        return False

    def is_asked(self) -> bool:
        """Whether the tab's title says so, and what was pressed last has been taken in."""
        is_waiting = "document.querySelector('main .status')?.textContent.includes('One moment')"
        asked: bool = self.page.evaluate(f"() => document.title.startsWith('●') && !{is_waiting}")
        return asked

    def is_over(self) -> bool:
        """Whether the end is shown."""
        return self.page.get_by_text("Download the record", exact=True).is_visible()

    def answer(self, offers: list[Offer]) -> None:
        """Do one of the things that are offered."""
        for pattern in (COVERED, KEEPS, PAYS, ADDS, GIVES_UP):
            if found := _named(offers, pattern):
                self.press(found[0].name)
                return
        if tickets := [offer for offer in _named(offers, TICKET) if not offer.checked]:
            self.press(self.chance.choice(tickets).name, is_tick=True)
            return
        routes = sorted((offer.name for offer in offers if ROUTE.match(offer.name)), key=_spaces)
        draws = [offer.name for offer in _named(offers, DRAWS)]
        if routes and (_spaces(routes[-1]) >= self.worth or not draws):
            self.press_route(routes[-1])
        else:
            self.press(self.chance.choice(draws))

    # --- the end

    def final(self) -> list[Json]:
        """The final table as it is shown, best place first."""
        rows = []
        for row in self.page.locator("section", has=self.page.locator("#final-title")).locator("ol > li").all():
            words = row.inner_text().replace(MINUS, "-").replace("+", "")
            rows.append(
                {
                    "text": words,
                    "total": int(re.findall(r"^-?\d+$", words.split("Routes")[0], re.MULTILINE)[-1]),
                    "routes": int(_number_after("Routes", words)),
                    "tickets": int(_number_after("Tickets", words)),
                    "completed": int(_number_after("Tickets completed", words)),
                    "longest": int(_number_after("Longest path", words)),
                }
            )
        return rows

    def record(self) -> Json:
        """The record, downloaded."""
        with self.page.expect_download() as coming:
            self.press("Download the record")
        found: Json = json.loads(coming.value.path().read_text(encoding="utf-8"))
        return found


class Visit(Protocol):
    """Lets somebody come to the house."""

    def __call__(
        self, device: Device = "laptop", theme: Theme = "light", hands: Hands | None = None, has_motion: bool = False
    ) -> Person:
        """Somebody at a browser of their own, with a mouse, or on a phone with fingers."""


def _number_after(word: str, words: str) -> str:
    found = re.search(rf"{word}\s+(-?\d+)", words)
    assert found, f"expected {word} and a number, got {words!r}"
    return found[1]


def _named(offers: list[Offer], pattern: str) -> list[Offer]:
    return [offer for offer in offers if re.search(pattern, offer.name)]


def _spaces(route: str) -> int:
    found = ROUTE.match(route)
    assert found
    return int(found["spaces"])


def same_as_the_engine(person: Person, names: list[str]) -> northrail.Game:
    """The final table on the page is what the engine makes of the downloaded record."""
    game = northrail.Game.replay(person.record())
    assert game.over
    shown = person.final()
    assert len(shown) == game.seats
    winners = game.winners()
    for seat, score in enumerate(game.scores()):
        row = next(
            row for row in shown if re.search(rf"^{re.escape(names[seat])}(, Winner)?$", row["text"], re.MULTILINE)
        )
        assert ", Winner" in row["text"] if seat in winners else ", Winner" not in row["text"]
        for name in ("total", "routes", "tickets", "completed", "longest"):
            assert row[name] == getattr(score, name), f"{names[seat]}: {name}"
        for bonus, points in score.bonuses.items():
            assert re.search(rf"{re.escape(bonus)}\s+{points}", row["text"])
    totals = [row["total"] for row in shown]
    assert totals == sorted(totals, reverse=True)
    return game


# --- how it looks -----------------------------------------------------------------------------------------------------


def context_of(chromium: Browser, device: Device, theme: Theme, has_motion: bool) -> BrowserContext:
    """A browser of one's own: cookies, size, light."""
    context = chromium.new_context(
        **DEVICES[device],
        color_scheme=theme,
        reduced_motion="no-preference" if has_motion else "reduce",
        locale="en-GB",
        accept_downloads=True,
    )
    context.set_default_timeout(PATIENCE)
    return context


# The map is taken out while axe looks at the rest: it is most of what there is to read.
AXE_RUN = """async hasMap => {
  const map = hasMap ? null : document.querySelector("svg[role=group]"), gap = document.createComment("");
  map?.replaceWith(gap);
  try {
    const found = await axe.run({resultTypes: ["violations"], rules: {"target-size": {enabled: true}}});
    return found.violations.filter(each => ["serious", "critical"].includes(each.impact)).map(each =>
      `${each.id}: ${each.help}: ` + each.nodes.slice(0, 4).map(node => node.html.slice(0, 150)).join(" "));
  } finally {
    if (map) gap.replaceWith(map);
  }
}"""


# Buttons and links beside the screen, and labels that are wider than their buttons.
CUT = """() => [...document.querySelectorAll("button, a[href], select")]
  .filter(each => !each.closest("svg") && each.checkVisibility()).flatMap(each => {
    const box = each.getBoundingClientRect(), name = each.ariaLabel ?? each.innerText.slice(0, 40);
    if (box.left < -1 || box.right > innerWidth + 1) return [`${name} lies beside the screen`];
    return each.matches(".button") && each.scrollWidth > each.clientWidth + 1 ? [`${name} is cut`] : [];
  })"""


def faults(page: Page, has_map: bool) -> list[str]:
    """What axe-core calls serious or critical, with where it is; and whether the page is wider than the screen.

    The map is most of a game's page and the same on all its screens: it is enough to look at it on some.
    """
    if not AXE.is_file():
        pytest.fail("axe-core is not installed, and these tests ask it: run make page", pytrace=False)
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(AXE_RUN, has_map)
    if page.evaluate("() => document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        found.append("the page is wider than the screen")
    found += page.evaluate(CUT)
    return found
