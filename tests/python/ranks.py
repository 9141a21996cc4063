"""A solver on a communicator of mpi4py, every rank with its own part, has the bits of one rank. Run on 3 ranks."""

import filecmp
import os
import pickle
import shutil
import signal
import sys
import tempfile
import traceback

import dense
import numpy as np
from mpi4py import MPI

import hymg

COMM = MPI.COMM_WORLD
SHAPE, SPACING = (10, 9, 6), (0.1, 0.15, 0.12)
BOUNDARY = ("dirichlet", "neumann", "periodic")


def part(array, local, axis=None):
    """This rank's entries, for faces normal to `axis` both faces of its cells."""
    return array[tuple(slice(s.start, s.stop + (i == axis)) for i, s in enumerate(local))]


def alone(values, f):
    with hymg.Solver(SHAPE, spacing=SPACING, boundary=BOUNDARY, threads=1, **values) as s:
        return s.solve(f), s.apply(f), s.result


def bits_are_those_of_one_rank(order, **cuts):
    rng = np.random.default_rng(5)
    f, wall = rng.standard_normal(SHAPE), rng.random((1,) + SHAPE[1:])
    values = {
        "alpha": rng.random(SHAPE),
        "beta": dense.random_beta(rng, SHAPE),
        "boundary_values": ((wall, None), None, None),
    }
    values["order"] = order
    expected, applied, result = alone(values, f)
    with hymg.Solver(SHAPE, spacing=SPACING, boundary=BOUNDARY, comm=COMM, order=order, **cuts) as empty:
        local = empty.local
    assert tuple(s.stop - s.start for s in local) == empty.local_shape
    values["alpha"] = part(values["alpha"], local)
    values["beta"] = [part(b, local, axis) for axis, b in enumerate(values["beta"])]
    values["boundary_values"] = ((wall[:, local[1], local[2]], None), None, None)
    with hymg.Solver(SHAPE, spacing=SPACING, boundary=BOUNDARY, comm=COMM, **values, **cuts) as s:
        u = s.solve(part(f, local))
        assert np.array_equal(u, part(expected, local)) and np.array_equal(
            s.apply(part(f, local)), part(applied, local)
        )
        assert s.result.history == result.history
        bad = values["alpha"].copy()
        if COMM.rank == 1:
            bad[0, 0, 0] = np.nan
        try:
            s.update(alpha=bad)
        except hymg.InvalidArgument as error:
            assert "alpha = nan" in str(error) or "rank 1" in str(error)
        else:
            raise AssertionError("NaN on one rank was accepted")
        assert np.array_equal(s.solve(part(f, local)), u)


def fixed_cells_are_those_of_one_rank(**cuts):
    """A list of cells of the whole domain, the same on every rank, and each rank's part of an array."""
    rng = np.random.default_rng(6)
    f, fixed = rng.standard_normal(SHAPE), np.where(rng.random(SHAPE) < 0.2, rng.random(SHAPE), np.nan)
    where = np.nonzero(~np.isnan(fixed))
    expected = alone({"fixed": fixed}, f)[0]
    with hymg.Solver(SHAPE, spacing=SPACING, boundary=BOUNDARY, comm=COMM, fixed=(where, fixed[where]), **cuts) as s:
        assert np.array_equal(s.solve(part(f, s.local)), part(expected, s.local))
        s.update(fixed=part(fixed, s.local))
        assert np.array_equal(s.solve(part(f, s.local)), part(expected, s.local))


def bodies_and_masks_are_those_of_one_rank(**cuts):
    rng = np.random.default_rng(6)
    f, active = rng.standard_normal(SHAPE), rng.random(SHAPE) < 0.9
    places = np.meshgrid(*[np.arange(n + 1) * h for n, h in zip(SHAPE, SPACING)], indexing="ij", sparse=True)
    distance = np.sqrt((places[0] - 0.45) ** 2 + (places[1] - 0.6) ** 2) - 0.21 + 0 * places[2]
    value = rng.random(SHAPE)
    for condition in ("neumann", "dirichlet", "robin"):
        body = hymg.Body(distance, condition=condition, value=value)
        expected = alone({"active": active, "body": body, "beta": 2.0}, f)[0]
        with hymg.Solver(SHAPE, spacing=SPACING, comm=COMM, **cuts) as empty:
            local = empty.local
        vertices = tuple(slice(s.start, s.stop + 1) for s in local)
        mine = hymg.Body(distance[vertices], condition=condition, value=part(value, local))
        with hymg.Solver(
            SHAPE,
            spacing=SPACING,
            boundary=BOUNDARY,
            comm=COMM,
            active=part(active, local),
            body=mine,
            beta=2.0,
            **cuts,
        ) as s:
            assert np.array_equal(s.solve(part(f, local)), part(expected, local))
            try:
                s.update(body=hymg.Body(distance[vertices] * (np.nan if COMM.rank == 1 else 1.0), condition=condition))
            except hymg.InvalidArgument as error:
                assert "distance nan" in str(error) or "rank 1" in str(error)
            else:
                raise AssertionError("NaN on one rank was accepted")
            assert np.array_equal(s.solve(part(f, local)), part(expected, local))


