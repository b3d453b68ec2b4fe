"""What only an extra brings along: matplotlib and Ray."""

import importlib
from typing import Any

from northrail.arena.contest import BadRun


def optional(module: str, extra: str) -> Any:
    """A module of an extra; raises BadRun with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as fault:
        raise BadRun(
            f"this needs {module}, which is not installed; expected: pip install 'northrail[{extra}]'"
        ) from fault
