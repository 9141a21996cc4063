#include "base/boundary_kind.h"

hymgi_boundary_kind hymgi_boundary_kind_of(hymg_boundary kind)
{
  static const hymgi_boundary_kind rows[] = {
      [HYMG_DIRICHLET] = {.holds = true, .extrapolates = true, .fv4 = true},
      [HYMG_PERIODIC] = {.fv4 = true},
      [HYMG_NEUMANN] = {.gives_flux = true, .fv4 = true},
      [HYMG_ROBIN] = {.extrapolates = true, .mixes = true},
      [HYMG_OPEN] = {.holds = true, .extrapolates = true, .open = true},
      [HYMG_OPEN_JAMES] = {.holds = true, .extrapolates = true, .open = true, .screened = true},
  };
  return rows[kind];
}

bool hymgi_has_parabola(hymg_boundary kind)
{
  const hymgi_boundary_kind row = hymgi_boundary_kind_of(kind);
  return row.extrapolates && !row.linear;
}
