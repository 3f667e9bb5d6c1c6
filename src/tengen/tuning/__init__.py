"""Natural selection: players with different parameters fight, losers die, winners breed."""
