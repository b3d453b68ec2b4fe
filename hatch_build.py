"""Build hook for hatchling: compile the kernels before packing a wheel or installing in editable mode."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own examples leave it out
    """Compile the kernels, so that installing the wheel needs no compiler."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into the package or, if it is read-only, into a temporary folder that is added to the wheel."""
        root = Path(self.root)
        sys.path.insert(0, str(root / "tools"))
        from compile_kernels import SUFFIX, BuildFailed, compile_kernels, print_progress

        folder, work = root / "src" / "northrail" / "compiled", root / ".cache" / "kernels"
        if version != "editable" and not os.access(folder, os.W_OK):
            self._elsewhere = tempfile.TemporaryDirectory()
            folder, work = Path(self._elsewhere.name) / "compiled", Path(self._elsewhere.name) / "work"
        try:
            compile_kernels(folder, work, print_progress)
        except BuildFailed as error:
            sys.exit(f"\n{error}\n")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version != "editable":
            for path in (*folder.glob(f"*{SUFFIX}"), folder / "manifest.json"):
                build_data["force_include"][str(path)] = f"northrail/compiled/{path.name}"
