/* The kernel table: every choice of which kernel runs where is made on this page. A form is used on
 * the levels that its row describes, from so many cells on (measured). */
#include "kernel_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ghosts.cuh"
#include "device/loops.cuh"
#include "exchange/exchange.h"
#include "kernels/kernels.h"
#include "kernels/setup.h"
#include "level_ops.h"

namespace
{

/* ---- what a level is ---- */

int64_t cells_of(const hymgi_level *level)
{
  int n[3];
  if (level->num_boxes == 0) return 0;
  box_extent(level->box, level->num_boxes, n);
  return (int64_t)n[0] * n[1] * n[2];
}

bool takes(const hymgi_level *level, hymgi_form form)
{
  return cells_of(level) >= level->context->gpu->form_from[form];
}

bool is_split(const hymgi_level *level)
{
  return level->num_boxes > 0 && level->box[0].split;
}

bool is_plain(const hymgi_level *level)
{
  return level->num_boxes > 0 && !level->box[0].split;
}

/* With slabs of so many planes. */
template <int PLANES> bool is_plain_by(const hymgi_level *level)
{
  return is_plain(level) && fits_grid(level, PLANES);
}

template <int PLANES> bool is_split_by(const hymgi_level *level)
{
  return is_split(level) && fits_grid(level, PLANES);
}

/* It reads ghosts, which below the size of marches a box that wraps needs for nothing else. */
bool has_both_colours(const hymgi_level *level)
{
  return is_split_by<64>(level) && (!goes_around(level) || takes(level, HYMGI_FV2_GSRB_MARCH));
}

/* FV4 in tiles: levels that are not marched. */
bool tiles_split(const hymgi_level *level)
{
  return is_split(level) && !takes(level, HYMGI_FV4_MARCH) &&
         hymgi_cuda_fv4_fits_tiles(level, true);
}

bool tiles_any(const hymgi_level *level)
{
  return !takes(level, HYMGI_FV4_MARCH) && hymgi_cuda_fv4_fits_tiles(level, false);
}

bool tiles_plain(const hymgi_level *level)
{
  return is_plain(level) && tiles_any(level);
}

/* FV4 as the marches do not have it: with the mean of alpha x, or limited on levels that do not march. */
bool is_extended(const hymgi_level *level)
{
  const bool marches = is_split_by<16>(level) && takes(level, HYMGI_FV4_MARCH);
  return !SINGLE && (level->c.alpha_limit > 0 || (level->c.limited && !marches));
}

bool marches_by_tma(const hymgi_level *level)
{
  return is_split_by<64>(level) && takes(level, HYMGI_FV4_MARCH) && hymgi_cuda_fv4_fits_tma(level);
}

/* FV4's marches compute the ghosts along x themselves where a row is a whole number of warps, at
 * least two, so that one warp has all cells near an end. */
bool fills_along_x(const hymgi_level *level)
{
  if (level->method->stencil != HYMG_FV4 || !is_split(level) || !takes(level, HYMGI_FV4_MARCH) ||
      level->num_boxes != 1 || (level->box->boundaries & 3) != 3)
    return false;
  for (int face = 0; face < 2; face++)
    if (hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V4) != HYMGI_QUARTIC_GHOST) return false;
  return level->box->n[0] % 64 == 0 && level->box->n[0] >= 128;
}

/* ---- the rows ---- */

enum { ANY = -1 };
constexpr unsigned FV2 = 1u << HYMG_FV2, FV4 = 1u << HYMG_FV4;
constexpr unsigned HALF = 1u << HYMGI_HALF_SWEEP, RELAX = 1u << HYMGI_RELAX,
                   RESIDUAL = 1u << HYMGI_RESIDUAL | 1u << HYMGI_NORM | 1u << HYMGI_NARROW,
                   RESTRICT = 1u << HYMGI_RESTRICT, APPLY = 1u << HYMGI_APPLY;
