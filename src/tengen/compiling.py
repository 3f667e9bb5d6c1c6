"""How Tengen's Python becomes machine code, and when that code may be used again.

Two decorators, both plain Python under ``NUMBA_DISABLE_JIT=1`` (so a debugger steps through everything):

``@kernel``  a function that Python calls. Its machine code is kept on disk, one folder for each game.
``@inner``   a function that kernels call. It is compiled into them; Python runs it as it stands.
``@apart``   the same, not put into its callers whole.

Numba does not notice when a function *called* by a cached one changes: it would run stale code in silence.
So the folders' names hold hashes of everything the code was made from: the kernel's and the game's files with all that they
import of this package or beside a user's file (`sources.py`), the versions of Numba and Python, and the settings that
change the code (bounds checks, say). Numba itself adds the processor to its key. An edit elsewhere leaves the code as it is.

    CACHE/
      3f0c…/                          hash of Numba, Python, and how things are compiled
        tengen.games.hex.Hex/         a game, ours or a user's; `common` for kernels that take none
          tengen.search.kernel-91ab…/ the kernels of a module, with the hash of its files and the game's
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _Cache, _CacheLocator
from numba.extending import overload, register_jitable

from tengen import linking, sources

F = TypeVar("F", bound=Callable[..., Any])
A = TypeVar("A")

JIT_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_pipelines = None if numba.config.DISABLE_JIT else linking.pipelines()
UNCALLED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # nobody calls a part from Python or from C
PART_OPTIONS = JIT_OPTIONS | UNCALLED | ({"pipeline_class": _pipelines[0]} if _pipelines else {})
KERNEL_OPTIONS = JIT_OPTIONS | ({"pipeline_class": _pipelines[1]} if _pipelines else {})
KEPT_GENERATIONS = 4  # folders of older versions that are kept beside the present one

type_of_game: Any = numba.types.BaseNamedTuple

# Told the game's name when a first compilation begins, None when it is done; front ends show it.
Listener = Callable[[str | None], None]
_listeners: list[Listener] = []


def on_compile(listener: Listener) -> Callable[[], None]:
    """Have `listener` told "hex" when the code for hex is being compiled, and None when that is done or has failed.

    It is called in the thread that compiles. The function returned ends it.
    """
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def jit_is_disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT=1 makes everything plain Python."""
    return bool(numba.config.DISABLE_JIT)


def inner(function: F) -> F:
    """Mark a function that compiled code calls. It is put into its caller whole, so that nothing is passed around.

    Python runs it as it stands: nothing has to be compiled to play a move by hand.
    """
    return register_jitable(forceinline=True, **PART_OPTIONS)(function)  # type: ignore[no-any-return]


def apart(function: F) -> F:
    """Mark a function that compiled code calls, and that stays a function: where speed does not matter, it compiles faster."""
    # Numba hands "inline" down from the caller where a function does not say otherwise
    return register_jitable(forceinline=False, **PART_OPTIONS)(function)  # type: ignore[no-any-return]


@inner
def wide(number: Any) -> int:
    """A number out of an array of narrow ones, to call something with. Compiled, `int` leaves it narrow, and what is called
    with narrow numbers here and wide ones there is compiled twice."""
    return np.int64(number)  # type: ignore[return-value]


def kernel(function: F) -> F:
    """Mark a function that Python calls and whose machine code is cached."""
    dispatcher = numba.njit(**KERNEL_OPTIONS)(function)
    if not jit_is_disabled():
        dispatcher._cache = GameCache(function)
        dispatcher._compiler.compile = _telling(dispatcher._compiler.compile)
    return dispatcher  # type: ignore[no-any-return]


def _telling(compile: Callable[..., Any]) -> Callable[..., Any]:
    """Numba's compile, with the listeners told before it and after it, whether it succeeds or not.

    It is called only when there is nothing in the cache, and holds Numba's lock: one compilation at a time.
    """

    def compile_and_tell(arguments: Any, return_type: Any) -> Any:
        game = _game_class(arguments)
        if game is None:
            return compile(arguments, return_type)
        _tell_listeners(game.__qualname__.rpartition(".")[2].lower())
        try:
            return compile(arguments, return_type)
        finally:
            _tell_listeners(None)

    return compile_and_tell


def _borrow_in_plain_python(array: A) -> A:
    """See `borrow`."""
    return array


