/* hymg.hpp: exceptions with the library's text, spans with any strides against plain loops,
 * lifetimes (handles destroyed in any order; the sanitizers watch), a solve on odd sides against a
 * 7-point residual computed here, planes and lines against boxes of one cell. With MPI (TEST_MPI, a number of ranks) the same on a
 * communicator. Ends with the totals. */
#ifdef TEST_MPI
#include <hymg_mpi.hpp>
#else
#include <hymg.hpp>
#endif

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

static int passed = 0, failed = 0;

#define CHECK(condition)                                                                           \
  ((condition)                                                                                     \
       ? (void)passed++                                                                            \
       : (void)(failed++, std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition)))

static const double nan_value = std::numeric_limits<double>::quiet_NaN();
static std::mt19937 generator(7);

static std::vector<double> random_values(std::size_t n)
{
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> v(n);
  for (double &x : v)
    x = uniform(generator);
  return v;
}

static hymg::context make_context()
{
#ifdef TEST_MPI
  return hymg::mpi_context(MPI_COMM_WORLD);
#else
  return hymg::context();
#endif
}

static std::string temporary_file()
{
  const char *folder = std::getenv("TMPDIR");
  return std::string(folder ? folder : "/tmp") + "/hymg-cpp.vti";
}

static hymg::grid_desc box(int nx, int ny, int nz)
{
  hymg::grid_desc desc;
  const int n[3] = {nx, ny, nz};
  for (int d = 0; d < 3; d++)
    desc.n[d] = n[d], desc.spacing[d] = 1. / n[d];
  return desc;
}

static void test_defaults()
{
  const hymg_options o = hymg_options_default();
  hymg::options mine;
  CHECK(mine.method == o.method && mine.rtol == o.rtol && mine.sweeps == o.sweeps);
  CHECK(hymg::grid_desc().n[0] == 64 && hymg::operator_desc().b == 1);
  CHECK(hymg::context_options().device == HYMG_DEVICE_SHARED);
}

/* what() is the library's text, which names the value. */
static void test_exceptions()
{
  const hymg::context context = make_context();
  hymg::grid_desc desc = box(8, 8, 8);
  desc.n[1] = -37;
  try {
    hymg::grid grid(context, desc);
    CHECK(!"an exception");
  } catch (const hymg::error &e) {
    CHECK(e.status() == HYMG_EINVAL);
    CHECK(std::string(e.what()).find("-37") != std::string::npos);
    CHECK(std::string(e.what()) == hymg_context_error(context.get()));
  }
  hymg::field field(hymg::grid(context, box(8, 8, 8)));
  std::vector<double> v(8);
  try {
    field.read({v.data(), {1, 1, 8}}, {0, 0, 5});
    CHECK(!"an exception");
  } catch (const std::runtime_error &e) { /* a brick that ends at 13 of 8 cells */
    CHECK(*e.what());
  }
  try {
    hymg::check(HYMG_EIO);
    CHECK(!"an exception");
  } catch (const hymg::error &e) {
    CHECK(e.status() == HYMG_EIO && std::string(e.what()) == hymg_status_text(HYMG_EIO));
  }
}

/* Written with x fastest from inside an array with ghost layers, read back with z fastest and x
 * reversed into a poisoned array; what another rank holds, and what is around the brick, stays
 * poisoned. */
