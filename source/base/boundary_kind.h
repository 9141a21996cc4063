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
  bool open;         /* u on it follows from f (hierarchy/open_boundary.c) */
  bool screened; /* from the charge that a solve with u = 0 on it finds (hierarchy/screening.c) */
} hymgi_boundary_kind;

hymgi_boundary_kind hymgi_boundary_kind_of(hymg_boundary kind);

/* Does the quadratic extrapolation, where the operator has it, hold at a boundary of this kind? */
bool hymgi_has_parabola(hymg_boundary kind);

#endif
