/* The smoother of the pairs' graphs: Chebyshev's polynomial of degree 2 on [1/4, 2] for D^-1 A. p = first, x += p; then
 * p = second, x += p. inverse: 1 / D, or 0. */
#ifndef HYMGI_FORMULAS_GRAPH_H
#define HYMGI_FORMULAS_GRAPH_H

#include "base/geometry.h"

HYMGI_INLINE double hymgi_graph_first(double inverse, double r)
{
  return 8.0 / 9 * (inverse * r);
}

HYMGI_INLINE double hymgi_graph_second(double inverse, double p, double r)
{
  return 49.0 / 113 * p + 144.0 / 113 * (inverse * r);
}

#endif