constexpr const char *JOB_NAME[HYMGI_JOBS] = {"gsrb",          "relax",    "residual", "residual",
                                              "residual_mean", "residual", "apply"};

/* clang-format off */
/* For each job a level runs the kernel of the first row that matches it. */
constexpr struct {
  unsigned jobs;
  int stencil, form; /* ANY form: at any size */
  bool (*is_for)(const hymgi_level *level);
  hymgi_fv4_ghosts ghosts; /* FV4; BUT_X: where fills_along_x */
  unsigned around;         /* bit per stencil: as in hymgi_kernel */
  const char *name; /* as a profiler shows it; %s: the job's */
  void (*run)(const hymgi_level *level, const hymgi_sweep *sweep);
} KERNEL[] = {
    {HALF, HYMG_FV2, HYMGI_FV2_GSRB_MARCH, is_split_by<64>, HYMGI_FV4_ALL, 0, "fv2_march<%s>", hymgi_cuda_fv2_march},
    {RESIDUAL, HYMG_FV2, HYMGI_FV2_BOTH_COLOURS, has_both_colours, HYMGI_FV4_ALL, 0, "fv2_both_colours<%s>", hymgi_cuda_fv2_both_colours},
    {RELAX | RESIDUAL, HYMG_FV2, HYMGI_FV2_RELAX_MARCH, is_plain_by<64>, HYMGI_FV4_ALL, 0, "fv2_march<%s>", hymgi_cuda_fv2_march},
    {HALF, HYMG_FV2, ANY, is_split_by<1>, HYMGI_FV4_ALL, FV2, "fv2_point<%s>", hymgi_cuda_fv2_point},
    {RELAX, HYMG_FV2, HYMGI_FV2_RELAX_POINT, is_plain_by<1>, HYMGI_FV4_ALL, FV2, "fv2_point<%s>", hymgi_cuda_fv2_point},
    {RESTRICT, HYMG_FV2, ANY, NULL, HYMGI_FV4_ALL, FV2, "fv2_residual_restrict", hymgi_cuda_fv2_restrict},
    {RESIDUAL | APPLY, HYMG_FV4, ANY, is_extended, HYMGI_FV4_ALL, 0, "fv4_limited<%s>", hymgi_cuda_fv4_limited},
    {HALF, HYMG_FV4, HYMGI_FV4_GSRB_TILE, tiles_split, HYMGI_FV4_NONE, FV4, "fv4_gsrb_tile", hymgi_cuda_fv4_gsrb_tile},
    {HALF, HYMG_FV4, HYMGI_FV4_MARCH, is_split_by<64>, HYMGI_FV4_BUT_X, 0, "fv4_gsrb_march", hymgi_cuda_fv4_gsrb_march},
    {RELAX, HYMG_FV4, HYMGI_FV4_RELAX_TILE, tiles_plain, HYMGI_FV4_NONE, FV4, "fv4_tile<%s>", hymgi_cuda_fv4_tile},
    {RELAX | RESIDUAL | RESTRICT | APPLY, HYMG_FV4, HYMGI_FV4_MARCH_TMA, marches_by_tma, HYMGI_FV4_BUT_X, 0, "fv4_march_tma<%s>", hymgi_cuda_fv4_march_tma},
    {RELAX | RESIDUAL | RESTRICT | APPLY, HYMG_FV4, HYMGI_FV4_MARCH, is_split_by<16>, HYMGI_FV4_BUT_X, 0, "fv4_march_memory<%s>", hymgi_cuda_fv4_march_memory},
    {RESTRICT, HYMG_FV4, HYMGI_FV4_RESTRICT_TILE, tiles_any, HYMGI_FV4_NONE, FV4, "fv4_tile<%s>", hymgi_cuda_fv4_tile},
    {RESTRICT, HYMG_FV4, ANY, NULL, HYMGI_FV4_ALL, 0, "sweep_generic + restrict_mean", hymgi_cuda_fv4_restrict},
    {HALF | RELAX | RESIDUAL | APPLY, ANY, ANY, NULL, HYMGI_FV4_ALL, FV2, "sweep_generic", hymgi_cuda_sweep_generic},
};
/* clang-format on */

