/* The type of a level's vectors and coefficients: double. What computes on them, the kernels of a
 * backend, is compiled a second time with HYMGI_SINGLE for levels in single precision
 * (source/hierarchy/shadow.c); source/ is not, and never looks at numbers of such a level. */
#ifndef HYMGI_BASE_REAL_H
#define HYMGI_BASE_REAL_H

#ifdef HYMGI_SINGLE
typedef float hymgi_real;
#else
typedef double hymgi_real;
#endif

#endif
