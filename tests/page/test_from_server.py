"""The files that the page takes from the server are current."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "page"


@pytest.mark.parametrize("name", ["openapi.json", "themes.json"])
def test_the_exported_files_are_what_the_server_exports(name: str) -> None:
    exports = runpy.run_path(str(ROOT / "tools" / "page_types.py"))["exports"]()
    kept = (PAGE / "from-server" / name).read_text(encoding="utf-8")
    assert json.loads(kept) == json.loads(exports[name]), "the server changed; run make page-types"
    assert kept == exports[name]


def test_the_lock_file_covers_every_platform_and_names_no_registry() -> None:
    text = (PAGE / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text, "install with page/.npmrc, which leaves them out"
    packages = json.loads(text)["packages"]
    # npm leaves out platforms that a registry lacks, and then npm ci refuses the whole file on those platforms.
    wanted = {
        (inside, name) for inside, package in packages.items() for name in package.get("optionalDependencies", {})
    }
    missing = [
        name
        for inside, name in wanted
        if not {f"node_modules/{name}", f"{inside}/node_modules/{name}"} & packages.keys()
    ]
    assert missing == []
