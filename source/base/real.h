/* The type of a level's vectors and coefficients: double. What computes on them, the kernels of a
 * backend, is compiled a second time with HYMGI_SINGLE for levels in single precision
 * (source/hierarchy/single_levels.c), where its functions have names that end in _single (see single_names in
 * the Makefile); source/ is not, and never reads the numbers of such a level. */
#ifndef HYMGI_BASE_REAL_H
#define HYMGI_BASE_REAL_H

#ifdef HYMGI_SINGLE
typedef float hymgi_real;
#define HYMGI_BY_PRECISION(in_double, in_single) in_single
#else
typedef double hymgi_real;
#define HYMGI_BY_PRECISION(in_double, in_single) in_double
#endif

/* in tables of functions: what levels in single precision do without */
#define HYMGI_IN_DOUBLE(function) HYMGI_BY_PRECISION(function, NULL)

#endif
