"""Methods that learn, and players that do not, on the same games of one player: who gets how far, after how much training."""
