"""What Python says of MPI before any message is sent; ranks.py has the communicators themselves."""

import sys
import types
import warnings

import pytest

import hymg

SIZES = ("OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
HAS_MPI = hymg.build_info()["mpi"] != ""


@pytest.fixture(autouse=True)
def no_launcher(monkeypatch):
    for name in SIZES:
        monkeypatch.delenv(name, raising=False)


def warned():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hymg.Solver((4, 4, 4)).close()
    return [w for w in caught if w.category is RuntimeWarning]


@pytest.mark.parametrize("name", SIZES)
def test_one_of_several_processes_without_comm_is_warned_where_the_solver_is_made(monkeypatch, name):
    monkeypatch.setattr("sys.stdin", None)
    monkeypatch.setenv(name, "3")
    (warning,) = warned()
    assert f"{name}=3" in str(warning.message) and "comm=MPI.COMM_WORLD" in str(warning.message)
    assert warning.filename == __file__
    monkeypatch.setenv(name, "1")
    assert not warned()


def test_the_innermost_launcher_counts(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "1")
    assert not warned()


def test_a_shell_of_srun_is_one_process(monkeypatch):
    monkeypatch.setattr("sys.stdin", types.SimpleNamespace(isatty=lambda: True))
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    assert not warned()


class Handle:
    """A communicator whose handle must never reach the library."""

    def py2f(self):
        raise AssertionError("the handle of another MPI was taken")


@pytest.mark.skipif(not HAS_MPI, reason="the library has no MPI")
def test_a_communicator_of_another_mpi_is_refused_and_both_are_named(monkeypatch):
    other = types.SimpleNamespace(Get_library_version=lambda: "Some MPI Version:  9.8.7\nbuilt somewhere\0")
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", other)
    with pytest.raises(hymg.Unsupported) as caught:
        hymg.Solver((4, 4, 4), comm=Handle())
    words = hymg.build_info()["mpi"].split()
    assert "Some MPI Version: 9.8.7," in str(caught.value) and "built somewhere" not in str(caught.value)
    assert words[0] in str(caught.value)
    assert caught.value.status == "HYMG_EUNSUPPORTED"


@pytest.mark.skipif(HAS_MPI, reason="the library has MPI")
def test_without_mpi_comm_is_refused():
    with pytest.raises(hymg.Unsupported, match="this libhymg has no MPI"):
        hymg.Solver((4, 4, 4), comm=types.SimpleNamespace(py2f=lambda: 0))
