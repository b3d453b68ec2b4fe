"""Damaged positions, records and boards: they are refused with a sentence, or they play."""

import json
import secrets

import pytest
from mutations import FOUND, KINDS, fault_of, fuzz, made
from tables import SIZE

pytestmark = pytest.mark.engine

INPUTS = 100_000
TRIES = SIZE.pick(30, 100)


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.json")), ids=lambda path: path.stem)
def test_what_once_failed_does_not_fail_again(path: object) -> None:
    kept = json.loads(path.read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    assert fault_of(kept["kind"], kept["input"]) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_refused_or_plays(kind: str) -> None:
    for number in range(SIZE.pick(25, 150)):
        given = made(kind, 1, number)
        fault = fault_of(kind, given)
        assert fault is None, f"{fault}; the input is made({kind!r}, 1, {number})"


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_new_damage_every_time(kind: str) -> None:
    found = fuzz(kind, secrets.randbits(32), INPUTS)
    assert found == [], "fix these, and commit their files with the fix"


def test_both_sides_are_reached() -> None:
    """A fuzzer whose inputs are all refused at the first field finds nothing."""
    for kind, use in ((kind, KINDS[kind].use) for kind in KINDS):
        played = 0
        for number in range(TRIES):
            try:
                use(made(kind, 2, number))
                played += 1
            except Exception:  # other tests look at these
                continue
        assert 1 <= played < TRIES, kind
