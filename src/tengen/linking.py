"""How the parts of a kernel are put together: all at once, so that everything is optimised only once.

Numba optimises every function on its own, turns it into machine code, and links it into its caller, where all of it is optimised
and turned into machine code again, and so on up to the kernel. What lies ten calls deep is worked on ten times, and
nobody ever runs the results but the kernel's. So a part (`compiling.inner`, `apart`) is only translated here; the kernel links
all the parts below it, each once, optimises the whole and makes machine code of it.

Numba lets a function be compiled by a pipeline of one's own, and that may bring its own "code library". Where a version of Numba
lacks what this builds upon, there are no pipelines, and Numba's own way is taken: slower to compile, the same code.
"""

from __future__ import annotations

import ctypes
from typing import Any

ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of the variables begin in which compiled code finds its Python constants."""

ABOUT_THE_CALLER = ("forceinline", "inline", "no_cpython_wrapper", "no_cfunc_wrapper")
"""Options of a function that say nothing of how what it calls has to be compiled."""


class _NoEnvironments:
    """Stands for a part's code generator where it is told of a constant: a part is never run, the kernel is told instead."""

    def set_env(self, name: str, environment: Any) -> None: ...


def pipelines() -> tuple[type[Any], type[Any]] | None:
    """The pipelines for parts and for kernels, or None where Numba's own has to do."""
    try:
        from llvmlite import binding
        from numba.core.codegen import JITCodeLibrary
        from numba.core.compiler import Compiler, Flags
        from numba.core.environment import lookup_environment
    except ImportError:
        return None
    if not all(
        hasattr(JITCodeLibrary, name) for name in ("_get_module_for_linking", "add_linking_library", "finalize")
    ):
        return None

    class QuickFlags(Flags):  # type: ignore[misc]
        """Numba's options of a compilation. It looks a function up by those of its caller, and compiles it again for others.

        Whether the caller is itself put into others whole, and has an entry for Python, is no reason for that.
        """

        __slots__ = ()

        def _that_matter(self) -> dict[str, Any]:
            usual = type(self).options
            return {
                name: value
                for name, value in self._values.items()
                if name not in ABOUT_THE_CALLER and value != usual[name].default
            }

        def __hash__(self) -> int:
            return hash(frozenset(self._that_matter()))

        def __eq__(self, other: object) -> bool:
            return isinstance(other, QuickFlags) and self._that_matter() == other._that_matter()

        def copy(self) -> Any:
            """What is handed down to functions that do not say themselves: those of Numba are put into their callers whole."""
            flags = super().copy()
            flags.forceinline = True
            return flags

    class Part(JITCodeLibrary):  # type: ignore[misc]  # Numba ships no types
        """Translated, but neither optimised nor turned into machine code."""

        _shared_module: Any

        @property
        def codegen(self) -> Any:
            return _NoEnvironments()

        def _optimize_functions(self, module: Any) -> None:
            """As Numba does, which prepares anew for each function, those that are only named among them."""
            codegen = super().codegen
            module.data_layout = codegen._data_layout
            passes, builder = codegen._function_pass_manager()
            for function in module.functions:
                if not function.is_declaration:
                    passes.run(function, builder)

        def finalize(self) -> None:
            self._raise_if_finalized()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0

        def own_module(self) -> Any:
            """The part itself, to be linked into a kernel that links what it needs after it."""
            if self._shared_module is None:
                self._ensure_finalized()
                module = self._final_module.clone()
                for function in module.functions:
                    if not function.is_declaration and function.linkage == binding.Linkage.external:
                        function.linkage = "linkonce_odr"  # may go when everything that calls it has swallowed it
                self._shared_module = module
            return self._shared_module

        def _get_module_for_linking(self) -> Any:
            """The part and what it needs, for a caller that knows nothing of parts."""
            module = self.own_module().clone()
            for needed in gather(self):
                module.link_in(own_module(needed), preserve=True)
            return module

    def own_module(library: Any) -> Any:
        return library.own_module() if isinstance(library, Part) else library._get_module_for_linking()

    def gather(library: Any) -> list[Any]:
        """All parts below a library and then everything else that they need: callers before what they call.

        The linker leaves out a function that nobody has asked for yet.
        """
        order: list[Any] = []

        def visit(below: Any) -> None:
            for needed in below._linking_libraries:
                if needed not in order:
                    if isinstance(needed, Part):
                        visit(needed)
                    order.append(needed)

        visit(library)
        order.reverse()
        return sorted(order, key=lambda each: not isinstance(each, Part))

    class Whole(JITCodeLibrary):  # type: ignore[misc]
        """The library of a kernel: Numba's, with each part linked once."""

        def finalize(self) -> None:
            self._linking_libraries, gathered = [], gather(self)
            for library in gathered:
                if isinstance(library, Part):
                    self._reload_init.update(library._reload_init)
                    self._final_module.link_in(library.own_module(), preserve=True)
                else:
                    self._linking_libraries.append(library)
            super().finalize()
            for variable in self._final_module.global_variables:
                environment = lookup_environment(variable.name) if variable.name.startswith(ENVIRONMENT) else None
                address = self._codegen._engine.get_global_value_address(variable.name) if environment else 0
                if address:
                    (ctypes.c_void_p * 1).from_address(address)[0] = id(environment)

    def pipeline(library: type[Any]) -> type[Any]:
        class Pipeline(Compiler):  # type: ignore[misc]
            def compile_extra(self, function: Any) -> Any:
                self.state.library = library(self.state.targetctx.codegen(), function.__qualname__)
                self.state.library.enable_object_caching()
                self.state.flags.__class__ = QuickFlags
                return super().compile_extra(function)

        return Pipeline

    return pipeline(Part), pipeline(Whole)