static void test_spans()
{
  enum { NX = 7, NY = 4, NZ = 5, PITCH = NX + 2, PLANE = PITCH * (NY + 2) };
  const hymg::grid grid(make_context(), box(NX, NY, NZ));
  hymg::field field(grid);
  std::vector<double> in = random_values(PLANE * (NZ + 2)), out(NX * NY * NZ + 2, nan_value);
  const hymg::strided_span<double> ghosted(in.data(), {PITCH, NY + 2, NZ + 2});
  const hymg::strided_span<double> inner = ghosted.part({1, 1, 1}, {NX, NY, NZ});
  const hymg::strided_span<double> reversed(out.data() + 1 + (NX - 1) * NY * NZ, {NX, NY, NZ},
                                            {-NY * NZ, NZ, 1});
  CHECK(inner(0, 0, 0) == in[PLANE + PITCH + 1]);
  CHECK(&inner(NX - 1, NY - 1, NZ - 1) == &in[NZ * PLANE + NY * PITCH + NX]);
  field.write_own(inner);
  field.read_own(reversed);
  std::vector<int> held(NX * NY * NZ, 0);
  for (int b = 0; b < grid.bricks(); b++) {
    const hymg::grid::brick own = grid.local(b);
    for (int c = 0; c < own.count[0] * own.count[1] * own.count[2]; c++)
      held[own.low[0] + c % own.count[0] +
           NX * (own.low[1] + c / own.count[0] % own.count[1] +
                 NY * (own.low[2] + c / own.count[0] / own.count[1]))] = 1;
  }
  bool same = true, untouched = std::isnan(out.front()) && std::isnan(out.back());
  double cells = 0;
  for (int k = 0, c = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++, c++) {
        cells += held[c];
        if (held[c])
          same = same && reversed(i, j, k) == inner(i, j, k);
        else
          untouched = untouched && std::isnan(reversed(i, j, k));
      }
  CHECK(same);
  CHECK(untouched);
  CHECK(cells > 0 || grid.bricks() == 0);
}

/* u of the 7-point problem a alpha u - div grad u, Neumann on x-, Dirichlet with a linear
 * extrapolation elsewhere. */
static double apply_here(const std::vector<double> &u, const int *n, double alpha, int i, int j,
                         int k)
{
  const int at[3] = {i, j, k}, stride[3] = {1, n[0], n[0] * n[1]};
  const int c = i + n[0] * (j + n[1] * k);
  double sum = alpha * u[c];
  for (int d = 0; d < 3; d++) {
    const double w = double(n[d]) * n[d];
    if (at[d] > 0)
      sum += w * (u[c] - u[c - stride[d]]);
    else if (d > 0)
      sum += 2 * w * u[c];
    sum += at[d] < n[d] - 1 ? w * (u[c] - u[c + stride[d]]) : 2 * w * u[c];
  }
  return sum;
}

static std::vector<double> values(const hymg::context &context, const hymg::field &field,
                                  const int *n)
{
  std::vector<double> v(n[0] * n[1] * n[2], -HUGE_VAL);
  field.read_own({v.data(), {n[0], n[1], n[2]}});
  for (double &x : v)
    x = context.max(x); /* of the rank that holds it */
  return v;
}

static void test_solve()
{
  const int n[3] = {9, 5, 7};
  const hymg::context context = make_context();
  std::optional<hymg::field> keep;
  {
    hymg::grid_desc desc = box(n[0], n[1], n[2]);
    desc.boundary[0] = HYMG_NEUMANN;
    hymg::operator_desc op;
    op.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
    op.a = 1, op.alpha_constant = 3;
    hymg::options options;
    options.method = HYMG_MG, options.norm = HYMG_NORM_MAX, options.backend = HYMG_BACKEND_HOST;
    options.rtol = 1e-11;
    hymg::solver solver(hymg::linear_operator(hymg::grid(context, desc), op), options);
    hymg::field f(solver), u(solver), r(solver), copy = u; /* a second handle of u */
    const std::vector<double> rhs = random_values(n[0] * n[1] * n[2]);
    f.write_own({rhs.data(), {n[0], n[1], n[2]}});
    CHECK(solver.solve(f, u).converged);
    const std::vector<double> x = values(context, copy, n);
    double worst = 0;
    for (int k = 0, c = 0; k < n[2]; k++)
      for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++, c++)
          worst = std::fmax(worst, std::fabs(rhs[c] - apply_here(x, n, 3, i, j, k)));
    CHECK(worst < 2e-11 && worst > 0);
    solver.residual(f, u, r);
    CHECK(std::fabs(r.max() - worst) < 1e-12);
    solver.apply(u, r);
    r.axpy(-1, f);
    CHECK(r.max() < 2e-11);
    op.b = 2, op.a = 2; /* twice the operator: half the solution */
    hymg::linear_operator same = solver.op();
    same.set(op);
    CHECK(same.desc().b == 2);
    solver.update();
    CHECK(solver.solve(f, r).converged);
    r.axpy(-.5, u);
    CHECK(r.max() < 1e-11 * u.max());
    keep = u;
  } /* the field outlives solver, operator and grid */
  CHECK(keep->rms() > 0 && keep->max() >= keep->rms());
  keep->fill(-2.5);
  CHECK(keep->mean() == -2.5);
  keep->put({{0, 0, 0}, {1, 2, 3}}, {4, -6});
  CHECK(keep->max() == 6);
  try {
    keep->put({{0, 0, 0}}, {});
    CHECK(!"an exception");
  } catch (const hymg::error &e) {
    CHECK(e.status() == HYMG_EINVAL);
  }
}

