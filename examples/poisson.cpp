// poisson.c in C++17: -div grad u = f on the unit cube, u = sin(pi x) sin(pi y) sin(pi z).
#include <hymg.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

const double pi = 3.14159265358979323846;
// Mean of u over a cell of n^3, counted with x fastest.
double exact(int n, int cell)
{
  const double w = pi / n;
  const auto sine = [=](int i) { return (std::cos(w * i) - std::cos(w * i + w)) / w; };
  return sine(cell % n) * sine(cell / n % n) * sine(cell / n / n);
}

int main()
try {
  const int n = 64, cells = n * n * n;
  std::vector<double> f(cells), u(cells);
  for (int c = 0; c < cells; c++)
    f[c] = 3 * pi * pi * exact(n, c);
  hymg::operator_desc laplace; // -div grad
  hymg::options options;
  laplace.stencil = HYMG_FV4, options.method = HYMG_MG;
  const hymg::grid grid{hymg::context(), hymg::grid_desc()}; // 64^3, the unit cube
  hymg::solver solver(hymg::linear_operator(grid, laplace), options);
  hymg::field rhs(solver), solution(solver);
  rhs.write({f.data(), {n, n, n}});
  const hymg_result result = solver.solve(rhs, solution);
  solution.read({u.data(), {n, n, n}});
  double error = 0;
  for (int c = 0; c < cells; c++)
    error = std::fmax(error, std::fabs(u[c] - exact(n, c)));
  std::printf("poisson: %d^3 cells, %d cycles, max error %.2e\n", n, result.cycles, error);
  return result.converged && error < 2 * std::pow(1. / n, 4) ? 0 : 1;
} catch (const hymg::error &e) {
  std::fprintf(stderr, "poisson: %s\n", e.what());
  return 1;
}
