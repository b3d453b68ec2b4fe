"""Import optional dependencies: matplotlib and Ray, which only an extra installs."""

import importlib
from typing import Any

from northrail.arena.contest import BadRun


def import_extra(module: str, extra: str) -> Any:
    """Return a module that an extra installs; raise BadRun with the install command if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BadRun(f"{module} is not installed; run: pip install 'northrail[{extra}]'") from error