static void test_options()
{
  hymg::options o;
  o.parse("smoother=chebyshev sweeps=12");
  CHECK(o.smoother == HYMG_CHEBYSHEV && o.sweeps == 12);
  try {
    o.parse("sweeps=6 smoother=gauss");
    CHECK(!"an exception");
  } catch (const hymg::error &e) {
    CHECK(std::string(e.what()).find("gauss") != std::string::npos);
    CHECK(o.smoother == HYMG_CHEBYSHEV && o.sweeps == 12);
  }
}

/* Reductions against sums here; a cycle from zero is linear and reduces the residual; a field over an
 * array with gaps changes the same bits of it as a copy would, and nothing else. */
static void test_fields_and_cycle()
{
  const int n[3] = {8, 6, 5};
  const hymg::context context = make_context();
  const hymg::grid grid(context, box(n[0], n[1], n[2]));
  hymg::options options = hymg::options();
  options.parse("method=mg backend=host smoother=chebyshev bottom=sweeps");
  hymg::solver solver(hymg::linear_operator(grid), options);
  hymg::field f(solver), u(solver), w(solver);
  const std::vector<double> rhs = random_values(n[0] * n[1] * n[2]);
  double square = 0, sum = 0;
  for (double x : rhs)
    square += x * x, sum += x;
  f.write_own({rhs.data(), {n[0], n[1], n[2]}});
  CHECK(std::fabs(f.dot(f) - square) < 1e-12 * square);
  solver.cycle(f, u);
  solver.residual(f, u, w);
  CHECK(w.rms() < .2 * f.rms() && w.rms() > 0);
  f.scale(2);
  solver.cycle(f, w);
  w.axpy(-2, u);
  CHECK(w.max() <= 1e-14 * u.max());
  f.scale(.5);
  w.assign(f);
  w.remove_mean();
  w.axpy(-1, f);
  CHECK(std::fabs(w.max() - std::fabs(sum / double(rhs.size()))) < 1e-14);

  std::vector<double> array(2 * rhs.size(), 7.);
  const hymg::strided_span<double> gaps(array.data(), {n[0], n[1], n[2]},
                                        {2, 2 * n[0], 2 * n[0] * n[1]});
  try {
    hymg::save({{"u", u}, {"f", f}}, "/none/u.vti");
    CHECK(!"a file in a folder that is missing");
  } catch (const hymg::error &e) {
    CHECK(e.status() == HYMG_EIO && std::strstr(e.what(), "/none/u.vti"));
  }
  u.save(temporary_file());
  hymg::save({{"u", u}, {"f", f}}, temporary_file());
  if (context.rank() == 0) CHECK(std::remove(temporary_file().c_str()) == 0);
  hymg::field wrapped(grid, gaps, {0, 0, 0});
  solver.cycle(f, wrapped);
  std::vector<double> copy(rhs.size(), 7.);
  u.read_own({copy.data(), {n[0], n[1], n[2]}});
  bool same = true;
  for (std::size_t c = 0; c < rhs.size(); c++)
    same = same && array[2 * c] == copy[c] && array[2 * c + 1] == 7.;
  CHECK(same);
}

static hymg::options to_the_tolerance()
{
  hymg::options o;
  o.method = HYMG_MG, o.rtol = 1e-12, o.backend = HYMG_BACKEND_HOST;
  return o;
}