def one_file_has_the_parts_of_all_ranks():
    u = np.random.default_rng(8).standard_normal(SHAPE)
    folder = COMM.bcast(tempfile.mkdtemp() if COMM.rank == 0 else None)
    with hymg.Solver(SHAPE, spacing=SPACING, comm=COMM, cuts=([4, 3, 3], None, None)) as s:
        s.save(f"{folder}/ranks.vti", u=part(u, s.local))
    if COMM.rank == 0:
        with hymg.Solver(SHAPE, spacing=SPACING) as s:
            s.save(f"{folder}/alone.vti", u=u)
        assert filecmp.cmp(f"{folder}/ranks.vti", f"{folder}/alone.vti", shallow=False)
        shutil.rmtree(folder)
    COMM.Barrier()


def fluxes_are_those_of_one_rank():
    u = np.random.default_rng(9).standard_normal(SHAPE)
    beta = dense.random_beta(np.random.default_rng(10), SHAPE)
    with hymg.Solver(SHAPE, spacing=SPACING, boundary=BOUNDARY, beta=beta) as s:
        expected = s.fluxes(u)
    with hymg.Solver(SHAPE, comm=COMM, cuts=([4, 3, 3], None, None)) as empty:
        local = empty.local
    mine = [part(b, local, axis) for axis, b in enumerate(beta)]
    with hymg.Solver(
        SHAPE, spacing=SPACING, boundary=BOUNDARY, beta=mine, comm=COMM, cuts=([4, 3, 3], None, None)
    ) as s:
        for axis, flux in enumerate(s.fluxes(part(u, local))):
            assert np.array_equal(flux, part(expected[axis], local, axis))
        again = s.description()
        with hymg.Solver(**again, comm=COMM) as same:
            assert np.array_equal(same.solve(part(u, local)), s.solve(part(u, local)))


def planes_and_lines_have_the_bits_of_one_rank(shape, **cuts):
    rng = np.random.default_rng(11)
    axes, f = range(len(shape)), rng.standard_normal(shape)
    boundary, fixed = ("dirichlet", "neumann")[: len(shape)], np.where(rng.random(shape) < 0.1, 1.0, np.nan)
    beta = [1 + 9 * rng.random([n + (i == axis) for i, n in enumerate(shape)]) for axis in axes]
    with hymg.Solver(shape, spacing=0.1, boundary=boundary, beta=beta, fixed=fixed, threads=1) as s:
        expected = s.solve(f)
        fluxes = s.fluxes(expected)
    with hymg.Solver(shape, spacing=0.1, comm=COMM, **cuts) as empty:
        local = empty.local
    mine = [part(b, local, axis) for axis, b in enumerate(beta)]
    cells = np.nonzero(~np.isnan(fixed))
    with hymg.Solver(shape, spacing=0.1, boundary=boundary, beta=mine, fixed=(cells, 1.0), comm=COMM, **cuts) as s:
        assert len(s.local) == len(s.local_shape) == len(shape) and s.local_shape != shape
        u = s.solve(part(f, local))
        assert np.array_equal(u, part(expected, local))
        for axis, flux in enumerate(s.fluxes(u)):
            assert np.array_equal(flux, part(fluxes[axis], local, axis))
        with hymg.Solver(**s.description(), comm=COMM) as same:
            assert np.array_equal(same.solve(part(f, local)), u)
    ends_alike(lambda: hymg.Solver(shape, comm=COMM, boxes=7), hymg.InvalidArgument, "7 boxes along axis")


class Mine(Exception):
    """An exception of the program's own."""


