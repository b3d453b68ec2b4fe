"""`python -m northrail`: the same as the command `northrail`."""

from northrail.cli.app import app

if __name__ == "__main__":
    app()
