"""Data is never run: no pickle, no marshal, no evaluated text on our paths. See docs/security.md."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tengen

PACKAGE = Path(tengen.__file__).parent

UNSAFE_MODULES = {
    "pickle",
    "cPickle",
    "_pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "jsonpickle",
    "yaml",
}
UNSAFE_CALLS = {
    "eval": "evaluates text",
    "exec": "runs text",
    "load_model": "lets Keras load a model, whose layers may be code",
    "model_from_json": "lets Keras load a model",
    "clone_from_config": "lets Keras load a model",
    "deserialize_keras_object": "lets Keras load objects",
    "enable_unsafe_deserialization": "lets Keras run what it loads",
    "register_custom_ops_library": "loads a library that a file may name",
    "read_pickle": "reads a pickle",
    "system": "has a shell read a line",
    "popen": "has a shell read a line",
}
ALLOWED = {
    ("games/verbs.py", "exec"): "the dispatchers of the verbs, from a template of ours, at import",
    (
        "agents/lingz_host.py",
        "exec",
    ): "the clone of lingz/gomokuai, a program that the user has named, in a process of its own",
}


def unsafe_in(text: str) -> set[str]:
    """What of the above a source does."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found |= {name for name in names if name.split(".")[0] in UNSAFE_MODULES}
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = (
            node.func.value.id if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) else ""
        )
        said = {keyword.arg: keyword.value for keyword in node.keywords}
        if name in UNSAFE_CALLS and not (name == "eval" and owner):
            found.add(name)
        if name in ("import_module", "__import__") and node.args and isinstance(node.args[0], ast.Constant):
            found |= {str(node.args[0].value)} & UNSAFE_MODULES
        pickles = said.get("allow_pickle")
        is_off = isinstance(pickles, ast.Constant) and pickles.value is False
        if pickles is not None and not is_off:
            found.add("allow_pickle")
        if owner in ("np", "numpy") and name == "load" and not is_off:
            found.add("np.load without allow_pickle=False")
        for option, safe in (("safe_mode", True), ("shell", False), ("weights_only", True)):
            value = said.get(option)
            if value is not None and not (isinstance(value, ast.Constant) and value.value is safe):
                found.add(option)
    return found


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_no_source_runs_data(file):
    name = file.relative_to(PACKAGE).as_posix()
    found = unsafe_in(file.read_text(encoding="utf-8"))
    assert found <= {call for where, call in ALLOWED if where == name}


def test_what_is_allowed_is_there():
    for name, call in ALLOWED:
        assert call in unsafe_in((PACKAGE / name).read_text(encoding="utf-8")), "take it off the list"


@pytest.mark.parametrize("text", [
    "import pickle", "from pickle import loads", "import cloudpickle as c", "import marshal", "import yaml", "import a, shelve",
    "eval('1')", "exec(text)", "np.load(f, allow_pickle=True)", "np.load(f)", "numpy.load(f, allow_pickle=flag)",
    "np.savez(f, allow_pickle=True)", "keras.models.load_model(f)", "keras.saving.load_model(f, safe_mode=False)",
    "keras.config.enable_unsafe_deserialization()", "importlib.import_module('pickle')", "subprocess.run(x, shell=True)",
    "os.system(x)", "options.register_custom_ops_library(f)", "f(safe_mode=False)",
])  # fmt: skip
def test_the_check_sees_it(text):
    assert unsafe_in(text)


@pytest.mark.parametrize("text", [
    "np.load(f, allow_pickle=False)", "json.loads(x)", "ast.literal_eval(x)", "session.run(a)", "subprocess.run([a], shell=False)",
    "unpickled = 3", "model.eval()", "np.savez(f, x=1)",
])  # fmt: skip
def test_the_check_lets_others_pass(text):
    assert not unsafe_in(text)


def test_a_run_with_a_pickle_in_it_is_refused(tmp_path):
    """An array of objects in the learner's state would be read by pickle."""
    import numpy as np

    from tengen.runs.directory import RunDirectory, RunError

    class Told:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "was-run",))

    np.savez(tmp_path / "learner.npz", games=np.array([Told()], dtype=object))
    with pytest.raises(RunError, match="cannot be read"):
        RunDirectory(tmp_path).load_learner()
    assert not (tmp_path / "was-run").exists()
