// projection.c in C++17: a stream past a ball in a channel, made free of divergence by the gradient of a pressure.
#include <hymg.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

const int n = 32, shape[3] = {2 * n, n, n}; // cells; the channel is 2 x 1 x 1

// Values on the faces normal to an axis, or (-1) in cells.
struct values {
  int axis, count[3];
  std::vector<double> data;
  explicit values(int a) : axis(a)
  {
    for (int d = 0; d < 3; d++)
      count[d] = shape[d] + (d == a);
    data.resize(std::size_t(count[0]) * std::size_t(count[1]) * std::size_t(count[2]));
  }
  hymg::strided_span<double> all()
  {
    return {data.data(), count};
  }
};

struct velocity {
  values x{0}, y{1}, z{2};
  // -div u in each cell; returns the largest one where mask is not 0.
  double sources(values &f, values &mask)
  {
    const auto u = x.all(), v = y.all(), w = z.all(), source = f.all(), fluid = mask.all();
    double most = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < 2 * n; i++) {
          source(i, j, k) = -n * (u(i + 1, j, k) - u(i, j, k) + v(i, j + 1, k) - v(i, j, k) +
                                  w(i, j, k + 1) - w(i, j, k));
          if (fluid(i, j, k) > 0) most = std::fmax(most, std::fabs(source(i, j, k)));
        }
    return most;
  }
};

// 1 outside the ball, 0 in it.
values fluid()
{
  values mask(-1);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < 2 * n; i++)
        mask.all()(i, j, k) =
            std::hypot((i + 0.5) / n - 0.7, (j + 0.5) / n - 0.5, (k + 0.5) / n - 0.5) > 0.2;
  return mask;
}

hymg::faces on_faces(const hymg::grid &grid)
{
  return {hymg::field(grid, HYMG_FACE_X), hymg::field(grid, HYMG_FACE_Y),
          hymg::field(grid, HYMG_FACE_Z)};
}

int main()
try {
  hymg::grid_desc channel({2 * n, n, n}, 1. / n);
  for (int face = 0; face < 6; face++)
    channel.boundary[face] = HYMG_NEUMANN; // given velocities: dp/dn = 0
  channel.boundary[1] = HYMG_DIRICHLET;    // p = 0 at the outlet
  const hymg::grid grid{hymg::context(), channel};
  values mask = fluid(), f(-1);
  hymg::field active(grid), rhs(grid), p(grid);
  hymg::faces open = on_faces(grid), gradient = on_faces(grid); // gradient: minus that of p
  for (hymg::field &faces : open)
    faces.fill(1);
  active.write(mask.all());
  hymg::mask_coefficients(active, open); // 0 on the faces of the ball

  velocity u;
  open[0].read(u.x.all()); // a stream along x that the ball stops
  const double before = u.sources(f, mask);
  rhs.write(f.all());

  hymg::operator_desc laplace; // -div(open grad p) = -div u
  for (int axis = 0; axis < 3; axis++)
    laplace.beta[axis] = open[std::size_t(axis)].get();
  hymg::options options;
  options.method = HYMG_MG, options.rtol = 1e-12;
  hymg::solver solver(hymg::linear_operator(grid, laplace), options);
  const hymg_result result = solver.solve(rhs, p);

  solver.fluxes(p, gradient[0], gradient[1], gradient[2]);
  for (values *component : {&u.x, &u.y, &u.z}) {
    values change(component->axis);
    gradient[std::size_t(component->axis)].read(change.all());
    for (std::size_t m = 0; m < change.data.size(); m++)
      component->data[m] += change.data[m];
  }
  const double after = u.sources(f, mask);
  std::printf("projection: %d x %d x %d cells, %d cycles, div u %.1f before, %.1e after\n", 2 * n,
              n, n, result.cycles, before, after);
  return result.converged && after < 1e-8 * before ? 0 : 1;
} catch (const hymg::error &e) {
  std::fprintf(stderr, "projection: %s\n", e.what());
  return 1;
}