/* The defaults of the axes that are not given; spans with two axes and one, and what is around them. */
static void test_plane_descriptions()
{
  const hymg::grid_desc plane({6, 5}, {.5, .25}), line({7}, 2.), box({4, 3, 2}, .1);
  CHECK(plane.n[0] == 6 && plane.n[1] == 5 && plane.n[2] == 1);
  CHECK(plane.spacing[0] == .5 && plane.spacing[1] == .25 && plane.spacing[2] == .25);
  CHECK(plane.boundary[3] == HYMG_DIRICHLET && plane.boundary[4] == HYMG_NEUMANN);
  CHECK(line.n[0] == 7 && line.n[1] == 1 && line.n[2] == 1 && line.spacing[2] == 2);
  CHECK(line.boundary[1] == HYMG_DIRICHLET && line.boundary[2] == HYMG_NEUMANN);
  CHECK(box.n[2] == 2 && box.spacing[2] == .1 && box.boundary[5] == HYMG_DIRICHLET);
  const hymg::grid grid(make_context(), plane);
  CHECK(grid.cells() == 30 && grid.shape() == (hymg::index3{6, 5, 1}));
  hymg::field field(grid);
  std::vector<double> ghosted = random_values(8 * 7), out(62, nan_value);
  const auto inner = hymg::strided_span<double>(ghosted.data(), {8, 7}).part({1, 1}, {6, 5});
  const hymg::strided_span<double> turned(out.data() + 1, {6, 5}, {10, 2});
  CHECK(inner.count() == (hymg::index3{6, 5, 1}) && &inner(5, 4) == &ghosted[5 * 8 + 6]);
  field.write_own(inner);
  field.put({{2, 3}}, {-7});
  field.read_own(turned);
  double cells = 0;
  for (int b = 0; b < grid.bricks(); b++) {
    const hymg::grid::brick own = grid.local(b);
    for (int j = own.low[1]; j < own.low[1] + own.count[1]; j++)
      for (int i = own.low[0]; i < own.low[0] + own.count[0]; i++, cells++)
        CHECK(turned(i, j) == (i == 2 && j == 3 ? -7 : inner(i, j)));
  }
  int written = 0;
  for (double x : out)
    written += !std::isnan(x);
  CHECK(written == int(cells) && std::isnan(out.front()) && std::isnan(out.back()));
}

/* A field of different values between 1 and 13 on the faces normal to x or y. */
static hymg::field face_values(const hymg::grid &grid, int axis)
{
  const int nx = grid.shape()[0] + (axis == 0), ny = grid.shape()[1] + (axis == 1);
  std::vector<double> v(std::size_t(nx) * std::size_t(ny));
  for (std::size_t m = 0; m < v.size(); m++)
    v[m] = 1 + double(m * 7 % 13);
  hymg::field f(grid, hymg_centering(HYMG_FACE_X + axis));
  f.write_own({v.data(), {nx, ny}});
  return f;
}

/* A plane with beta along its axes only has the bits of a box with all three; its fluxes flow out of cells as f says;
 * the update of a copy of the operator keeps what was filled in. */
