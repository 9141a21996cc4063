"""Arrays of CuPy and PyTorch in a GPU's memory: read and written there, with the bits that NumPy arrays give."""

import inspect
import json
import warnings

import numpy as np
import pytest
from differences import leaves

import hymg

if hymg.build_info()["cuda"] in ("", "emulation"):
    pytest.skip("this library has no CUDA", allow_module_level=True)

SHAPE = (20, 16, 12)


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        if not self.cupy.cuda.is_available():
            pytest.skip("CuPy sees no GPU")
        self.put, self.get, self.kind = self.cupy.asarray, self.cupy.asnumpy, self.cupy.ndarray

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def on(self, stream):
        return stream

    def single(self, array):
        return array.astype(np.float32)

    def half(self, array):
        return array.astype(np.float16)

    def address(self, array):
        return array.data.ptr


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch sees no GPU")
        self.kind = self.torch.Tensor

    def put(self, array):
        return self.torch.tensor(array, device="cuda")

    def get(self, tensor):
        return tensor.cpu().numpy()

    def stream(self):
        return self.torch.cuda.Stream()

    def on(self, stream):
        return self.torch.cuda.stream(stream)

    def single(self, tensor):
        return tensor.float()

    def half(self, tensor):
        return tensor.half()

    def address(self, tensor):
        return tensor.data_ptr()


@pytest.fixture(params=[Cupy, Torch])
def gpu(request):
    return request.param()


def test_results_are_arrays_of_the_same_framework_with_the_same_bits(gpu, rng):
    values = rng.standard_normal(SHAPE)
    with hymg.Solver(SHAPE, backend="cuda") as s:
        expected = s.solve(values)
        f = gpu.put(values)
        u = s.solve(f)
        assert isinstance(u, gpu.kind) and np.array_equal(gpu.get(u), expected)
        assert np.array_equal(gpu.get(f), values)
        out = gpu.put(np.full(SHAPE, np.nan))
        before = gpu.address(out)
        assert s.solve(f, out=out) is out and gpu.address(out) == before and np.array_equal(gpu.get(out), expected)
        strided = gpu.put(np.full((40, 16, 12), np.nan))
        s.solve(f, out=strided[::2])
        assert np.array_equal(gpu.get(strided)[::2], expected) and np.isnan(gpu.get(strided)[1::2]).all()


def test_coefficients_and_updates_from_the_gpu(gpu, rng):
    f, alpha = rng.standard_normal(SHAPE), rng.random(SHAPE)
    with hymg.Solver(SHAPE, alpha=alpha) as host, hymg.Solver(SHAPE, alpha=gpu.put(alpha)) as device:
        assert np.array_equal(host.solve(f), device.solve(f))
        host.update(alpha=2 * alpha)
        device.update(alpha=gpu.put(2 * alpha))
        assert np.array_equal(host.solve(f), device.solve(f))


def test_fluxes_are_arrays_of_the_same_framework(gpu, rng):
    u = rng.standard_normal(SHAPE)
    with hymg.Solver(SHAPE, backend="cuda") as s:
        for got, want in zip(s.fluxes(gpu.put(u)), s.fluxes(u)):
            assert isinstance(got, gpu.kind) and np.array_equal(gpu.get(got), want)


