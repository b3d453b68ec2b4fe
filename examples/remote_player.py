"""A player that joins a table by its link and plays to the end: python remote_player.py http://localhost:8000/t/NAME

It needs only the package websockets. Everything it may do stands in the news: replace `choose` by something clever.
"""

import json
import random
import sys
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from websockets.sync.client import connect


def choose(options):
    """Any choice: claim if one can, else draw."""
    if options["keep"]:
        return {"kind": "keep", "tickets": [ticket["number"] for ticket in options["keep"]["offered"]]}
    if options["tunnel"]:
        ways = options["tunnel"]["payments"]
        return {"kind": "tunnel", "cards": ways[0]} if ways else {"kind": "give_up"}
    if options["claim"]:
        route, claim = random.Random().choice(list(options["claim"].items()))
        return {"kind": "claim", "route": int(route), "cards": claim["payments"][0]}
    if options["take"] or options["blind"]:
        return {"kind": "blind"} if options["blind"] else {"kind": "take", "colour": options["take"][0]}
    return {"kind": "draw_tickets"} if options["draw_tickets"] else {"kind": "pass"}


def play(link, name="Robot"):
    """Join, answer whenever one is asked, and give the final table."""
    parts = urlsplit(link)
    table = f"{parts.netloc}/api/tables/{parts.path.rsplit('/', 1)[-1]}"
    headers = {"content-type": "application/json"}

    def post(path, body):
        asked = Request(f"{parts.scheme}://{table}{path}", json.dumps(body).encode(), headers)
        with urlopen(asked) as answer:
            return json.load(answer)

    seat = post("/seats?keys=true", {"name": name})
    headers["authorization"] = f"Bearer {seat['key']}"
    wire = "wss" if parts.scheme == "https" else "ws"
    with connect(f"{wire}://{table}/socket", additional_headers=headers, max_size=None) as socket:
        answered = -1
        for message in socket:
            news = json.loads(message)
            if news["final"] or news["table"]["status"] == "closed":
                return news["final"]
            version, options = news["version"], news["view"] and news["view"]["options"]
            if options and version > answered:  # chat and people who come and go make news too
                answered = version
                post("/moves", {"seat": seat["seat"], "version": version, "choice": choose(options)})
    return None


if __name__ == "__main__":
    print(json.dumps(play(*sys.argv[1:]), indent=1))
