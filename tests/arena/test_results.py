"""Saved results, and resuming them."""

import itertools
import json
import re
from pathlib import Path

from contests import contest

from northrail.arena import Run, play_game, read_run, results_here


def test_results_depend_neither_on_the_number_of_processes_nor_on_resuming(tmp_path: Path) -> None:
    of = contest("random", "random:", seed=100)
    whole = [play_game(of, number) for number in range(12)]
    path = tmp_path / "run.jsonl"
    begun = Run.of(path, of, "northern-lights", ["random", "random:"], 12)
    begun.begin()
    first = list(itertools.islice(begun.add(results_here(of, range(12), processes=2)), 5))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"game": 11, "se')  # torn, as when a machine loses its power
    again, results = read_run(path)
    assert again == begun and again.contest() == of
    assert results == sorted(first, key=lambda result: result.game)
    done = {result.game for result in results}
    list(again.add(results_here(of, (game for game in range(12) if game not in done), processes=1)))
    assert read_run(path)[1] == whole
    lines = path.read_text(encoding="utf-8").splitlines()
    timeless = [
        re.sub(r', "seconds": .*', "", line) for line in sorted(lines[1:], key=lambda line: json.loads(line)["game"])
    ]
    assert timeless == [re.sub(r', "seconds": .*', "", result.line()) for result in whole]
