"""Let OpenSpiel's IS-MCTS play a game against a random player.

pip install 'northrail[research]'
python examples/open_spiel_ismcts.py --simulations 50
"""

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

import northrail.research.open_spiel_game  # noqa: F401  # registers python_northrail


def play(board: str, simulations: int, seed: int) -> list[float]:
    """Play a game; player 0 searches, the others move at random. Return what each has won."""
    chance = np.random.RandomState(seed)
    game = pyspiel.load_game(f"python_northrail(board={board},players=2)")
    searcher = ismcts.ISMCTSBot(
        game=game,
        evaluator=mcts.RandomRolloutEvaluator(1, chance),
        uct_c=2.0,
        max_simulations=simulations,
        random_state=chance,
    )
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(chance.choice(outcomes, p=probabilities)))
            continue
        player = state.current_player()
        action = searcher.step(state) if player == 0 else int(chance.choice(state.legal_actions()))
        if player == 0:
            print(f"IS-MCTS: {state.action_to_string(player, action)}", flush=True)
        state.apply_action(action)
    return state.returns()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--board", default="nordic-countries")
    parser.add_argument("--simulations", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    won = play(options.board, options.simulations, options.seed)
    print(f"IS-MCTS {'wins' if won[0] > 0 else 'ties' if won[0] == 0 else 'loses'}")
