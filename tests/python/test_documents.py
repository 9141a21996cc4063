"""The examples in Python, and every block of Python in docs/python.md and in the package's own text, run as they are
printed. The examples of the gallery assert what their texts say: here on small grids."""

import json
import re
import runpy
import sys
from pathlib import Path

import pytest

import hymg

ROOT = Path(__file__).resolve().parents[2]
GALLERY = {"cavity": 24, "heat": 32, "cloning": 64, "aquifer": 48, "capacitor": 24, "mixture": 64, "periodic": 24}
GALLERY |= {"sphere": 16, "packing": 24, "ocean": 32, "sink": 32, "inverse": 32, "pores": 24, "binary": 24, "moon": 16}
BLOCKS = re.findall(r"(?ms)^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text())


NOTEBOOK = json.loads((ROOT / "docs/porous.ipynb").read_text())


def run(name):
    runpy.run_path(str(ROOT / f"examples/python/{name}.py"), run_name="__main__")


def test_first_example_runs(capsys):  # test_save.py tries picture.py
    run("poisson")
    assert "error" in capsys.readouterr().out


def module(monkeypatch, *words):
    """The exit status of python -m hymg with these words."""
    monkeypatch.setattr(sys, "argv", ["hymg", *words])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("hymg", run_name="__main__")
    return end.value.code


def test_the_module_says_how_it_was_built_and_solves(capsys, monkeypatch):
    assert module(monkeypatch) == 0
    *build, solved = capsys.readouterr().out.splitlines()
    assert module(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.splitlines() == build
    assert build[0].split() == ["version", hymg.__version__]
    assert solved.startswith("<hymg.Solver of 32 x 32 x 32 cells") and "tolerance after" in solved


def test_the_module_has_help_and_refuses_other_words(capsys, monkeypatch):
    for word in ("-h", "--help"):
        assert module(monkeypatch, word) == 0
        out = capsys.readouterr().out
        assert out.startswith("usage: python -m hymg") and "--version" in out
    for word in ("64", "--versoin", "--vers"):
        assert module(monkeypatch, word) == 2
        said = capsys.readouterr()
        assert not said.out and word in said.err


@pytest.mark.parametrize("name", GALLERY)
@pytest.mark.filterwarnings("error::hymg.ConvergenceWarning")
def test_example_of_the_gallery_holds_what_it_says(name, capsys, monkeypatch):
    if name == "inverse":
        pytest.importorskip("scipy")
    monkeypatch.setattr(sys, "argv", [f"{name}.py", str(GALLERY[name])])
    run(name)
    assert capsys.readouterr().out.startswith(f"{name}: {GALLERY[name]}")


@pytest.mark.parametrize(
    "name", ("binary", "capacitor", "cloning", "inverse", "moon", "ocean", "packing", "pores", "sink", "sphere")
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # within matplotlib
def test_example_of_the_gallery_draws(name, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    if name == "inverse":  # what is found by a third of the steps is as good to draw
        optimize = pytest.importorskip("scipy.optimize")
        minimize = optimize.minimize
        fewer = {"options": {"maxiter": 50, "ftol": 0, "gtol": 0}}
        monkeypatch.setattr(optimize, "minimize", lambda *words, **named: minimize(*words, **named | fewer))
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "16", str(tmp_path / "image.png")])
    run(name)
    assert (tmp_path / "image.png").read_bytes().startswith(b"\x89PNG")


def test_mixture_refuses_what_it_cannot_cut_into_blocks(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["mixture.py", "12"])
    with pytest.raises(SystemExit, match="N is 12, but must be a multiple of 8"):
        run("mixture")


@pytest.mark.skipif(not (ROOT / "docs/gallery.md").exists(), reason="the source archive has no gallery")
def test_every_example_is_in_the_gallery_with_a_small_picture():
    page = (ROOT / "docs/gallery.md").read_text()
    for name in GALLERY:
        picture = ROOT / f"docs/gallery/{name}.png"
        assert f"(gallery/{name}.png)" in page and f"(../examples/python/{name}.py)" in page
        assert picture.stat().st_size < 150_000


def test_blocks_of_the_page_run_one_after_the_other(tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert len(BLOCKS) > 3


def test_block_of_the_page_of_images():
    (block,) = re.findall(r"(?ms)^```python\n(.*?)^```", (ROOT / "docs/porous.md").read_text())
    exec(compile(block, "docs/porous.md", "exec"), {})


@pytest.mark.parametrize("framework", ("numpy", "torch", "jax"))
def test_blocks_of_the_page_of_gradients(framework):
    module = pytest.importorskip(framework)
    page = (ROOT / "docs/gradients.md").read_text()
    (first,) = re.findall(r"(?ms)^```python\n(.*?)^```", page)
    names = {}
    exec(compile(first, "docs/gradients.md", "exec"), names)
    for block in re.findall(r"(?ms)^```text\n(.*?)^```", page):
        if f"import {module.__name__}" in block:
            exec(compile(block, "docs/gradients.md", "exec"), names)
            assert f"hymg.{framework}" in block


def test_docstring_of_the_package_runs():
    exec("\n".join(line[4:] for line in hymg.__doc__.splitlines() if line.startswith("    ")), {})


def test_everything_public_is_documented():
    for name in hymg.__all__:
        thing = getattr(hymg, name)
        assert isinstance(thing, str) or thing.__doc__, name
    for name, member in vars(hymg.Solver).items():
        assert name.startswith("_") or member.__doc__, name


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # within matplotlib
@pytest.mark.filterwarnings("error::hymg.ConvergenceWarning")
def test_notebook_prints_what_it_shows(capsys):
    names = {}
    for cell in NOTEBOOK["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            continue
        if "matplotlib" in source:
            pytest.importorskip("matplotlib").use("Agg")
        exec(compile(source, "porous.ipynb", "exec"), names)
        shown = [text for output in cell["outputs"] for text in output.get("text", [])]
        assert capsys.readouterr().out == "".join(shown)
