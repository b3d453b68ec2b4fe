"""The tables in memory: sessions, seats, bots, keys and background tasks."""
