"""Which memory is read and written: any order and strides, in place, also through DLPack and for lists."""

import ctypes
import tracemalloc

import dense
import numpy as np
import pytest

import hymg
from hymg import _arrays

SHAPE = (7, 6, 5)


class Dlpack:
    """An array that speaks DLPack alone. device: what it claims to be on, by DLPack's number."""

    def __init__(self, array, device=1, ordinal=0):
        self.array, self.device, self.ordinal, self.streams = array, device, ordinal, []

    def __dlpack_device__(self):
        return self.device, self.ordinal

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        capsule = self.array.__dlpack__()
        at = _arrays._capsule_pointer(capsule, b"dltensor")
        (ctypes.c_int32 * 2).from_address(at + ctypes.sizeof(ctypes.c_void_p))[:] = self.device, self.ordinal
        return capsule


class Interface:
    """An array that has an array interface alone, NumPy's or CUDA's."""

    def __init__(self, array, name, **changes):
        setattr(self, name, {**array.__array_interface__, **changes})


def layouts(values):
    """The same values in many layouts."""
    n = values.shape
    big = np.full([3 * m for m in n], np.nan)
    strided = big[1 : 1 + 2 * n[0] : 2, 2 : 2 + n[1], : 3 * n[2] : 3]
    backward = np.full(n, np.nan)[::-1, :, ::-1]
    swapped = np.full((n[1], n[2], n[0]), np.nan).transpose(2, 0, 1)
    for empty in (np.empty(n), np.empty(n, order="F"), strided, backward, swapped):
        empty[...] = values
        yield empty


@pytest.fixture(scope="module", params=["C", "F"])
def solver(request):
    with hymg.Solver(SHAPE, spacing=(0.1, 0.2, 0.15), order=request.param) as s:
        yield s


def address(array):
    return array.__array_interface__["data"][0]


def test_any_layout_gives_the_same_bits(solver, rng):
    values = rng.standard_normal(SHAPE)
    expected = solver.solve(values)
    for f in layouts(values):
        u = solver.solve(f)
        assert np.array_equal(u, expected) and np.array_equal(f, values) and type(u) is np.ndarray


def test_the_array_itself_is_read_and_written(rng):
    for f in layouts(rng.standard_normal(SHAPE)):
        found = _arrays.view(f, _arrays.Wanted("f", SHAPE, output=True))
        assert found.address == address(f) and [8 * s for s in found.strides] == list(f.strides)


def test_out_is_returned_and_nothing_beside_it_is_written(solver, rng):
    f = rng.standard_normal(SHAPE)
    expected = solver.solve(f)
    for out in layouts(np.zeros(SHAPE)):
        whole = out if out.base is None else out.base
        beside = np.isnan(whole).sum()
        assert beside == whole.size - out.size
        assert solver.solve(f, out=out) is out
        assert np.array_equal(out, expected) and np.isnan(whole).sum() == beside


def test_no_array_is_made_on_the_way(rng):
    shape = (32, 32, 32)
    f, out = np.asfortranarray(rng.standard_normal(shape)), np.empty(shape)
    with hymg.Solver(shape) as s:
        s.solve(f, out=out)
        tracemalloc.start()
        s.solve(f, out=out)
        s.apply(out, out=out)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < f.nbytes / 8


def test_order_of_the_result_follows_f(solver, rng):
    f = np.asfortranarray(rng.standard_normal(SHAPE))
    assert solver.solve(f).flags.f_contiguous and solver.solve(f.copy(order="C")).flags.c_contiguous


def test_lists_and_other_number_types_are_converted(solver, rng):
    f = rng.integers(-9, 9, SHAPE)
    expected = solver.solve(f.astype(float))
    for given in (f.tolist(), f, f.astype(np.float16), f.astype(">f8"), f.astype(">f4"), packed(f)):
        u = solver.solve(given)
        assert u.dtype == np.float64 and np.array_equal(u, expected)