@pytest.mark.parametrize("shape", [(20, 33), (70,)], ids=str)
def test_planes_and_lines_have_the_bits_of_the_host(gpu, shape, rng):
    f, fixed = rng.standard_normal(shape), np.where(rng.random(shape) < 0.1, 1.0, np.nan)
    beta = [1 + rng.random([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(len(shape))]
    with hymg.Solver(shape, beta=beta, fixed=fixed, backend="host") as host:
        u = host.solve(f)
        fluxes = host.fluxes(u)
    there = {"beta": [gpu.put(b) for b in beta], "fixed": gpu.put(fixed)}
    with hymg.Solver(shape, **there, backend="cuda") as s:
        for _ in range(2):
            v = s.solve(gpu.put(f))
            assert isinstance(v, gpu.kind) and np.array_equal(gpu.get(v), u)
            for mine, others in zip(s.fluxes(v), fluxes):
                assert isinstance(mine, gpu.kind) and np.array_equal(gpu.get(mine), others)
            s.update(**there)


@pytest.mark.parametrize("given", [True, False])
def test_work_on_another_stream_is_ordered_with_the_solver(gpu, rng, given):
    values = rng.standard_normal(SHAPE)
    expected = hymg.Solver(SHAPE, backend="cuda").solve(2.0**20 * values)
    stream = gpu.stream()
    with hymg.Solver(SHAPE, backend="cuda", stream=stream if given else None) as s, gpu.on(stream):
        for _ in range(20):
            f = gpu.put(values)
            for _ in range(20):
                f = f * 2
            assert np.array_equal(gpu.get(s.solve(f) + 0), expected)


@pytest.mark.parametrize("kinds", ["dirichlet", "neumann"])
def test_gradients_are_those_of_the_host(gpu, kinds, rng):
    f, du, fixed = (
        rng.standard_normal(SHAPE),
        rng.standard_normal(SHAPE),
        np.where(rng.random(SHAPE) < 0.1, 1.0, np.nan),
    )
    beta = [1 + rng.random([n + (i == axis) for i, n in enumerate(SHAPE)]) for axis in range(3)]
    made = {"boundary": kinds, "boundary_values": ((1.0, 2.0), None, None), "extrapolation": "linear", "rtol": 1e-12}
    names = ["f", "beta", "boundary_values"] + ["fixed"] * (kinds == "dirichlet")
    made |= {"fixed": fixed} if kinds == "dirichlet" else {}
    with hymg.Solver(SHAPE, beta=beta, backend="host", **made) as host:
        wanted = host.gradient(host.solve(f), du, names)
    with hymg.Solver(SHAPE, beta=[gpu.put(b) for b in beta], backend="cuda", **made) as s:
        found = s.gradient(s.solve(gpu.put(f)), gpu.put(du), names)
    for name in names:
        for (_, x), (_, y) in zip(leaves(found[name]), leaves(wanted[name])):
            assert isinstance(x, gpu.kind) and np.abs(gpu.get(x) - y).max() <= 1e-12 * np.abs(y).max()


def test_autograd_on_the_gpu_copies_nothing_through_the_host(rng, tmp_path):
    gpu = Torch()
    torch = gpu.torch
    import hymg.torch

    shape = (32, 24, 16)
    f, beta = rng.standard_normal(shape), [
        1 + rng.random([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(3)
    ]
    gradients = []
    for backend, put in (("host", torch.tensor), ("cuda", gpu.put)):
        with hymg.Solver(shape, beta=beta, extrapolation="linear", backend=backend, rtol=1e-12) as s:
            tensors = [put(x).requires_grad_() for x in (f, *beta)]

            class Both:
                def solve(self, f, out):
                    for tensor in tensors:
                        tensor.grad = None
                    hymg.torch.solve(s, f, beta=tensors[1:]).square().sum().backward()

            if backend == "cuda":
                copied = host_copies(torch, tmp_path / "trace.json", Both(), tensors[0], None)
                assert sum(copied) < f.nbytes / 8, copied
            else:
                Both().solve(tensors[0], None)
            assert all(tensor.grad.device == tensor.device for tensor in tensors)
            gradients.append([tensor.grad.cpu().numpy() for tensor in tensors])
            single = put(f).float().requires_grad_()
            assert hymg.torch.solve(s, single).dtype == torch.float32
    for x, y in zip(*gradients):
        assert np.abs(x - y).max() <= 1e-11 * np.abs(y).max()


def test_other_types_are_refused(gpu):
    with hymg.Solver(SHAPE) as s, pytest.raises(TypeError, match="f: .*float16; float64 or float32 is wanted on a GPU"):
        s.solve(gpu.half(gpu.put(np.ones(SHAPE))))


def test_float32_in_float32_out(gpu, rng):
    f = rng.standard_normal(SHAPE).astype(np.float32)
    with hymg.Solver(SHAPE, backend="cuda") as s:
        u = gpu.get(s.solve(gpu.single(gpu.put(f))))
        assert u.dtype == np.float32 and np.array_equal(u, s.solve(f.astype(np.float64)).astype(np.float32))


def test_operators_of_cupyx(rng):
    gpu = Cupy()
    linalg = pytest.importorskip("cupyx.scipy.sparse.linalg")
    with hymg.Solver(SHAPE, extrapolation="linear") as s:
        a, m = s.as_linear_operator("cupyx.scipy"), s.as_preconditioner("cupyx.scipy")
        b = gpu.put(rng.standard_normal(a.shape[0]))
        name = "rtol" if "rtol" in inspect.signature(linalg.cg).parameters else "tol"  # since CuPy 14
        x, info = linalg.cg(a, b, M=m, **{name: 1e-8})
        assert info == 0 and isinstance(x, gpu.kind)
        assert float(abs(a @ x - b).max()) <= 1e-6 * float(abs(b).max())


def host_copies(torch, path, solver, f, out):
    """The bytes of each copy between host and GPU during a solve, from PyTorch's profiler."""
    solver.solve(f, out=out)
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some versions warn about themselves
        with torch.profiler.profile(activities=activities) as profile:
            solver.solve(f, out=out)
            torch.cuda.synchronize()
        profile.export_chrome_trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    assert any(event.get("cat") == "kernel" for event in events), "the profiler has not seen the solve"
    return [
        event["args"]["bytes"] for event in events if event.get("cat") == "gpu_memcpy" and "DtoD" not in event["name"]
    ]


@pytest.mark.parametrize("path", ["standard", "robust"])
def test_arrays_on_the_gpu_are_not_copied_through_the_host(path, rng, tmp_path):
    gpu = Torch()
    shape, trace = (32, 24, 16), tmp_path / "trace.json"
    values = rng.standard_normal(shape)
    with hymg.Solver(shape, backend="cuda", path=path) as s:
        there = host_copies(gpu.torch, trace, s, gpu.put(values), gpu.put(np.zeros(shape)))
        here = host_copies(gpu.torch, trace, s, values, np.zeros(shape))
    assert sum(there) < values.nbytes / 8, there
    assert sum(here) >= 2 * values.nbytes, here
