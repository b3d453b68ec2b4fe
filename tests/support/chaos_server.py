"""A server that starts in a moment. Import this once and fork: boards and lessons are then loaded and drawn already."""

import functools
import gc
import os

from serving import ROOMY

from northrail.boards.load import load_board
from northrail.errors import NorthrailError
from northrail.lessons import load_lessons
from northrail.server import run
from northrail.server.settings import Settings
from northrail.server.tables import registry
from northrail.server.wire.catalogue import board_bytes

vars(registry).update(load_board=functools.cache(load_board), load_lessons=functools.cache(load_lessons))
for _board in registry.TableRegistry(Settings(database="unused.db")).boards.values():
    board_bytes(_board)
gc.collect()
gc.freeze()


def serve(database: str, port: int, log: str) -> None:
    """Serve until killed."""
    output = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    os.dup2(output, 2)
    settings = Settings(database=database, pace=0.0, workers=1, limits=ROOMY)
    try:
        run.serve(settings, "127.0.0.1", port, "", True, lambda _line: None, False)
    except NorthrailError:
        os._exit(3)  # the database is down; the test starts the server again