hymgi_kernel kernel_for(const hymgi_level *level, int job)
{
  hymgi_kernel k = {};
  for (const auto &r : KERNEL)
    if ((r.jobs >> job & 1) && (r.stencil == ANY || r.stencil == (int)level->method->stencil) &&
        (r.form == ANY || takes(level, (hymgi_form)r.form)) && (!r.is_for || r.is_for(level))) {
      k.run = r.run;
      k.ghosts = r.ghosts;
      k.around = r.around >> level->method->stencil & 1 && goes_around(level);
      if (r.ghosts == HYMGI_FV4_BUT_X && !fills_along_x(level)) k.ghosts = HYMGI_FV4_ALL;
      snprintf(k.name, sizeof k.name, r.name, JOB_NAME[job]);
      break;
    }
  return k;
}

/* ---- smoother calls as a whole ---- */

/* With constant beta a fused pass saves less, so the level must be larger. */
bool could_fuse_relax(const hymgi_level *level)
{
  const int64_t from = level->context->gpu->form_from[HYMGI_FV2_RELAX_FUSED];
  return hymgi_cuda_could_fuse_relax(level) && fits_grid(level, 16) &&
         cells_of(level) / (level->method->variable_beta ? 1 : 8) >= from;
}

/* A box that wraps has no messages. */
bool overlaps(const hymgi_level *level, const hymgi_plan *plan)
{
  if (goes_around(level) || !hymgi_cuda_could_overlap(level, plan)) return false;
  const bool staged = plan->mpi_sends + plan->mpi_receives > 0 && !plan->borrowed;
  return takes(level, staged ? HYMGI_OVERLAP_STAGED : HYMGI_OVERLAP);
}

/* Its blocks take 128 x 16 cells of a layer: below some 160^3, where few blocks make up a level, only
 * whole ones pay (144^3: no gain). */
bool fuses_gsrb(const hymgi_level *level)
{
  const int *const n = level->box[0].n;
  const bool whole = n[0] % 128 == 0 && n[1] % 16 == 0;
  return fits_grid(level, 64) &&
         cells_of(level) / (whole ? 1 : 3) >= level->context->gpu->form_from[HYMGI_FV2_GSRB_FUSED];
}

/* Both colours in one pass, where a thread beyond a face along x has two whole slots. With alpha a pass at
 * 512^3 then takes longer than copying ghosts and doing the faces again (H100: F-cycles 3 to 9 %; at 256^3
 * it is 2 to 14 % faster). */
bool fuses_around(const hymgi_level *level)
{
  enum { MOST_WITH_ALPHA = 400 * 400 * 400 };
  const bool pays = !level->method->has_alpha || cells_of(level) < MOST_WITH_ALPHA;
  return goes_around(level) && pays && (!(level->box->wraps & 1) || level->box->n[0] % 4 == 0);
}

/* One box without other neighbours. */
bool is_alone(const hymgi_level *level)
{
  enum { ALL_FACES = 63 };
  unsigned closed = level->box->boundaries;
  for (int axis = 0; axis < 3; axis++)
    if (level->box->wraps >> axis & 1) closed |= 3u << 2 * axis;
  return level->num_boxes == 1 && closed == ALL_FACES;
}

/* From 40^3 cells on a launch takes less time than its work, and half sweeps do less of that. */
bool tiles_gsrb(const hymgi_level *level)
{
  enum { MOST = 40 * 40 * 40 };
  return is_alone(level) && cells_of(level) < MOST && takes(level, HYMGI_FV2_GSRB_TILE) &&
         !takes(level, HYMGI_FV2_GSRB_MARCH);
}

