/* Put before every file that make compiles. A solve that went wrong is known by its NaN, and sums are exact because no
 * compiler reorders them: flags that let it assume otherwise end the build here. configure leaves out those that it is
 * given, so what is refused came by another way, such as make CFLAGS=-ffast-math. */
#ifndef HYMGI_IEEE_H
#define HYMGI_IEEE_H

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#error "-ffast-math and -Ofast: hymg needs NaN, and sums in the order as written"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "-ffinite-math-only: hymg needs NaN"
#endif

#endif
