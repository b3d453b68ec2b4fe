"""The same games on many machines: a Ray cluster."""

import itertools
import pickle
from collections.abc import Iterable
from typing import Any

from northrail.arena.contest import BadRun, Contest
from northrail.arena.extras import optional
from northrail.arena.match import Result, Results
from northrail.arena.workers import Crew


class CrewOfOne:
    """A crew of one process that lives on a cluster, so that also there a player that hangs is ended and has lost."""

    def __init__(self, parcel: bytes) -> None:
        self.crew = Crew(parcel, 1)

    def play(self, numbers: list[int]) -> list[Result]:
        """The results of these games."""
        return list(self.crew.play(numbers))


def results_on_ray(
    contest: Contest, numbers: Iterable[int], address: str = "", processes: int | None = None
) -> Results:
    """The results of these games as they come, played by so many processes of a Ray cluster; None: one for each core.

    Without an address it is the one that RAY_ADDRESS names, else one that runs here, else a new one on this machine.
    Northrail must be installed on its machines; boards and players in files of one's own are sent there.
    """
    ray = optional("ray", "cluster")
    try:
        ray.init(address=address or None, log_to_driver=False, logging_level="ERROR")
    except Exception as fault:  # of any kind, as many as there are ways for a cluster not to start
        raise BadRun(f"expected a Ray cluster{' at ' * bool(address)}{address}, got {fault}") from fault
    try:
        crew_of_one = ray.remote(num_cpus=1)(CrewOfOne)
        parcel = pickle.dumps(contest)
        free = processes or int(ray.cluster_resources().get("CPU", 1))
        queue = iter(numbers)
        idle: list[Any] = []
        waiting: dict[Any, Any] = {}  # what is being played -> by whom
        while True:
            while (idle or free) and (some := list(itertools.islice(queue, contest.deal_games))):
                if not idle:
                    free -= 1
                    idle.append(crew_of_one.remote(parcel))
                crew = idle.pop()
                waiting[crew.play.remote(some)] = crew
            if not waiting:
                return
            for task in ray.wait(list(waiting))[0]:
                yield from ray.get(task)
                idle.append(waiting.pop(task))
    except ray.exceptions.RayError as fault:
        raise BadRun(f"expected a cluster that plays, got {str(fault).strip().splitlines()[-1]}") from fault
    finally:
        ray.shutdown()
