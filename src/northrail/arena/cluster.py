"""Play the same games on many machines: a Ray cluster."""

import itertools
import pickle
from collections.abc import Iterable
from typing import Any

from northrail.arena.contest import BadRun, Contest
from northrail.arena.match import Result, Results
from northrail.arena.workers import WorkerPool
from northrail.extras import import_extra


class RemoteWorker:
    """A Ray actor with one worker process, so that a player that hangs can be killed on the cluster too."""

    def __init__(self, pickled: bytes) -> None:
        self.pool = WorkerPool(pickled, 1)

    def play(self, numbers: list[int]) -> list[Result]:
        """Play these games and return their results."""
        return list(self.pool.play(numbers))


def results_on_ray(
    contest: Contest, numbers: Iterable[int], address: str = "", processes: int | None = None
) -> Results:
    """Play these games on a Ray cluster and yield the results as they arrive; by default on every core of the cluster.

    Without an address we use RAY_ADDRESS, else a cluster running on this machine, else a new one on this machine.
    Northrail must be installed on every machine. Your own board and player files are sent there.
    """
    ray = import_extra("ray", "cluster")
    try:
        ray.init(address=address or None, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # Ray raises many types when a cluster does not start
        raise BadRun(f"expected a Ray cluster{' at ' * bool(address)}{address}, got {error}") from error
    try:
        remote_worker = ray.remote(num_cpus=1)(RemoteWorker)
        pickled = pickle.dumps(contest)
        free = processes or int(ray.cluster_resources().get("CPU", 1))
        queue = iter(numbers)
        idle: list[Any] = []
        waiting: dict[Any, Any] = {}  # task -> the worker that runs it
        while True:
            while (idle or free) and (some := list(itertools.islice(queue, contest.deal_games))):
                if not idle:
                    free -= 1
                    idle.append(remote_worker.remote(pickled))
                worker = idle.pop()
                waiting[worker.play.remote(some)] = worker
            if not waiting:
                return
            for task in ray.wait(list(waiting))[0]:
                yield from ray.get(task)
                idle.append(waiting.pop(task))
    except ray.exceptions.RayError as error:
        raise BadRun(f"the Ray cluster failed: {str(error).strip().splitlines()[-1]}") from error
    finally:
        ray.shutdown()
