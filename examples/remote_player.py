"""Join a table by its link and play to the end: python remote_player.py http://localhost:8000/t/NAME

This needs only the websockets package. Replace `choose` with something clever: `news` has all that the seat may know.
"""

import json
import random
import sys
from urllib.request import Request, urlopen

from websockets.sync.client import connect


def choose(news, choices):  # noqa: ARG001  # a clever player would look at the news
    """Return a random choice."""
    return random.Random().choice(choices)


def play(link, name="Robot"):
    """Join a table, play whenever it is our turn, and return the final scores."""
    table, headers = link.replace("/t/", "/api/tables/"), {"content-type": "application/json"}

    def ask(path, body=None):
        with urlopen(Request(table + path, body and json.dumps(body).encode(), headers)) as answer:
            return json.load(answer)

    headers["authorization"] = f"Bearer {ask('/seats?keys=true', {'name': name})['key']}"
    with connect(table.replace("http", "ws", 1) + "/socket", additional_headers=headers, max_size=None) as socket:
        for message in socket:
            news, now = json.loads(message), ask("/choices")
            if news["table"]["status"] in ("over", "closed"):
                break
            if now["choices"]:
                choice = choose(news, now["choices"])
                ask("/moves", {"seat": now["seat"], "version": now["version"], "choice": choice})
    return news["final"]


if __name__ == "__main__":
    print(json.dumps(play(*sys.argv[1:]), indent=1))
