"""Import optional dependencies, such as matplotlib, Ray or Gymnasium, which only an extra installs."""

import importlib
from typing import Any

from northrail.errors import NorthrailError


def import_extra(module: str, extra: str) -> Any:
    """Return a module that an extra installs; raise an error with the install command if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NorthrailError(f"{module} is not installed; run: pip install 'northrail[{extra}]'") from error
