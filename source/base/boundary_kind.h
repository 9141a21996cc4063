/* What the library knows of each boundary kind: a row. Copied into the levels, since a GPU reads it there. */
#ifndef HYMGI_BASE_BOUNDARY_KIND_H
#define HYMGI_BASE_BOUNDARY_KIND_H

#include <stdbool.h>

#include "hymg.h"

typedef struct hymgi_boundary_kind {
  bool holds;        /* u itself is given: no constant is free, and one cell across is no plane */
  bool extrapolates; /* u's values are continued across the face, by an extrapolation */
  bool linear;       /* linearly, whatever the operator's order */
  bool gives_flux;   /* data are du/dn, ghosts mirror u */
  bool mixes;        /* alpha u + beta du/dn: has numbers or fields of its own */
  bool fv4;          /* FV4 takes it */
} hymgi_boundary_kind;

static inline hymgi_boundary_kind hymgi_boundary_kind_of(hymg_boundary kind)
{
  static const hymgi_boundary_kind rows[] = {
      [HYMG_DIRICHLET] = {.holds = true, .extrapolates = true, .fv4 = true},
      [HYMG_PERIODIC] = {.fv4 = true},
      [HYMG_NEUMANN] = {.gives_flux = true, .fv4 = true},
      [HYMG_ROBIN] = {.extrapolates = true, .mixes = true},
  };
  return rows[kind];
}

/* Does the quadratic extrapolation, where the operator has it, hold at a boundary of this kind? */
static inline bool hymgi_has_parabola(hymg_boundary kind)
{
  const hymgi_boundary_kind row = hymgi_boundary_kind_of(kind);
  return row.extrapolates && !row.linear;
}

#endif
