"""Boards and games as pictures."""
