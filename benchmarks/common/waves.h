/* The problem waves, whose solution fits no homogeneous boundary. Arguments and results as in problem.h. */
#ifndef WAVES_H
#define WAVES_H

#include "common/problem.h"

bool waves_exact(const problem *p, const problem_range *range, double *data);
bool waves_rhs(const problem *p, const problem_range *range, double *data);
bool waves_beta(const problem *p, int axis, const problem_range *range, double *data);

#endif
