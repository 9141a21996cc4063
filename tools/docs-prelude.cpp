// What fragments of C++ in the documentation may use (tools/check-docs).
#include <hymg.hpp>
#include <vector>

void fragment(const hymg::grid &grid, const hymg_options &options, int n);
void fragment(const hymg::grid &grid, const hymg_options &options, int n)
{
  std::vector<double> f(std::size_t(n) * n * n), u(f.size());
BLOCK
}
