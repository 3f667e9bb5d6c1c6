"""Multi-armed bandits: the two ways of trying arms behind flat Monte Carlo and UCT, their regret, and what bounds it."""
