"""The rules of both games: structs and kernels, and `Game`, their face in Python."""
