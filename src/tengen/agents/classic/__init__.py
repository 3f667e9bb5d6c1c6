"""Gomoku without a network: threat search (`threats`), alpha-beta (`alphabeta`), and the players that use them (`players`)."""