static void test_plane()
{
  enum { NX = 19, NY = 14 };
  const hymg::context context = make_context();
  hymg::grid_desc plane({NX, NY}, {.2, .3});
  plane.boundary[0] = HYMG_NEUMANN;
  hymg::grid_desc thick = plane;
  thick.spacing[2] = 40;
  const hymg::grid grid(context, plane), box(context, thick);
  const hymg::field bx = face_values(grid, 0), by = face_values(grid, 1);
  const hymg::field cx = face_values(box, 0), cy = face_values(box, 1);
  hymg::field cz(box, HYMG_FACE_Z), qx(grid, HYMG_FACE_X), qy(grid, HYMG_FACE_Y);
  cz.fill(1);
  hymg::operator_desc op, all;
  op.beta[0] = bx.get(), op.beta[1] = by.get();
  all.beta[0] = cx.get(), all.beta[1] = cy.get(), all.beta[2] = cz.get();
  hymg::solver solver(hymg::linear_operator(grid, op), to_the_tolerance());
  hymg::solver other(hymg::linear_operator(box, all), to_the_tolerance());
  hymg::field f(solver), u(solver), g(other), v(other);
  const std::vector<double> rhs = random_values(NX * NY);
  f.write_own({rhs.data(), {NX, NY}}), g.write_own({rhs.data(), {NX, NY, 1}});
  CHECK(solver.solve(f, u).converged && other.solve(g, v).converged);
  const int n[3] = {NX, NY, 1};
  const std::vector<double> x = values(context, u, n);
  CHECK(x == values(context, v, n) && u.max() > 0 && solver.advice() == "");
  solver.fluxes(u, qx, qy);
  std::vector<double> qa((NX + 1) * NY, -HUGE_VAL), qb(NX * (NY + 1), -HUGE_VAL);
  const hymg::strided_span<double> a(qa.data(), {NX + 1, NY}), b(qb.data(), {NX, NY + 1});
  qx.read_own(a), qy.read_own(b);
  for (double &q : qa)
    q = context.max(q);
  for (double &q : qb)
    q = context.max(q);
  double worst = 0;
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      const double out = (a(i + 1, j) - a(i, j)) / .2 + (b(i, j + 1) - b(i, j)) / .3;
      worst = std::fmax(worst, std::fabs(out - rhs[std::size_t(i + NX * j)]));
    }
  CHECK(worst < 1e-10);
  {
    hymg::linear_operator same = solver.op();
    op.b = 2;
    same.set(op);
  }
  solver.update();
  CHECK(solver.solve(f, u).converged);
  const std::vector<double> half = values(context, u, n);
  worst = 0;
  for (std::size_t c = 0; c < x.size(); c++)
    worst = std::fmax(worst, std::fabs(2 * half[c] - x[c]));
  CHECK(worst <= 1e-9 * v.max());
}

/* -u'' = 2, u(0) = 0, u'(1) = 0: u = x (2 - x). What Dirichlet boundaries on an axis of one cell do is told. */
static void test_line_and_advice()
{
  enum { N = 40 };
  const hymg::context context = make_context();
  hymg::grid_desc line({N}, 1. / N);
  line.boundary[1] = HYMG_NEUMANN;
  hymg::solver solver(hymg::linear_operator(hymg::grid(context, line)), to_the_tolerance());
  hymg::field f(solver), u(solver);
  f.fill(2);
  const hymg_result result = solver.solve(f, u);
  CHECK(result.converged && solver.advice(&result) == "");
  const int n[3] = {N, 1, 1};
  const std::vector<double> x = values(context, u, n);
  double worst = 0;
  for (int i = 0; i < N; i++) {
    const double s = (i + .5) / N;
    worst = std::fmax(worst, std::fabs(x[std::size_t(i)] - s * (2 - s)));
  }
  CHECK(worst < 1. / (N * N));
  hymg::grid_desc thin({16, 17, 1},
                       .1); /* three axes are three: Dirichlet boundaries on the last one, too */
  hymg::solver held(hymg::linear_operator(hymg::grid(context, thin)), to_the_tolerance());
  CHECK(held.advice().find("there is one cell along z") == 0);
}

/* A charge of 1 in open space: 1 / (4 pi r) away from it. */
static void test_open_boundaries()
{
  enum { N = 16 };
  const hymg::context context = make_context();
  hymg::grid_desc desc = box(N, N, N);
  for (hymg_boundary &boundary : desc.boundary)
    boundary = HYMG_OPEN;
  hymg::solver solver(hymg::linear_operator(hymg::grid(context, desc)), to_the_tolerance());
  hymg::field f(solver), u(solver);
  std::vector<double> charge(N * N * N);
  charge[(8 * N + 8) * N + 8] = N * N * N;
  f.write_own({charge.data(), {N, N, N}});
  CHECK(solver.solve(f, u).converged);
  const int n[3] = {N, N, N};
  const std::vector<double> x = values(context, u, n);
  const double far = 1 / (4 * std::acos(-1.) * .5);
  CHECK(std::fabs(x[(8 * N + 8) * N] - far) < .01 * far &&
        std::fabs(x[8 * N + 8] - far) < .01 * far);
  desc.boundary[1] = HYMG_DIRICHLET;
  std::string text;
  try {
    const hymg::grid mixed(context, desc);
  } catch (const hymg::error &e) {
    text = e.what();
  }
  CHECK(text.find("all six faces or none") != std::string::npos);
}

