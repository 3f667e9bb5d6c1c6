"""Games as they are kept: the record, its SQLite store, and the window of positions that training draws from."""
