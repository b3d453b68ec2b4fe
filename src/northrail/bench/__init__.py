"""Benchmarks: how fast the engine and the players are, and how many tables the server can handle."""