/* Entries of a field that this rank holds, NaN elsewhere. */
static std::vector<double> held(const hymg::field &f, const hymg::index3 &count)
{
  std::vector<double> v(std::size_t(count[0] * count[1] * count[2]), nan_value);
  f.read_own({v.data(), count});
  return v;
}

static bool all_near(const std::vector<double> &v, const hymg::index3 &count, int i, double want)
{
  for (std::size_t at = std::size_t(i); at < v.size(); at += std::size_t(count[0]))
    if (!std::isnan(v[at]) && !(std::abs(v[at] - want) < 1e-11)) return false;
  return true;
}

/* A wall at 0.3 of the second cell along x, then a mask. */
static void test_body()
{
  const hymg::context c = make_context();
  const hymg::grid g(c, box(6, 5, 4));
  const hymg::index3 cells = {6, 5, 4}, vertices = {7, 6, 5}, x_faces = {7, 5, 4};
  std::vector<double> distance(7 * 6 * 5);
  for (std::size_t m = 0; m < distance.size(); m++)
    distance[m] = (double(m % 7) - 1.3) / 6;
  hymg::field alpha(g), weight(g), source(g);
  hymg::faces beta = {hymg::field(g, HYMG_FACE_X), hymg::field(g, HYMG_FACE_Y),
                      hymg::field(g, HYMG_FACE_Z)};
  for (hymg::field &f : beta)
    f.fill(3);
  alpha.fill(5);
  hymg::body wall(g, hymg::strided_span<const double>(distance.data(), vertices));
  wall.value_constant = 2;
  wall.coefficients(1, 1, beta, &alpha, &weight, &source);
  CHECK(all_near(held(alpha, cells), cells, 0, 0) && all_near(held(alpha, cells), cells, 1, 3.5));
  CHECK(all_near(held(source, cells), cells, 1, 12) && all_near(held(source, cells), cells, 2, 0));
  CHECK(all_near(held(beta[0], x_faces), x_faces, 1, 0) &&
        all_near(held(beta[0], x_faces), x_faces, 2, 3));
  source.fill(7);
  hymg::body_rhs(weight, source);
  CHECK(all_near(held(source, cells), cells, 1, 4.9));
  hymg::mask_coefficients(wall.volume_field(), beta, nullptr, &weight);
  CHECK(all_near(held(weight, cells), cells, 0, 0) && all_near(held(weight, cells), cells, 1, 1));
  hymg::body open(g);
  open.condition = HYMG_ROBIN;
  std::string text;
  try {
    open.coefficients(0, 1, beta, &alpha);
  } catch (const hymg::error &e) {
    text = e.what();
  }
  CHECK(text.find("a = 0 with a robin condition") != std::string::npos);
}

/* A solve with an array of floats for f and a field of floats for u: u is the rounding of that with doubles. */
static void test_floats()
{
  const hymg::index3 n = {6, 5, 4};
  const hymg::grid g(make_context(), box(n[0], n[1], n[2]));
  hymg::options options;
  options.method = HYMG_MG;
  hymg::solver solver(hymg::linear_operator(g), options);
  std::vector<double> wide = random_values(120);
  std::vector<float> narrow(2 * 120, -7);
  const hymg::strided_span<float> every_other(narrow.data(), n, {2, 12, 60});
  for (std::size_t m = 0; m < wide.size(); m++)
    wide[m] = narrow[2 * m] = float(wide[m]);
  hymg::field f(g), u(g), narrow_u(g, HYMG_CELL, HYMG_HOST, HYMG_FLOAT);
  hymg::field narrow_f(g, every_other, {0, 0, 0});
  f.write_own({wide.data(), n});
  const double residual = solver.solve(f, u).residual_max;
  CHECK(solver.solve(narrow_f, narrow_u).residual_max == residual);
  std::vector<double> want = held(u, n), got = held(narrow_u, n);
  narrow_f.assign(u);
  bool rounded = true, untouched = true, stored = true;
  for (std::size_t m = 0; m < want.size(); m++) {
    const bool here = !std::isnan(want[m]);
    rounded = rounded && (here ? got[m] == double(float(want[m])) : std::isnan(got[m]));
    stored = stored && narrow[2 * m] == (here ? float(want[m]) : float(wide[m]));
    untouched = untouched && narrow[2 * m + 1] == -7;
  }
  CHECK(rounded && stored && untouched);
}

