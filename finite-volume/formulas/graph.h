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

/* The solution of a graph that is solved twice, from c, a cycle for b, and d, one for what c leaves: 1 - t times a polynomial
 * of degree 2 with the smallest maximum on [1/4, 1] */
#define HYMGI_GRAPH_AT_0 (1.25 / 0.75)
#define HYMGI_GRAPH_K    (2 / (0.75 * 0.75 * (2 * HYMGI_GRAPH_AT_0 * HYMGI_GRAPH_AT_0 - 1)))

HYMGI_INLINE double hymgi_graph_twice(double c, double d)
{
  return (4 * 1.25 * HYMGI_GRAPH_K - 4 * HYMGI_GRAPH_K) * c + 4 * HYMGI_GRAPH_K * d;
}

#endif
