"""The page is built from what the server says."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "page"


@pytest.mark.parametrize("name", ["openapi.json", "themes.json"])
def test_what_the_page_takes_from_the_server_is_what_the_server_says(name: str) -> None:
    exports = runpy.run_path(str(ROOT / "tools" / "page_types.py"))["exports"]()
    kept = (PAGE / "from-server" / name).read_text(encoding="utf-8")
    assert json.loads(kept) == json.loads(exports[name]), "the server has changed; run make page-types"
    assert kept == exports[name]


def test_the_lock_file_says_what_to_install_on_every_machine_and_not_where_from() -> None:
    text = (PAGE / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text, "page/.npmrc keeps them out; install with it"
    packages = json.loads(text)["packages"]
    # A registry that lacks one machine's build leaves it out, and then npm ci refuses the whole file.
    wanted = {
        (inside, name) for inside, package in packages.items() for name in package.get("optionalDependencies", {})
    }
    missing = [
        name
        for inside, name in wanted
        if not {f"node_modules/{name}", f"{inside}/node_modules/{name}"} & packages.keys()
    ]
    assert missing == []