/* One box with boundaries on all sides. */
bool shares_gsrb(const hymgi_level *level)
{
  enum { ALL_FACES = 63, LEAST_SWEEPS = 4 };
  const hymgi_method *m = level->method;
  return m->stencil == HYMG_FV4 && m->smoother == HYMG_GSRB && level->num_boxes == 1 &&
         is_split(level) && level->box->boundaries == ALL_FACES &&
         hymgi_sweeps(level) >= LEAST_SWEEPS && takes(level, HYMGI_FV4_GSRB_SHARED) &&
         !takes(level, HYMGI_FV4_MARCH) && hymgi_cuda_fv4_fits_shared(level);
}

/* With neighbours a fused sweep does more work than two half sweeps, so the level must be 3.6 times as
 * large: on four H200 a half sweep of 256x128x128 cells (4.2 M) took 42.2 us fused (with one slot a
 * thread) and 41.3 us by itself, one of 512x256x256 cells 254 and 326 us. */
hymgi_gsrb_form gsrb_form(const hymgi_level *level, bool in_parts)
{
  const hymgi_plan *halo = level->halo[HYMGI_HALO_FACES];
  const bool fuses = hymgi_cuda_second_buffer(level) && level->y;
  const int64_t cells = cells_of(level),
                from = level->context->gpu->form_from[HYMGI_FV2_GSRB_FUSED];
  if (level->method->stencil == HYMG_FV2 && halo && halo->in_sweeps)
    return fuses && cells / 18 * 5 >= from ? HYMGI_GSRB_FUSED_PEER : HYMGI_GSRB_PEER;
  if (in_parts && (level->method->stencil == HYMG_FV2 || is_split(level)))
    return HYMGI_GSRB_IN_PARTS;
  if (shares_gsrb(level)) return HYMGI_GSRB_SHARED;
  return !fuses ? HYMGI_GSRB_HALVES : fuses_gsrb(level) ? HYMGI_GSRB_FUSED : HYMGI_GSRB_TILE;
}

/* ---- the record ---- */

void fill_kernels(const hymgi_level *level, hymgi_level_kernels *k)
{
  for (int job = 0; job < HYMGI_JOBS; job++)
    k->of[job] = kernel_for(level, job);
  k->fills_along_x = fills_along_x(level);
  k->starts_from_zero = hymgi_cuda_starts_alone(level);
}

const char *smoother_name(const hymgi_level *level, const hymgi_level_kernels *k)
{
  if (level->method->smoother != HYMG_GSRB)
    return k->relax_fused ? "fv2_relax_fused" : k->of[HYMGI_RELAX].name;
  return k->gsrb == HYMGI_GSRB_FUSED        ? "fv2_gsrb_fused"
         : k->gsrb == HYMGI_GSRB_TILE       ? "fv2_gsrb_tile"
         : k->gsrb == HYMGI_GSRB_SHARED     ? "fv4_gsrb_shared"
         : k->gsrb == HYMGI_GSRB_PEER       ? "fv2_gsrb_peer"
         : k->gsrb == HYMGI_GSRB_FUSED_PEER ? "fv2_gsrb_fused + fv2_gsrb_faces"
                                            : k->of[HYMGI_HALF_SWEEP].name;
}

hymg_status fill_parts(const hymgi_level *level, hymgi_level_kernels *k)
{
  hymg_status status = hymgi_cuda_make_parts(level, &k->parts);
  k->parts.kernels = (hymgi_level_kernels *)calloc(HYMGI_MOST_PARTS, sizeof *k->parts.kernels);
  if (status == HYMG_OK && !k->parts.kernels)
    status = hymgi_fail(level->context, HYMG_ENOMEM, "no memory for parts of a level");
  if (status != HYMG_OK) k->parts.count = 0; /* a part without kernels is never swept */
  for (int m = 0; m < k->parts.count; m++) {
    hymgi_level part = *level;
    part.box = k->parts.box + m;
    fill_kernels(&part, k->parts.kernels + m);
  }
  return status;
}

