// aquifer.c in C++17: groundwater in one layer, with given heads in a river and two wells, rain, and inactive rock.
#include <hymg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

const int nx = 150, ny = 100;
const double spacing = 10, rain = 1e-3, river = 30, well = 24; // m, m a day, m, m

// A map, x fastest.
struct map {
  int count[2];
  std::vector<double> data;
  map(int n, int m) : count{n, m}, data(std::size_t(n) * std::size_t(m)) {}
  hymg::strided_span<double> all()
  {
    return {data.data(), count};
  }
  template <class Value> void set(Value value)
  {
    const auto a = all();
    for (int j = 0; j < count[1]; j++)
      for (int i = 0; i < count[0]; i++)
        a(i, j) = value(i, j);
  }
};

double transmissivity(double i, double j)
{
  return 30 *
         std::exp(3.4 * std::sin(0.11 * i + 1) * std::cos(0.07 * j) * std::sin(0.05 * (i + j)));
}

int main()
try {
  map active(nx, ny), given(nx, ny), head(nx, ny), x(nx + 1, ny), y(nx, ny + 1);
  active.set([](int i, int j) { return std::hypot((i - 62) / 1.6, j - 68) < 12 ? 0 : 1; });
  given.set([](int i, int j) {
    if (std::fabs(i - 12 - 5 * std::sin(0.05 * j)) < 2) return river;
    return (i == 75 && j == 30) || (i == 120 && j == 70) ? well : NAN;
  });
  x.set([](int i, int j) { return transmissivity(i, j + 0.5); });
  y.set([](int i, int j) { return transmissivity(i + 0.5, j); });

  hymg::grid_desc desc({nx, ny}, spacing);
  std::fill(desc.boundary, desc.boundary + 6, HYMG_NEUMANN); // watersheds
  const hymg::grid grid{hymg::context(), desc};
  hymg::field mask(grid), fixed(grid), source(grid), h(grid);
  hymg::faces beta = {hymg::field(grid, HYMG_FACE_X), hymg::field(grid, HYMG_FACE_Y),
                      hymg::field(grid, HYMG_FACE_Z)};
  mask.write(active.all());
  fixed.write(given.all()); // NaN: no head is given
  beta[0].write(x.all()), beta[1].write(y.all());
  hymg::mask_coefficients(mask, beta); // 0 on the faces of the rock
  source.fill(rain);

  hymg::operator_desc flow; // -div(T grad h) = rain
  for (int axis = 0; axis < 3; axis++)
    flow.beta[axis] = beta[std::size_t(axis)].get();
  flow.fixed = fixed.get();
  hymg::options options;
  options.method = HYMG_MG, options.rtol = 1e-12;
  hymg::solver solver(hymg::linear_operator(grid, flow), options);
  const hymg_result result = solver.solve(source, h);
  h.read(head.all());
  hymg::field flux_x(grid, HYMG_FACE_X), flux_y(grid, HYMG_FACE_Y);
  solver.fluxes(h, flux_x, flux_y);
  flux_x.read(x.all()), flux_y.read(y.all());

  double brought = 0, taken = 0, lowest = river;
  const auto open = active.all(), fix = given.all(), u = head.all(), qx = x.all(), qy = y.all();
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      if (open(i, j) == 0) continue;
      lowest = std::fmin(lowest, u(i, j));
      if (std::isnan(fix(i, j)))
        brought += rain * spacing * spacing;
      else
        taken += spacing * (qx(i, j) - qx(i + 1, j) + qy(i, j) - qy(i, j + 1));
    }
  std::printf("aquifer: %d x %d cells, %d cycles; rain brings %.3f m^3 a day, %.3f are taken\n", nx,
              ny, result.cycles, brought, taken);
  return result.converged && std::fabs(taken - brought) < 1e-6 * brought && lowest == well ? 0 : 1;
} catch (const hymg::error &e) {
  std::fprintf(stderr, "aquifer: %s\n", e.what());
  return 1;
}