def _compiled_borrow() -> Callable[[A], A]:
    from llvmlite import ir
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def borrow(typing_context: Any, array: Any) -> Any:
        """The same array without a reference count, for use while its owner lives.

        Numba counts references to every array that a function is given, with atomic operations. A tree is eighteen
        arrays: counting them took half of the time of a search.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = context.make_array(signature.args[0])
            given, result = kind(context, builder, arguments[0]), kind(context, builder)
            cgutils.copy_struct(result, given)
            result.meminfo = ir.Constant(result.meminfo.type, None)
            result.parent = ir.Constant(result.parent.type, None)
            return result._getvalue()

        return array(array), generate

    return borrow  # type: ignore[no-any-return]


borrow = _borrow_in_plain_python if jit_is_disabled() else _compiled_borrow()


def constant(function: Callable[[], A]) -> Callable[[], A]:
    """Mark a function without arguments that makes a table (an array): compiled code holds the table itself.

    It is made when code that calls it is compiled, not when a module is loaded.
    """

    @functools.cache
    def made() -> A:
        return function()

    def table() -> A:
        return made()

    if not jit_is_disabled():

        @overload(table, jit_options=PART_OPTIONS, strict=False)  # type: ignore[untyped-decorator]
        def _compiled_table() -> Callable[[], A]:
            array = made()
            return lambda: array

    return functools.wraps(function)(table)


# ------------------------------------------------------------------------------------------- the cache


class GameCache(_Cache):  # type: ignore[misc]  # Numba ships no types
    """The cache of one kernel: a Numba cache for each game, in a folder keyed by that game's sources."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._folders: dict[str, FunctionCache] = {}

    @property
    def cache_path(self) -> str:
        return str(generation_folder())

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        found = None
        cache = self._cache_for(signature)
        if cache is not None:
            try:
                found = cache.load_overload(signature, target_context)
            except OSError:
                found = None
            except Exception:  # a damaged or foreign file: whatever it raises, compiling anew is the cure
                with contextlib.suppress(OSError):
                    cache.flush()  # Numba reads the index again before it saves, and would stumble over it again
        return found

    def save_overload(self, signature: Any, data: Any) -> None:
        cache = self._cache_for(signature)
        if cache is not None:
            with contextlib.suppress(OSError):  # a full or read-only disk costs the next process a compilation, no more
                cache.save_overload(signature, data)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None:
        for cache in self._folders.values():
            cache.flush()

    def _cache_for(self, signature: Any) -> FunctionCache | None:
        folder = _folder_name(self._function, signature)
        if folder is None:
            return None
        if folder not in self._folders:
            path = generation_folder() / folder
            _forget_old(path, re.compile(re.escape(self._function.__module__) + "-[0-9a-f]{16}"))
            self._folders[folder] = _FolderCache(self._function, path)
        return self._folders[folder]


class _FolderCache(FunctionCache):  # type: ignore[misc]
    """Numba's own cache, in a folder that we choose and whose name says all that its files depend on."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._folder = folder
        self._impl_class = lambda f: _FolderImpl(f, folder)
        super().__init__(function)


class _FolderImpl(CompileResultCacheImpl):  # type: ignore[misc]
    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._locator = _FolderLocator(folder)
        self._filename_base = f"{function.__module__}.{function.__qualname__}"


class _FolderLocator(_CacheLocator):  # type: ignore[misc]
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return ""


def _tell_listeners(game: str | None) -> None:
    for listener in list(_listeners):
        listener(game)


# --------------------------------------------------------------------------------- what the key is made of


def cache_root() -> Path:
    """The folder of all cached machine code; ``TENGEN_CACHE`` moves it."""
    if chosen := os.environ.get("TENGEN_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "tengen" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tengen"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tengen"


@functools.cache
def generation_folder() -> Path:
    """The folder for the present Numba and Python. Of others the latest few are kept."""
    settings = [numba.__version__, sys.version, numba.config.BOUNDSCHECK, numba.config.OPT, JIT_OPTIONS]
    how = [Path(__file__), Path(linking.__file__)]
    key = hashlib.sha256(repr(settings).encode() + b"".join(file.read_bytes() for file in how))
    folder = cache_root() / key.hexdigest()[:16]
    _forget_old(folder, _GENERATION)
    return folder


_GENERATION = re.compile("[0-9a-f]{16}")


def _forget_old(keep: Path, name: re.Pattern[str]) -> None:
    """Of the folders beside `keep` whose names fit, keep the latest few."""
    try:
        others = [f for f in keep.parent.iterdir() if f != keep and name.fullmatch(f.name) and f.is_dir()]
        others.sort(key=lambda f: f.stat().st_mtime, reverse=True)
        for folder in others[KEPT_GENERATIONS:]:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        pass


def _game_class(signature: Any) -> type | None:
    arguments = signature.args if hasattr(signature, "args") else signature
    for argument in arguments:
        if isinstance(argument, type_of_game) and hasattr(argument.instance_class, "legal_moves"):
            return argument.instance_class  # type: ignore[no-any-return]
    return None


def _folder_name(function: Callable[..., Any], signature: Any) -> str | None:
    """The folder of a kernel's code, or None where it cannot be found again (a class typed into a session)."""
    game = _game_class(signature)
    keys = [sources.key_of(origin) for origin in (function, game) if origin is not None]
    if None in keys:
        return None
    key = hashlib.sha256("".join(map(str, keys)).encode()).hexdigest()[:16]
    return f"{f'{game.__module__}.{game.__qualname__}' if game else 'common'}/{function.__module__}-{key}"