class Unsent(Exception):
    """One that cannot be made again from its pickle."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def outcome(call):
    try:
        call()
    except BaseException as error:
        return type(error), str(error)
    return None, ""


def ends_alike(call, kind, words):
    """On every rank the same exception with the same text."""
    outcomes = COMM.allgather(outcome(call))
    assert len(set(outcomes)) == 1 and outcomes[0][0] is kind and words in outcomes[0][1], outcomes


def an_exception_on_one_rank_is_raised_on_all():
    action = [None]

    def monitor(cycle, _record):
        if cycle == 1 and COMM.rank == 1 and action[0]:
            action[0]()

    def raises(error):
        def act():
            raise error

        return act

    def interrupts():
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(100))

    with hymg.Solver(SHAPE, spacing=SPACING, comm=COMM, cuts=([4, 3, 3], None, None), monitor=monitor) as s:
        f = np.random.default_rng(COMM.rank).standard_normal(s.local_shape)
        u = s.solve(f)
        last = s.result.cycles - 1

        def at_the_last_cycle(cycle, _record):
            if cycle == last and COMM.rank == 2:
                raise Mine("converged")

        for act, kind, words in (
            (raises(Mine("of rank 1")), Mine, "of rank 1"),
            (raises(Mine("long " * 5000)), Mine, "long long"),
            (interrupts, KeyboardInterrupt, ""),
        ):
            action[0] = act
            ends_alike(lambda: s.solve(f), kind, words)
            assert s.result.reason == "stopped" and s.result.cycles == 2
        action[0] = raises(Unsent("one", "two"))
        kind, words = outcome(lambda: s.solve(f))
        assert "one and two" in words and kind is (Unsent if COMM.rank == 1 else RuntimeError)
        action[0] = None
        s._watch.function = at_the_last_cycle
        ends_alike(lambda: s.solve(f), Mine, "converged")
        s._watch.function = None
        wrong = f if COMM.rank == 0 else f[:, :-1]
        words = f"f: shape {wrong.shape}, but {s.local_shape} is wanted" if COMM.rank == 1 else ""
        words = COMM.bcast(words, root=1)
        for call in (s.solve, s.apply, s.precondition, s.residual, s.fluxes):
            arguments = (wrong, f) if call == s.residual else (wrong,)
            ends_alike(lambda: call(*arguments), ValueError, words[2:])
        ends_alike(lambda: s.update(b="big" if COMM.rank else 1.0), TypeError, "b: the text 'big'")
        ends_alike(lambda: s.save("u.vti", u=wrong), ValueError, words[2:])
        assert np.array_equal(s.solve(f), u)
    ends_alike(lambda: hymg.Solver(SHAPE, comm=COMM, alpha=[1.0, 2.0][: COMM.rank]), ValueError, "does not broadcast")


def solvers_with_a_communicator_do_not_pickle():
    with hymg.Solver(SHAPE, comm=COMM) as s:
        try:
            pickle.dumps(s)
        except TypeError as error:
            assert "a Solver with comm= belongs to its process" in str(error)
        else:
            raise AssertionError("a communicator was pickled")


def several_bricks_are_refused():
    try:
        hymg.Solver((8, 8, 8), comm=COMM, boxes=(2, 2, 2))
    except ValueError as error:
        assert "bricks of cells" in str(error)
    else:
        raise AssertionError("several bricks on a rank were accepted")


def main():
    if not hymg.build_info()["mpi"]:
        print("SKIPPED [1] ranks.py: this library has no MPI\n1 skipped in 0.0s")
        return
    bits_are_those_of_one_rank("C", cuts=([4, 3, 3], None, None))
    bits_are_those_of_one_rank("F", cuts=(None, None, [1, 3, 2]))
    bits_are_those_of_one_rank("C", boxes=(1, 3, 1))
    fixed_cells_are_those_of_one_rank(cuts=([4, 3, 3], None, None))
    fixed_cells_are_those_of_one_rank(boxes=(1, 1, 3))
    bodies_and_masks_are_those_of_one_rank(cuts=([4, 3, 3], None, None))
    bodies_and_masks_are_those_of_one_rank(boxes=(1, 3, 1))
    one_file_has_the_parts_of_all_ranks()
    fluxes_are_those_of_one_rank()
    planes_and_lines_have_the_bits_of_one_rank((12, 10), cuts=([5, 4, 3], None))
    planes_and_lines_have_the_bits_of_one_rank((10, 12), boxes=(1, 3))
    planes_and_lines_have_the_bits_of_one_rank((30,), cuts=[11, 9, 10])
    an_exception_on_one_rank_is_raised_on_all()
    solvers_with_a_communicator_do_not_pickle()
    several_bricks_are_refused()
    COMM.Barrier()
    if COMM.rank == 0:
        print("10 passed in 0.0s")


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        COMM.Abort(1)
