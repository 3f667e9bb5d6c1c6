"""Material to learn from: worked examples, computed by the real search."""