/* Along y, with two layers of ghosts on both sides, the limit of a grid; along x and z that of
 * interpolate.cu, where n / 2 coarse cells times a quarter as many tiles must be below 2^32. */
hymg_status check_sides(const hymgi_level *level)
{
  enum { MOST = LEAST_ROWS * GRID_LIMIT - 4 };
  const bool robust = level->method->robust;
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  for (int axis = 0; axis < 3; axis++)
    if (n[axis] > MOST && (axis == 1 || !robust))
      return hymgi_fail(level->context, HYMG_EUNSUPPORTED,
                        "a box of %d cells along %c on backend cuda, path %s: at most %d", n[axis],
                        "xyz"[axis], robust ? "robust" : "standard", (int)MOST);
  return HYMG_OK;
}

} /* namespace */

hymg_status hymgi_fill_level_kernels(const hymgi_level *level, hymgi_level_kernels *k)
{
  TRY(check_sides(level));
  fill_kernels(level, k);
  /* parts would not follow the boxes of a robust level, whose colours are exchanged */
  const bool robust = level->method->robust;
  const bool in_parts = !robust && overlaps(level, hymgi_operator_halo(level));
  if (in_parts) TRY(fill_parts(level, k));
  k->gsrb = gsrb_form(level, in_parts);
  k->fuses_around = k->gsrb == HYMGI_GSRB_FUSED && fuses_around(level);
  if (k->gsrb == HYMGI_GSRB_SHARED) TRY(hymgi_device_make_posts(level->context));
  k->relax_fused = could_fuse_relax(level) && level->y &&
                   (level->method->smoother != HYMG_CHEBYSHEV || level->spare[0]);
  snprintf(k->names, sizeof k->names, "%s%s, residual %s, restriction %s", smoother_name(level, k),
           in_parts ? " in parts" : "", k->of[HYMGI_RESIDUAL].name,
           level->transfer->kernel ? level->transfer->kernel : k->of[HYMGI_RESTRICT].name);
  return HYMG_OK;
}

void hymgi_free_level_kernels(hymgi_level_kernels *k)
{
  free(k->parts.kernels);
  *k = {};
}

/* ---- asked while a hierarchy is made ---- */

bool hymgi_cuda_splits(const hymgi_level *level)
{
  return level->method->stencil == HYMG_FV4 && level->method->smoother != HYMG_SYMGS &&
         takes(level, HYMGI_FV4_MARCH);
}

/* For both colours in one pass. */
bool hymgi_cuda_second_buffer(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  return m->stencil == HYMG_FV2 && m->smoother == HYMG_GSRB && level->num_boxes == 1 &&
         is_split(level) && hymgi_keeps_colours_apart(level) &&
         (fuses_gsrb(level) || tiles_gsrb(level));
}

bool hymgi_cuda_spare_buffers(const hymgi_level *level)
{
  return level->method->smoother == HYMG_CHEBYSHEV && could_fuse_relax(level);
}

/* FV2's half sweeps do the exchange themselves; FV4's exchange only the colour that they updated;
 * sweeps in parts have their own exchange. */
bool hymgi_cuda_joins(const hymgi_level *level, const hymgi_plan *plan)
{
  if (level->method->stencil == HYMG_FV2)
    return takes(level, HYMGI_FV2_GSRB_PEER) && fits_grid(level, 1) &&
           hymgi_cuda_fv2_could_fuse_exchange(level, plan);
  return !takes(level, HYMGI_OVERLAP) && hymgi_cuda_fv4_could_halve(level, plan);
}

bool hymgi_cuda_starts_alone(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  if (m->smoother != HYMG_GSRB) return false;
  if (m->stencil == HYMG_FV2) return true;
  return level->num_boxes == 1 && is_split_by<64>(level) && takes(level, HYMGI_FV4_MARCH);
}