# ---- float32 ----


def singles(values):
    """float32 in many layouts."""
    for layout in layouts(values):
        whole = layout if layout.base is None else layout.base
        single = whole.astype(np.float32)
        offset = (address(layout) - address(whole)) // 8
        strides = tuple(s // 2 for s in layout.strides)
        yield np.lib.stride_tricks.as_strided(single.reshape(-1, order="A")[offset:], layout.shape, strides)


def test_float32_in_float32_out_and_the_bits_of_float64(solver, rng):
    for f in singles(rng.standard_normal(SHAPE)):
        expected = solver.solve(f.astype(np.float64))
        want = solver.result
        u = solver.solve(f)
        assert u.dtype == np.float32 and np.array_equal(u, expected.astype(np.float32))
        assert solver.result.history == want.history and solver.result.residual == want.residual
        out = np.full(SHAPE, np.nan)
        assert solver.solve(f, out=out) is out and np.array_equal(out, expected)
        narrow = np.full((8,) + SHAPE, np.nan, dtype=np.float32)[3]
        assert solver.solve(f.astype(np.float64), out=narrow) is narrow
        assert np.array_equal(narrow, expected.astype(np.float32))


def test_float32_in_every_call(rng, tmp_path):
    n = SHAPE
    faces = [tuple(m + (axis == i) for i, m in enumerate(n)) for axis in range(3)]
    beta = [rng.uniform(0.5, 2, shape).astype(np.float32) for shape in faces]
    alpha, f, x = rng.random((3,) + n).astype(np.float32)
    wall, g = rng.random((1,) + n[1:]).astype(np.float32), rng.standard_normal(n).astype(np.float32)

    def made(convert):
        values = ((convert(wall), None), None, None)
        return hymg.Solver(
            n,
            alpha=convert(alpha),
            beta=[convert(b) for b in beta],
            boundary_values=values,
            initial_guess=True,
            cycle="v",
            extrapolation="linear",
        )

    with made(lambda array: array) as s, made(lambda array: array.astype(np.float64)) as wide:
        for name, arguments in (
            ("solve", (f,)),
            ("apply", (x,)),
            ("residual", (f, x)),
            ("precondition", (f,)),
            ("fluxes", (x,)),
        ):
            got = getattr(s, name)(*arguments)
            want = getattr(wide, name)(*(array.astype(np.float64) for array in arguments))
            for one, other in zip(got, want) if isinstance(got, tuple) else ((got, want),):
                assert one.dtype == np.float32 and other.dtype == np.float64, name
                assert np.array_equal(one, other.astype(np.float32)), name
        assert np.array_equal(s.solve(f, guess=g), wide.solve(f.astype(float), guess=g.astype(float)).astype(np.float32))
        s.update(alpha=alpha + 1)
        wide.update(alpha=(alpha + 1).astype(np.float64))
        assert np.array_equal(s.apply(x), wide.apply(x.astype(float)).astype(np.float32))
        s.save(tmp_path / "u.vti", u=f, wide=f.astype(np.float64))
    content = (tmp_path / "u.vti").read_bytes()
    assert b'type="Float32" Name="u"' in content and b'type="Float64" Name="wide"' in content
    assert f.transpose(0, 1, 2).tobytes() in content and f.astype(np.float64).tobytes() in content


def test_float32_through_dlpack_and_array_interface(solver, rng):
    f = rng.standard_normal(SHAPE).astype(np.float32)
    expected = solver.solve(f)
    for make in (Dlpack, lambda array: Interface(array, "__array_interface__")):
        out = np.full((8,) + SHAPE, np.nan, dtype=np.float32)[3]
        assert solver.solve(make(f), out=make(out)) is not None and np.array_equal(out, expected)


def packed(values):
    """Doubles at addresses that are no multiple of 8."""
    rows = np.zeros(values.shape, dtype=[("flag", "i1"), ("value", "f8")])
    rows["value"] = values
    return rows["value"]


def test_dlpack_and_array_interface_are_read_and_written_in_place(solver, rng):
    values = rng.standard_normal(SHAPE)
    expected = solver.solve(values)
    for make in (Dlpack, lambda array: Interface(array, "__array_interface__")):
        for f in layouts(values):
            out = np.full((8,) + SHAPE, np.nan)[3]
            assert np.array_equal(solver.solve(make(f), out=out), expected)
            target = make(out)
            out[...] = np.nan
            assert solver.solve(f, out=target) is target and np.array_equal(out, expected)


def test_dlpack_of_another_type_is_converted(solver, rng):
    f = rng.integers(-9, 9, SHAPE).astype(np.float16)
    u = solver.solve(WithArray(f), out=np.empty(SHAPE))
    assert np.array_equal(u, solver.solve(f))


class WithArray(Dlpack):
    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


def test_what_cannot_be_written_is_refused(solver, rng):
    f = rng.standard_normal(SHAPE)
    locked = np.empty(SHAPE)
    locked.flags.writeable = False
    for out, why in (
        (locked, "out: the array is read-only"),
        (np.empty(SHAPE, np.float16), "out: ndarray of float16"),
        (packed(f), "out: ndarray of float64"),
        (f.tolist(), "out: list"),
    ):
        with pytest.raises(TypeError, match=why):
            solver.solve(f, out=out)
    with pytest.raises(ValueError, match=r"out: shape \(7, 6, 4\), but \(7, 6, 5\) is wanted"):
        solver.solve(f, out=np.empty((7, 6, 4)))
    with pytest.raises(TypeError, match="no empty_like for Dlpack; give out="):
        solver.solve(Dlpack(f))


class Producer:
    """DLPack of today, whose arrays can be read-only, through what NumPy makes of it."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="this NumPy has an older DLPack")
def test_read_only_memory_is_read_through_dlpack_and_not_written(solver, rng):
    f = rng.standard_normal(SHAPE)
    expected = solver.solve(f)
    f.flags.writeable = False
    assert np.array_equal(solver.solve(Producer(f), out=np.empty(SHAPE)), expected)
    assert _arrays.view(Producer(f), _arrays.Wanted("f", SHAPE)).address == address(f)
    assert np.array_equal(
        hymg.Solver(SHAPE, alpha=Producer(abs(f))).solve(f), hymg.Solver(SHAPE, alpha=abs(f)).solve(f)
    )
    with pytest.raises(TypeError, match="out: the array is read-only"):
        solver.solve(f, out=Producer(f))
    out = np.empty(SHAPE)
    assert solver.solve(f, out=Producer(out)) is not None and np.array_equal(out, expected)


def test_a_producer_that_gives_nothing_is_named(solver, rng):
    class Locked(Dlpack):
        def __dlpack__(self, stream=None):
            raise BufferError("locked")

    f = rng.standard_normal(SHAPE)
    with pytest.raises(TypeError, match="f: Locked does not give its memory: locked"):
        solver.solve(Locked(f), out=np.empty(SHAPE))
    Locked.__array__ = lambda self, dtype=None, copy=None: self.array
    assert np.array_equal(solver.solve(Locked(f), out=np.empty(SHAPE)), solver.solve(f))


# ---- masked arrays ----


def masked(shape):
    array = np.ma.masked_array(np.ones(shape), mask=np.zeros(shape, bool))
    array[tuple(n // 2 for n in array.shape)] = np.ma.masked
    return array


def test_masked_entries_are_refused_wherever_arrays_are_taken(rng):
    f, bad = rng.standard_normal(SHAPE), masked(SHAPE)
    wall, face = masked((1,) + SHAPE[1:]), masked((8, 6, 5))
    words = "entries are masked, but all must have a value"
    with hymg.Solver(SHAPE, initial_guess=True, alpha=np.ones(SHAPE)) as s:
        for call in (
            lambda: s.solve(bad),
            lambda: s.solve(list(bad)),
            lambda: s.solve(f, out=bad),
            lambda: s.solve(f, guess=bad),
            lambda: s.apply(bad),
            lambda: s.residual(f, bad),
            lambda: s.precondition(bad),
            lambda: s.fluxes(bad),
            lambda: s.update(alpha=bad),
            lambda: s.save("masked.vti", u=bad),
            lambda: hymg.Solver(SHAPE, alpha=bad),
            lambda: hymg.Solver(SHAPE, beta=(face, 1.0, 1.0)),
            lambda: hymg.Solver(SHAPE, a=np.ma.masked),
            lambda: hymg.Solver(SHAPE, spacing=masked(3)),
            lambda: hymg.Solver(SHAPE, widths=(masked(7), None, None)),
            lambda: hymg.Solver(SHAPE, boundary_values=((wall, None), None, None)),
            lambda: hymg.Solver(SHAPE, boundary="robin", robin_alpha=((wall, None), None, None)),
        ):
            with pytest.raises(TypeError, match=words):
                call()


def test_masked_arrays_without_masked_entries_are_arrays(solver, rng):
    f = np.ma.masked_array(rng.standard_normal(SHAPE), mask=np.zeros(SHAPE, bool))
    expected = solver.solve(f.data)
    u = solver.solve(f)
    assert type(u) is np.ndarray and np.array_equal(u, expected)
    out = np.ma.masked_array(np.empty(SHAPE))
    assert solver.solve(f, out=out) is out and np.array_equal(out, expected)


def test_out_may_be_f(solver, rng):
    f = rng.standard_normal(SHAPE)
    expected = solver.solve(f)
    assert solver.solve(f, out=f) is f and np.array_equal(f, expected)


def test_tensors_of_pytorch_give_tensors(solver, rng):
    torch = pytest.importorskip("torch")
    values = rng.standard_normal(SHAPE)
    expected = solver.solve(values)
    tensors = torch.tensor(values), torch.tensor(values.transpose(2, 0, 1).copy()).permute(1, 2, 0)
    for f in tensors:
        u = solver.solve(f)
        assert isinstance(u, torch.Tensor) and u.dtype == torch.float64 and np.array_equal(u.numpy(), expected)
        out = torch.zeros(SHAPE, dtype=torch.float64)
        assert solver.solve(f, out=out) is out and np.array_equal(out.numpy(), expected)
    single = tensors[1].float()
    u = solver.solve(single)
    assert u.dtype == torch.float32 and torch.equal(u, solver.solve(single.double()).float())
    assert solver.solve(tensors[0].half()).dtype == torch.float64


# ---- arrays on a GPU: refused with the library's text where there is none ----


def device_arrays(array):
    return Dlpack(array, device=2), Dlpack(array, device=13), Interface(array, "__cuda_array_interface__")


@pytest.mark.skipif(bool(hymg.build_info()["cuda"]), reason="this library has CUDA")
def test_arrays_on_a_gpu_need_cuda(solver, rng):
    for f in device_arrays(rng.standard_normal(SHAPE)):
        with pytest.raises(hymg.Unsupported, match="built without CUDA"):
            solver.solve(f, out=np.empty(SHAPE))


EMULATED = pytest.mark.skipif(hymg.build_info()["cuda"] != "emulation", reason="host memory is no GPU's")


@EMULATED
def test_emulated_device_coefficients(rng):
    f, alpha, wall = rng.standard_normal(SHAPE), rng.random(SHAPE), rng.random((1,) + SHAPE[1:])
    beta = dense.random_beta(rng, SHAPE)
    expected = hymg.Solver(SHAPE, alpha=alpha, beta=beta, boundary_values=((wall, None), None, None)).solve(f)
    for kind in range(3):
        on_gpu = [device_arrays(array)[kind] for array in (alpha, wall, *beta)]
        values = {"alpha": on_gpu[0], "boundary_values": ((on_gpu[1], None), None, None), "beta": on_gpu[2:]}
        assert np.array_equal(hymg.Solver(SHAPE, **values).solve(f), expected)


@EMULATED
def test_emulated_device_arrays_are_read_and_written_in_place(rng):
    values = rng.standard_normal(SHAPE)
    with hymg.Solver(SHAPE, backend="cuda", device=0) as s:
        expected = s.solve(values)
        for array in layouts(values):
            for f in device_arrays(array):
                for u in range(3):
                    out = np.full(SHAPE, np.nan)
                    assert s.solve(f, out=device_arrays(out)[u]) is not None and np.array_equal(out, expected)
        f, out = Dlpack(values, device=2), Dlpack(np.empty(SHAPE), device=2)
        s.solve(f, out=out)
        assert f.streams == out.streams == [1]  # both sides wait for each other on the legacy default stream
        with pytest.raises(ValueError, match="f: on GPU 5, but the solver is on GPU 0"):
            s.solve(Dlpack(values, device=2, ordinal=5), out=out)


@EMULATED
def test_emulated_device_arrays_of_float32(rng):
    f, alpha = rng.standard_normal(SHAPE).astype(np.float32), rng.random(SHAPE).astype(np.float32)
    for kind in range(3):
        with hymg.Solver(SHAPE, backend="cuda", device=0, alpha=device_arrays(alpha)[kind]) as s:
            expected, out = s.solve(f.astype(np.float64)), np.full(SHAPE, np.nan, dtype=np.float32)
            assert s.solve(device_arrays(f)[kind], out=device_arrays(out)[kind]) is not None
            assert np.array_equal(out, expected.astype(np.float32))


@EMULATED
def test_emulated_device_fluxes(rng):
    u, shapes = rng.standard_normal(SHAPE), [tuple(n + (i == axis) for i, n in enumerate(SHAPE)) for axis in range(3)]
    for order in "CF":
        with hymg.Solver(SHAPE, backend="cuda", device=0, order=order, beta=dense.random_beta(rng, SHAPE)) as s:
            expected = s.fluxes(u)
            for kind in range(3):
                out = [np.full(shape, np.nan) for shape in shapes]
                s.fluxes(device_arrays(u)[kind], out=[device_arrays(array)[kind] for array in out])
                assert all(np.array_equal(got, want) for got, want in zip(out, expected))


def test_other_devices_types_and_streams_are_refused(solver, rng):
    f, out = rng.standard_normal(SHAPE), np.empty(SHAPE)
    with pytest.raises(TypeError, match="f: DLPack device type 10; host and CUDA memory"):
        solver.solve(Dlpack(f, device=10), out=out)
    with pytest.raises(TypeError, match="f: .* float64 or float32 is wanted on a GPU"):
        solver.solve(Dlpack(f.astype(np.float16), device=2), out=out)
    with pytest.raises(TypeError, match="f: .* float64 or float32 is wanted on a GPU"):
        solver.solve(Interface(f.astype(np.float16), "__cuda_array_interface__"), out=out)
    with pytest.raises(ValueError, match="f: belongs to stream 0x1234; give stream="):
        solver.solve(Interface(f, "__cuda_array_interface__", stream=0x1234), out=out)


def test_streams_of_all_frameworks_have_an_address():
    class Stream:
        def __init__(self, **names):
            self.__dict__.update(names)

    class Standard:
        def __cuda_stream__(self):
            return 0, 77

    from hymg._objects import stream_address

    assert [stream_address(s) for s in (None, 5, Stream(ptr=6), Stream(cuda_stream=7), Standard())] == [0, 5, 6, 7, 77]
    with pytest.raises(TypeError, match="stream: a str"):
        stream_address("fast")
