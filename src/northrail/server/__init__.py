"""Tables on the network, for people in a browser and for programs.

Clients send commands over HTTP, and the server pushes news over a WebSocket. A command is one whole choice, such as a
claim with its cards. The server tries it on a copy of the game, stores it, and only then tells anyone. Each piece of
news holds everything its seat may know, so it does not matter if a client misses earlier ones.

Each subpackage calls only those below it:

- `run` listens, logs and shuts down; `http` has the endpoints, the socket, rate limits and the page's files.
- `tables` holds the tables in memory: the `registry` loads them, a `session` plays one, `seating` handles seats, links
  and rematches, `bots` think in threads in fair `turns`, and `hints` say what the planner would do.
- `store` saves tables in SQLite or PostgreSQL. `wire` defines and builds the messages. Neither imports the other.
- `match` is a match without any I/O; `settings` are limits and paths.

The store is authoritative; memory is only a cache, in any number of processes. Every change increments the table's
revision. A process that finds a newer revision than its own reads the changes. Commands have the primary key (table,
version): if two processes play the same version, the second insert fails. So bots and clocks need no other lock.

SQLite runs in threads, one whole transaction at a time: an asyncio driver would switch threads a dozen times per move.
Sockets name IPPROTO_TCP, because asyncio sets TCP_NODELAY only then. Without it, every response waits 40 ms.

Nothing we send reveals what a seat may not know, not even by its timing or its numbers. Bots pause equally long
whatever they hold, and refusals leave out the engine's move number. `tests/server/test_server_secrets.py` compares
every byte.
"""
