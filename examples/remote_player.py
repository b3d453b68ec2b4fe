"""Join a table by its link and play to the end: python remote_player.py http://localhost:8000/t/NAME

This needs only the package websockets. Replace `choose` with your own bot: `news` has everything its seat may know.
"""

import json
import random
import sys
from urllib.request import Request, urlopen

from websockets.sync.client import connect


def choose(news, choices):  # noqa: ARG001  # a better bot reads the news
    """Return a random choice."""
    return random.Random().choice(choices)


def play(link, name="Robot"):
    """Join, move whenever it is our turn, and return the final scores."""
    table, headers = link.replace("/t/", "/api/tables/"), {"content-type": "application/json"}

    def ask(path, body=None):
        with urlopen(Request(table + path, body and json.dumps(body).encode(), headers)) as answer:
            return json.load(answer)

    headers["authorization"] = f"Bearer {ask('/seats?keys=true', {'name': name})['key']}"
    with connect(table.replace("http", "ws", 1) + "/socket", additional_headers=headers, max_size=None) as socket:
        for message in socket:
            news = json.loads(message)
            if news["table"]["status"] in ("over", "closed"):
                break
            if news["table"]["turn"] in news["yours"]:
                now = ask("/choices")
                choice = choose(news, now["choices"])
                ask("/moves?news=false", {"seat": now["seat"], "version": now["version"], "choice": choice})
    return news["final"]


if __name__ == "__main__":
    print(json.dumps(play(*sys.argv[1:]), indent=1))