/* Several right-hand sides, and systems of contexts of their own, of which one cannot be solved. */
static void test_many()
{
  const hymg::index3 n = {6, 5, 4};
  std::vector<hymg::solver> solvers;
  std::vector<hymg::field> f, u, fs, us,
      few(1, hymg::field(hymg::grid(make_context(), box(2, 2, 2))));
  std::vector<hymg_result> results;
  hymg::options options;
  options.method = HYMG_MG;
  for (int m = 0; m < 3; m++) {
    const hymg::grid g(make_context(), box(n[0], n[1], n[2]));
    solvers.emplace_back(hymg::linear_operator(g), options);
    f.emplace_back(solvers[0]), u.emplace_back(solvers[0]);
    fs.emplace_back(solvers.back()), us.emplace_back(solvers.back());
    f.back().fill(m + 1), fs.back().fill(m + 1);
  }
  solvers[0].solve_many(f, u, results);
  CHECK(results.size() == 3 && results[2].converged && results[0].history[0].residual_max > 0);
  fs[1] = f[1]; // of another context
  hymg_status status = HYMG_OK;
  try {
    hymg::solve_batch(solvers, fs, us, results);
  } catch (const hymg::error &e) {
    status = e.status();
    CHECK(std::string(e.what()).find("system 1: f is a field of another grid") !=
          std::string::npos);
  }
  CHECK(status == HYMG_EINVAL && results[1].status == HYMG_EINVAL);
  CHECK(results[0].converged && results[2].converged);
  const std::vector<double> got = held(us[2], n), want = held(u[2], n);
  bool same = true;
  for (std::size_t m = 0; m < got.size(); m++)
    same = same && (got[m] == want[m] || (std::isnan(got[m]) && std::isnan(want[m])));
  CHECK(same);
  std::string text;
  try {
    solvers[0].solve_many(f, few, results);
  } catch (const hymg::error &e) {
    text = e.what();
  }
  CHECK(text.find("3 right-hand sides, but 1") != std::string::npos);
}

/* A full ring of r and z: volumes, areas and distances of its cells. */
static void test_measures()
{
  const hymg::context c = make_context();
  hymg::grid_desc ring({4, 3}, 0.5);
  ring.coordinate[0] = HYMG_RADIUS, ring.coordinate[2] = HYMG_AZIMUTH;
  ring.origin[0] = 1, ring.spacing[2] = 2;
  const hymg::grid g(c, ring);
  const hymg::index3 cells = {4, 3, 1}, x_faces = {5, 3, 1}, y_faces = {4, 4, 1};
  hymg::measures m(g);
  CHECK(all_near(held(m.volume, cells), cells, 0, 1.25 * .5 * .5 * 2));
  CHECK(all_near(held(m.area[0], x_faces), x_faces, 4, 3 * .5 * 2));
  CHECK(all_near(held(m.area[1], y_faces), y_faces, 1, 1.75 * .5 * 2));
  CHECK(all_near(held(m.distance[0], x_faces), x_faces, 0, .25) &&
        all_near(held(m.distance[0], x_faces), x_faces, 1, .5));
}

int main(int argc, char **argv)
{
#ifdef TEST_MPI
  MPI_Init(&argc, &argv);
#else
  (void)argc, (void)argv;
#endif
  int rank = 0, failures;
  test_defaults();
  test_exceptions();
  test_spans();
  test_solve();
  test_options();
  test_fields_and_cycle();
  test_plane_descriptions();
  test_plane();
  test_line_and_advice();
  test_open_boundaries();
  test_body();
  test_floats();
  test_many();
  test_measures();
  failures = failed;
#ifdef TEST_MPI
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
#endif
  if (rank == 0) std::printf("%d passed, %d failed, 0 skipped\n", passed, failures);
  return failures != 0;
}
