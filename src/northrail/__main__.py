"""Run `python -m northrail` as the `northrail` command."""

from northrail.cli.app import app

if __name__ == "__main__":
    app()
