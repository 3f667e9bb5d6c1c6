"""Keras, imported without the greetings of its backend."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """TensorFlow writes to the terminal itself, past Python, while it is imported."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
with _silence():
    import keras

    if os.environ["KERAS_BACKEND"] == "tensorflow":
        import tensorflow

        tensorflow.get_logger().setLevel("ERROR")
        tensorflow.config.threading.set_intra_op_parallelism_threads(1)  # self-play has the other cores

__all__ = ["keras"]
