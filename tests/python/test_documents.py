"""The example, and every block of Python in docs/python.md and in the package's own text, runs as it is printed."""

import re
import runpy
from pathlib import Path

import pytest

import hymg

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [ROOT / "examples/python/poisson.py"]  # test_save.py tries picture.py
BLOCKS = re.findall(r"(?ms)^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(example, capsys):
    runpy.run_path(str(example), run_name="__main__")
    assert "error" in capsys.readouterr().out


def test_blocks_of_the_page_run_one_after_the_other(tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert len(BLOCKS) > 3


def test_docstring_of_the_package_runs():
    exec("\n".join(line[4:] for line in hymg.__doc__.splitlines() if line.startswith("    ")), {})


def test_everything_public_is_documented():
    for name in hymg.__all__:
        thing = getattr(hymg, name)
        assert isinstance(thing, str) or thing.__doc__, name
    for name, member in vars(hymg.Solver).items():
        assert name.startswith("_") or member.__doc__, name
