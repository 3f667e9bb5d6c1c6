"""Many games at once, one batched evaluator."""
