"""Benchmarks: how fast the engine and its players are, and how many tables the server holds."""
