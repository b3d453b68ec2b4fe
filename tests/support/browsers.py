"""People at browsers: a server in a thread, and players who find every control by its role and name."""

import asyncio
import json
import random
import re
import threading
import time
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
    Error,
    Page,
    WebSocket,
    WebSocketRoute,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as TookTooLong
from serving import Json, listening, merged, quick

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
PATIENCE = 60_000.0  # milliseconds that anything may take on a busy machine
STARTING = 280.0  # seconds a server may take to start: it may have to compile the kernels
BOTS = [{"who": "bot", "level": "random"}]

expect.set_options(timeout=PATIENCE)

Hands = Literal["mouse", "finger", "keys"]
Device = Literal["laptop", "phone"]
Theme = Literal["light", "dark"]
DEVICES: dict[Device, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


# --- a server and a browser -------------------------------------------------------------------------------------------


class Site:
    """A server in a thread of this process, with tables that start at any position."""

    def __init__(self) -> None:
        self.address = ""
        self.ready: Future[None] = Future()
        self._ahead = 0.0  # seconds that the server's clock is ahead of the real time
        self._registry: TableRegistry
        self._loop: asyncio.AbstractEventLoop
        self._end: asyncio.Event

    def run(self, settings: Settings) -> None:
        """Serve until `end` is called. This is what the thread runs."""
        try:
            asyncio.run(self._serve(settings))
        except BaseException as fault:
            if self.ready.done():
                raise
            self.ready.set_exception(fault)

    async def _serve(self, settings: Settings) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with listening(settings, now=lambda: time.time() + self._ahead) as (address, self._registry):
            self.address = f"http://{address}"
            self.ready.set_result(None)
            await self._end.wait()

    def end(self) -> None:
        """Stop the server."""
        self._loop.call_soon_threadsafe(self._end.set)

    def let_time_pass(self, table: str, seconds: float) -> None:
        """Put the server's clock forward. The turn at this table ends if its time is over."""

        async def forward() -> None:
            self._ahead += seconds
            (await self._registry.session(table)).schedule()

        asyncio.run_coroutine_threadsafe(forward(), self._loop).result(60)

    def table(self, seats: list[Json], start: Json, **more: Any) -> tuple[str, str]:
        """Create a table that starts at a position; return its id and the cookie of the seats here."""
        registry, board = self._registry, self._registry.boards[start["board"]]

        async def make() -> tuple[str, str]:
            session, keys, host = await Seating(registry).make(board, seats, start=start, **more)
            async with session.lock:
                await session.begin()
            return session.id, ".".join([*keys.values(), host])

        return asyncio.run_coroutine_threadsafe(make(), self._loop).result(60)


def must_be_built() -> None:
    """Fail if the page is not built."""
    if not (Settings().static / "index.html").is_file():
        pytest.fail("these tests need the built page; run make page", pytrace=False)


@contextmanager
def open_site(database: str) -> Iterator[Site]:
    """A server with the built page, on a local port."""
    must_be_built()
    site = Site()
    thread = threading.Thread(target=site.run, args=(quick(database),))
    thread.start()
    try:
        site.ready.result(STARTING)
        yield site
    finally:
        site.end()
        thread.join(60)


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """Debian's chromium."""
    with sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def moment(board: northrail.Board, phase: str, seats: int = 2, ways: int = 1, claimed: int = 4) -> Json:
    """A position of a random game in which seat 0 is in `phase`, with at least that many moves and claimed routes."""
    for seed in range(200):
        game, chance = northrail.Game(board, seats, seed, first=0), random.Random(seed)
        while not game.over:
            moves = game.moves()
            if (game.phase, game.seat) == (phase, 0) and len(moves) >= ways and _claimed(game) >= claimed:
                return game.position()
            game.play(chance.choice(moves))
    raise AssertionError(f"no random game reaches {phase}")


def _claimed(game: northrail.Game) -> int:
    return len(game.view().owners)


# --- one person -------------------------------------------------------------------------------------------------------

# Shared by the JavaScript below: the name of a control, and every control that can be pressed now.
NAME = """
  const nameOf = each => (each.getAttribute("aria-label") ?? each.innerText ?? "").trim();
"""
FIND = f"""{NAME}
  const found = [...document.querySelectorAll("button, a[href], [role=button]")]
    .filter(each => !each.disabled && each.ariaDisabled !== "true" && each.checkVisibility());
"""
# All controls as (role, name, is checked).
OFFERS = f"""() => {{{FIND}
  const roleOf = each => each.getAttribute("role") ?? (each.matches("a") ? "link" : "button");
  return found.map(each => [roleOf(each), nameOf(each), each.getAttribute("aria-checked") === "true"]);
}}"""
# The same, once the last press was processed and a control matches the pattern.
READY = f"""pattern => {{
  if (document.querySelector("main .status")?.textContent.includes("One moment")) return null;
  const offers = ({OFFERS})();
  return offers.some(([, name]) => new RegExp(pattern).test(name)) ? offers : null;
}}"""
# Where to press the control with that name once it stops moving (a route: at its middle space), and what covers it.
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
# The name of the focused control, and whether the focus is visible.
FOCUSED = f"""() => {{{NAME}
  const at = document.activeElement, shape = getComputedStyle(at);
  const isMarked = shape.outlineStyle !== "none" || shape.boxShadow !== "none";
  return [nameOf(at), isMarked || at === document.body || at.matches("svg *")];
}}"""
# Whether the control with that name comes before the focused one.
IS_BEFORE = f"""name => {{{FIND}
  const it = found.find(each => nameOf(each) === name), at = document.activeElement;
  return !!it && at !== document.body && !!(at.compareDocumentPosition(it) & Node.DOCUMENT_POSITION_PRECEDING);
}}"""
WORDS = """() => {
  const banner = document.querySelector(".banner")?.innerText ?? "";
  return (document.querySelector("main")?.innerText ?? "").replace(banner, "").replace(/\\s+/g, " ");
}"""

ROUTE = re.compile(r"^(?P<cities>.+?–.+?) (?P<colour>\S+)[^,]*, (?P<spaces>\d+) spaces?, \d+ points?")
PAYS = r"^(Claim for \d+ points?|Try the tunnel)$"
KEEPS = r"^Keep \d+ tickets?$"
ADDS = r"^Add "
COVERED = r"^I am "
HANDS_OVER = r"^Hand over to "
OVER = r"^Download record$"
DRAWS = r"^(Take |Draw from the deck|Pass$)"
GIVES_UP = r"^Give up and take"
TICKET = r", \d+ points?, (needs|completed|can’t)"
CLAIMS = r"–.+, \d+ spaces?, \d+ points?"  # all there is to do once the deck is empty
SOMETHING = f"{PAYS}|{KEEPS}|{ADDS}|{COVERED}|{HANDS_OVER}|{OVER}|{DRAWS}|{GIVES_UP}|{TICKET}|{CLAIMS}"


@dataclass(frozen=True)
class Offer:
    """A control that can be pressed."""

    role: Any
    name: str
    checked: bool


@dataclass
class Person:
    """A person at a page, who plays with the controls it offers."""

    page: Page
    address: str
    hands: Hands = "mouse"
    worth: int = 1  # claim only routes with at least this many spaces; longer ones make a shorter game
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    news: list[Json] = field(default_factory=list)  # everything received over sockets
    complaints: list[str] = field(default_factory=list)  # errors and warnings of the browser's console
    pressed: list[str] = field(default_factory=list)
    is_window_changed: bool = False  # in a way that cannot be undone, so that nobody else should use it

    def __post_init__(self) -> None:
        self.page.on("console", self._log)
        self.page.on("pageerror", self._fail)
        self.page.on("websocket", self._listen)

    def leave(self) -> None:
        """Stop listening: somebody else may use the window."""
        self.page.remove_listener("console", self._log)
        self.page.remove_listener("pageerror", self._fail)
        self.page.remove_listener("websocket", self._listen)

    def _fail(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _log(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        # A window that changes hands shows a page without an icon, and the browser asks for one some time later.
        if message.type in ("error", "warning") and not where.endswith("/favicon.ico"):
            self.complaints.append(f"{message.text} ({where})")

    def _listen(self, socket: WebSocket) -> None:
        known: Json = {}

        def receive(frame: str | bytes) -> None:
            nonlocal known
            known = merged(known, json.loads(frame))
            self.news.append(known)

        socket.on("framereceived", receive)

    # --- going about

    def go(self, path: str) -> None:
        """Open a path of the server."""
        self.page.goto(self.address + path)

    def run_before_each_page(self, script: str) -> None:
        """Run a script whenever a page opens, before its own scripts."""
        self.is_window_changed = True
        self.page.add_init_script(script)

    def sit(self, table: tuple[str, str]) -> None:
        """Open a table with the cookie of a seat."""
        name, cookie = table
        domain = self.address.removeprefix("http://").split(":")[0]
        path = f"/api/tables/{name}"
        self.page.context.add_cookies([{"name": COOKIE, "value": cookie, "domain": domain, "path": path}])
        self.go(f"/t/{name}")

    @property
    def table(self) -> str:
        """The id of the open table."""
        return self.page.url.rsplit("/", 1)[-1]

    def words(self) -> str:
        """All text on the page except the banner, which goes away by itself."""
        found: str = self.page.evaluate(WORDS)
        return found

    def until_words_are(self, words: str) -> None:
        """Wait until the page has the same words again."""
        for _ in range(300):
            if self.words() == words:
                return
            self.page.wait_for_timeout(50)
        assert self.words() == words

    def picture(self, name: str) -> None:
        """Save a screenshot."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png")

    def names(self) -> list[str]:
        """The names at the table."""
        return [seat["name"] for seat in self.news[-1]["table"]["seats"]]

    def hand(self) -> int:
        """The number of cards in hand, as the page shows it."""
        heading = self.page.get_by_role("heading", name="Your cards").inner_text()
        return int(heading.rsplit(" ", 1)[1])

    def phase(self) -> str:
        """The phase in the latest news."""
        phase: str = self.news[-1]["view"]["phase"]
        return phase

    @contextmanager
    def without_network(self) -> Iterator[None]:
        """Cut the network. Chromium's offline mode keeps sockets open, so refuse new ones too."""
        is_cut = True

        def connect(socket: WebSocketRoute) -> None:
            if is_cut:
                socket.close()
            else:
                socket.connect_to_server()

        self.is_window_changed = True
        self.page.context.route_web_socket("**/socket?*", connect)
        self.page.context.set_offline(True)
        yield
        is_cut = False
        self.page.context.set_offline(False)

    def forgive_the_network(self) -> None:
        """Drop the browser's complaints about a network that was cut on purpose."""
        self.complaints = [said for said in self.complaints if "ERR_" not in said and "WebSocket" not in said]

    # --- pressing

    def offers(self, pattern: str = SOMETHING) -> list[Offer]:
        """The controls that can be pressed, once one of them matches the pattern."""
        try:
            found = self.page.wait_for_function(READY, arg=pattern, polling=50).json_value()
        except TookTooLong:
            self.picture("stuck")
            offered = self.page.evaluate(OFFERS)
            raise AssertionError(
                f"expected {pattern}, got {offered} after {self.pressed[-8:]}; see .cache/pictures/stuck.png"
            ) from None
        return [Offer(*each) for each in found]

    def press(self, name: str, is_tick: bool = False) -> None:
        """Press the control with that name, by mouse, finger or keys."""
        self.pressed.append(name)
        if self.hands == "keys":
            self._tab_to(name, lambda focused: focused == name)
            self.page.keyboard.press("Space" if is_tick else "Enter")
            return
        place = self.page.evaluate(PLACE, name)
        assert place, f"no control has the name {name!r}"
        x, y, over = place
        assert not over, f"{name!r} cannot be pressed: {over} covers it"
        if self.hands == "finger":
            self.page.touchscreen.tap(x, y)
        else:
            self.page.mouse.click(x, y)

    def press_like(self, pattern: str) -> None:
        """Press the first control whose name matches, once there is one."""
        self.press(_named(self.offers(pattern), pattern)[0].name)

    def press_route(self, name: str) -> None:
        """Choose a route on the map, and check that the page selects the same one."""
        if self.hands == "keys":
            self._tab_to(name, lambda focused: ROUTE.match(focused) is not None)
            arrow = "ArrowUp" if self.page.evaluate(IS_BEFORE, name) else "ArrowDown"
            for _ in range(200):
                if self._focused() == name:
                    break
                self.page.keyboard.press(arrow)
        self.press(name)
        found = ROUTE.match(name)
        assert found
        self.offers(PAYS)
        heading = self.page.locator("#pay-title").inner_text()
        assert heading == found["cities"], f"pressed {name}, got {heading}"

    def _focused(self) -> str:
        name, is_seen = self.page.evaluate(FOCUSED)
        assert is_seen, f"the focus on {name!r} is not visible"
        found: str = name
        return found

    def _tab_to(self, name: str, is_there: Callable[[str], bool]) -> None:
        """Press Tab, or Shift and Tab, in the direction of the control with that name."""
        key, passed = "Shift+Tab" if self.page.evaluate(IS_BEFORE, name) else "Tab", [self._focused()]
        while not is_there(passed[-1]):
            if len(passed) > 150:
                raise AssertionError(f"after {self.pressed[-3:]} {key} only reaches {list(dict.fromkeys(passed))}")
            self.page.keyboard.press(key)
            passed.append(self._focused())

    def tab_to_field(self, name: str) -> None:
        """Tab to the form field with that name or label."""
        for _ in range(50):
            if name in self.page.evaluate("() => [document.activeElement.name, document.activeElement.ariaLabel]"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {name}")

    # --- playing

    def play(self, moves: int = 1_000) -> bool:
        """Play that many moves, or to the end; return whether the game is over."""
        for _ in range(moves):
            offers = self.offers()
            if _named(offers, OVER):
                return True
            self.choose(offers)
        return False

    def is_to_move(self) -> bool:
        """Whether the tab's title says so and the last press was processed."""
        is_waiting = "document.querySelector('main .status')?.textContent.includes('One moment')"
        to_move: bool = self.page.evaluate(f"() => document.title.startsWith('●') && !{is_waiting}")
        return to_move

    def is_over(self) -> bool:
        """Whether the final table is shown."""
        return self.page.get_by_text("Download record", exact=True).is_visible()

    def choose(self, offers: list[Offer]) -> None:
        """Press one of the controls that make a move."""
        for pattern in (COVERED, HANDS_OVER, KEEPS, PAYS, ADDS, GIVES_UP):
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
        """The final table as shown, winner first."""
        rows = []
        for row in self.page.locator("section", has=self.page.locator("#final-title")).locator("ol > li").all():
            words = " ".join(row.inner_text().split()).replace(MINUS, "-").replace("+", "")
            rows.append(
                {
                    "text": words,
                    "seat": int(row.get_attribute("data-seat") or ""),
                    "is_winner": "winner" in words,
                    **{name: int(_number_after(name.capitalize(), words)) for name in ("total", "routes", "tickets")},
                }
            )
        return rows

    def record(self) -> Json:
        """Download the record."""
        with self.page.expect_download() as coming:
            self.press("Download record")
        found: Json = json.loads(coming.value.path().read_text(encoding="utf-8"))
        return found


class Visit(Protocol):
    """Opens a browser for a person."""

    def __call__(
        self,
        device: Device = "laptop",
        theme: Theme = "light",
        hands: Hands | None = None,
        has_motion: bool = False,
        is_new: bool = False,
    ) -> Person:
        """A person at a browser of their own: a laptop with a mouse, or a phone with touch.

        It has no cookies and nothing stored. If it is new, it has nothing cached either.
        """


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


def same_as_the_engine(person: Person) -> northrail.Game:
    """Check that the engine, given the downloaded record, scores the game as the page shows it."""
    game = northrail.Game.replay(person.record())
    assert game.over
    shown, names = person.final(), person.names()
    assert len(shown) == game.seats
    for row in shown:
        score = game.scores()[row["seat"]]
        assert names[row["seat"]] in row["text"]
        assert row["is_winner"] == (row["seat"] in game.winners())
        for name in ("total", "routes", "tickets"):
            assert row[name] == getattr(score, name), f"{names[row['seat']]}: {name}"
        assert row["total"] == row["routes"] + row["tickets"] + sum(score.bonuses.values())
        if game.board.bonus_cards:
            assert int(_number_after("Bonus", row["text"])) == sum(score.bonuses.values())
    below = person.page.locator("section", has=person.page.locator("#final-title")).last.inner_text()
    for seat, score in enumerate(game.scores()):
        for bonus in score.bonuses:
            assert re.search(rf"{re.escape(bonus)} .*: .*{re.escape(names[seat])}", below)
    for title, value in (("Tickets completed", "completed"), ("Longest path", "longest")):
        if title in below:
            for seat, score in enumerate(game.scores()):
                assert re.search(rf"{title}: .*{re.escape(names[seat])} {getattr(score, value)}\b", below)
    totals = [row["total"] for row in shown]
    assert totals == sorted(totals, reverse=True)
    return game


# --- how it looks -----------------------------------------------------------------------------------------------------


def context_of(chromium: Browser, device: Device, theme: Theme, has_motion: bool) -> BrowserContext:
    """A browser context with its own cookies, screen size and theme."""
    context = chromium.new_context(
        **DEVICES[device],
        color_scheme=theme,
        reduced_motion="no-preference" if has_motion else "reduce",
        locale="en-GB",
        accept_downloads=True,
    )
    context.set_default_timeout(PATIENCE)
    return context


class Windows:
    """Browser windows that people use one after the other: the first page of a new one takes seconds.

    A window that comes back forgets what was done in it.
    """

    def __init__(self, chromium: Browser, address: str) -> None:
        self._chromium, self._address = chromium, address
        self._free: dict[Device, list[Page]] = {"laptop": [], "phone": []}

    def open(self, device: Device, theme: Theme, hands: Hands | None, has_motion: bool, is_new: bool) -> Person:
        """A person at a window that nobody else uses."""
        free = [] if is_new else self._free[device]
        page = free.pop() if free else context_of(self._chromium, device, theme, has_motion).new_page()
        page.emulate_media(color_scheme=theme, reduced_motion="no-preference" if has_motion else "reduce")
        return Person(page, self._address, hands or ("finger" if device == "phone" else "mouse"))

    def give_back(self, person: Person, device: Device) -> None:
        """Make a window as good as new, or close it."""
        person.leave()
        page, context = person.page, person.page.context
        if person.is_window_changed:
            context.close()
            return
        for other in context.pages:
            if other is not page:
                other.close()
        page.unroute_all()
        page.goto(f"{self._address}/health")  # a page without scripts, where nothing is stored again
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        context.clear_cookies()
        page.set_viewport_size(DEVICES[device]["viewport"])
        self._free[device].append(page)


# Checking the map takes axe most of its time, so take the map out unless it is wanted.
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


# Controls outside the screen, and labels wider than their buttons.
CUT = """() => [...document.querySelectorAll("button, a[href], select")]
  .filter(each => !each.closest("svg") && each.checkVisibility()).flatMap(each => {
    const box = each.getBoundingClientRect(), name = each.ariaLabel ?? each.innerText.slice(0, 40);
    if (box.left < -1 || box.right > innerWidth + 1) return [`${name} is outside the screen`];
    return each.matches(".button") && each.scrollWidth > each.clientWidth + 1 ? [`${name} is cut off`] : [];
  })"""


def faults(page: Page, has_map: bool) -> list[str]:
    """Return serious and critical findings of axe-core, and whatever does not fit the screen.

    The map is the same on all screens of a game, so checking it on some is enough.
    """
    if not AXE.is_file():
        pytest.fail("these tests need axe-core; run make page", pytrace=False)
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(AXE_RUN, has_map)
    if page.evaluate("() => document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        found.append("the page is wider than the screen")
    found += page.evaluate(CUT)
    return found
