"""What pytest leaves out: modules for packages that are not installed. OpenSpiel comes with `make test-long`."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("pyspiel") else ["src/northrail/research/open_spiel_game.py"]
