/* The kernel table: every choice of which kernel runs where is made on this page, by rows. A form is used on
 * the levels that its row describes and that are large enough: the numbers are in kernel_forms.h. */
#include "kernel_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
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

int64_t number_of(const hymgi_level *level, hymgi_form form)
{
  return level->context->gpu->form_from[form];
}

bool takes(const hymgi_level *level, hymgi_form form)
{
  return hymgi_form_takes(level->context, form, cells_of(level));
}

/* Takes the form, whose number is so many per cent of another one's? */
bool takes_as_part(const hymgi_level *level, hymgi_form form, hymgi_form percent)
{
  const int64_t number = number_of(level, percent);
  if (number == HYMGI_NEVER) return false;
  return 100 * cells_of(level) / (number > 0 ? number : 1) >= number_of(level, form);
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

/* Do rows begin where two slots can be loaded at once? Not in every part of a box, nor where layers end at a boundary. */
bool begins_evenly(const hymgi_level *level)
{
  bool even = true;
  for (int b = 0; b < level->num_boxes; b++)
    even = even && (level->box[b].base + level->box[b].offset) % 2 == 0;
  return even;
}

/* It reads ghosts, which below the size of marches a box that wraps needs for nothing else. */
bool has_both_colours(const hymgi_level *level)
{
  return is_split_by<64>(level) && begins_evenly(level) &&
         (!goes_around(level) || takes(level, HYMGI_FV2_GSRB_MARCH));
}

bool does_red_alone(const hymgi_level *level)
{
  return has_both_colours(level) && takes(level, HYMGI_FV2_BOTH_COLOURS);
}

/* FV4 in tiles: levels that are not marched. Rows of a view with layers may be plain at any size. */
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
  return is_plain(level) && hymgi_cuda_fv4_fits_tiles(level, false);
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

/* It reads no x. */
bool marches_from_zero(const hymgi_level *level)
{
  return level->num_boxes == 1 && is_split_by<64>(level) && takes(level, HYMGI_FV4_MARCH);
}

/* FV4's marches compute the ghosts along x themselves where a row is a whole number of warps, at
 * least two, so that one warp has all cells near an end. */
bool fills_along_x(const hymgi_level *level)
{
  if (level->op->stencil != HYMG_FV4 || !is_split(level) || !takes(level, HYMGI_FV4_MARCH) ||
      !takes(level, HYMGI_FV4_GHOSTS_ALONG_X) || level->num_boxes != 1 ||
      (level->box->boundaries & 3) != 3)
    return false;
  for (int face = 0; face < 2; face++)
    if (hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V4) != HYMGI_QUARTIC_GHOST) return false;
  return level->box->n[0] % 64 == 0 && level->box->n[0] >= 128;
}

/* ---- a kernel for each job ---- */

enum { ANY = -1 };
constexpr unsigned FV2 = 1u << HYMG_FV2, FV4 = 1u << HYMG_FV4;
constexpr unsigned HALF = 1u << HYMGI_HALF_SWEEP, FIRST = 1u << HYMGI_FIRST_HALF,
                   RELAX = 1u << HYMGI_RELAX, RED = 1u << HYMGI_RESIDUAL_RED,
                   RESIDUAL = 1u << HYMGI_RESIDUAL | 1u << HYMGI_NORM | 1u << HYMGI_NARROW,
                   RESTRICT = 1u << HYMGI_RESTRICT, APPLY = 1u << HYMGI_APPLY;
constexpr const char *JOB_NAME[HYMGI_JOBS] = {"gsrb",          "gsrb",     "relax",
                                              "residual",      "residual", "residual",
                                              "residual_mean", "residual", "apply"};

/* clang-format off */
/* For each job a level runs the kernel of the first row that matches it. The march of half sweeps reads x, so
 * that it does not do the first one where x is 0. */
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
    {FIRST, HYMG_FV2, HYMGI_FV2_GSRB_MARCH, is_split_by<64>, HYMGI_FV4_ALL, FV2, "sweep_generic", hymgi_cuda_sweep_generic},
    {RED, HYMG_FV2, HYMGI_FV2_RESIDUAL_RED, does_red_alone, HYMGI_FV4_ALL, 0, "fv2_march<%s>", hymgi_cuda_fv2_march},
    {RESIDUAL, HYMG_FV2, HYMGI_FV2_BOTH_COLOURS, has_both_colours, HYMGI_FV4_ALL, 0, "fv2_both_colours<%s>", hymgi_cuda_fv2_both_colours},
    {RELAX | RESIDUAL | RED, HYMG_FV2, HYMGI_FV2_RELAX_MARCH, is_plain_by<64>, HYMGI_FV4_ALL, 0, "fv2_march<%s>", hymgi_cuda_fv2_march},
    {HALF | FIRST, HYMG_FV2, ANY, is_split_by<1>, HYMGI_FV4_ALL, FV2, "fv2_point<%s>", hymgi_cuda_fv2_point},
    {RELAX, HYMG_FV2, HYMGI_FV2_RELAX_POINT, is_plain_by<1>, HYMGI_FV4_ALL, FV2, "fv2_point<%s>", hymgi_cuda_fv2_point},
    {RESTRICT, HYMG_FV2, ANY, NULL, HYMGI_FV4_ALL, FV2, "fv2_residual_restrict", hymgi_cuda_fv2_restrict},
    {RESIDUAL | RED | APPLY, HYMG_FV4, ANY, is_extended, HYMGI_FV4_ALL, 0, "fv4_limited<%s>", hymgi_cuda_fv4_limited},
    {HALF, HYMG_FV4, HYMGI_FV4_GSRB_TILE, tiles_split, HYMGI_FV4_NONE, FV4, "fv4_gsrb_tile", hymgi_cuda_fv4_gsrb_tile},
    {FIRST, HYMG_FV4, HYMGI_FV4_GSRB_FROM_ZERO, marches_from_zero, HYMGI_FV4_NONE, FV4, "fv4_gsrb_from_zero", hymgi_cuda_fv4_gsrb_from_zero},
    {HALF, HYMG_FV4, HYMGI_FV4_MARCH, is_split_by<64>, HYMGI_FV4_BUT_X, 0, "fv4_gsrb_march", hymgi_cuda_fv4_gsrb_march},
    {RELAX, HYMG_FV4, HYMGI_FV4_RELAX_TILE, tiles_plain, HYMGI_FV4_NONE, FV4, "fv4_tile<%s>", hymgi_cuda_fv4_tile},
    {RELAX | RESIDUAL | RED | RESTRICT | APPLY, HYMG_FV4, HYMGI_FV4_MARCH_TMA, marches_by_tma, HYMGI_FV4_BUT_X, 0, "fv4_march_tma<%s>", hymgi_cuda_fv4_march_tma},
    {RELAX | RESIDUAL | RED | RESTRICT | APPLY, HYMG_FV4, HYMGI_FV4_MARCH, is_split_by<16>, HYMGI_FV4_BUT_X, 0, "fv4_march_memory<%s>", hymgi_cuda_fv4_march_memory},
    {RESTRICT, HYMG_FV4, HYMGI_FV4_RESTRICT_TILE, tiles_any, HYMGI_FV4_NONE, FV4, "fv4_tile<%s>", hymgi_cuda_fv4_tile},
    {RESTRICT, HYMG_FV4, ANY, NULL, HYMGI_FV4_ALL, 0, "sweep_generic + restrict_mean", hymgi_cuda_fv4_restrict},
    {HALF | FIRST | RELAX | RESIDUAL | RED | APPLY, ANY, ANY, NULL, HYMGI_FV4_ALL, FV2, "sweep_generic", hymgi_cuda_sweep_generic},
};
/* clang-format on */

hymgi_kernel kernel_for(const hymgi_level *level, int job)
{
  hymgi_kernel k = {};
  for (const auto &r : KERNEL)
    if ((r.jobs >> job & 1) && (r.stencil == ANY || r.stencil == (int)level->op->stencil) &&
        (r.form == ANY || takes(level, (hymgi_form)r.form)) && (!r.is_for || r.is_for(level))) {
      k.run = r.run;
      k.ghosts = r.ghosts;
      k.around = r.around >> level->op->stencil & 1 && goes_around(level);
      if (r.ghosts == HYMGI_FV4_BUT_X && !fills_along_x(level)) k.ghosts = HYMGI_FV4_ALL;
      snprintf(k.name, sizeof k.name, r.name, JOB_NAME[job]);
      break;
    }
  return k;
}

/* ---- smoother calls as a whole ---- */

/* A box that wraps has no messages. */
bool overlaps(const hymgi_level *level, const hymgi_plan *plan)
{
  if (goes_around(level) || !hymgi_cuda_could_overlap(level, plan)) return false;
  const bool staged = plan->mpi_sends + plan->mpi_receives > 0 && !plan->borrowed;
  return takes(level, staged ? HYMGI_OVERLAP_STAGED : HYMGI_OVERLAP);
}

/* Parts would not follow the boxes of a robust level, whose colours are exchanged. */
bool sweeps_in_parts(const hymgi_level *level)
{
  return !level->method->robust && overlaps(level, hymgi_operator_halo(level));
}

bool is_gsrb_in_parts(const hymgi_level *level)
{
  return (level->op->stencil == HYMG_FV2 || is_split(level)) && sweeps_in_parts(level);
}

/* Threads of all of fv2_gsrb_fused's tiles of a layer that are not in halos, those beyond the box included. */
int64_t covering(const hymgi_level *level, int x, int y)
{
  const int *const n = level->box[0].n;
  return (int64_t)blocks_for((n[0] + 1) / 2, 2 * x) * blocks_for(n[1], y) * x * y;
}

/* Its blocks take 128 x 16 cells of a layer, 4 a thread: below some 160^3, where few blocks make up a level, only
 * nearly whole ones pay (144^3: no gain). */
bool fuses_gsrb(const hymgi_level *level)
{
  const int *const n = level->box[0].n;
  const bool whole = 10 * (int64_t)n[0] * n[1] >= 9 * 4 * covering(level, 32, 16);
  return fits_grid(level, 64) &&
         (whole ? takes(level, HYMGI_FV2_GSRB_FUSED)
                : takes_as_part(level, HYMGI_FV2_GSRB_FUSED, HYMGI_FV2_GSRB_FUSED_PARTLY));
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

/* From some size on a launch takes less time than its work, and half sweeps do less of that. */
bool tiles_gsrb(const hymgi_level *level)
{
  return is_alone(level) && takes(level, HYMGI_FV2_GSRB_TILE) &&
         !takes(level, HYMGI_FV2_GSRB_POINT) && !takes(level, HYMGI_FV2_GSRB_MARCH);
}

bool has_second_buffer(const hymgi_level *level)
{
  return hymgi_cuda_second_buffer(level) && level->y;
}

bool fuses_with_buffer(const hymgi_level *level)
{
  return has_second_buffer(level) && fuses_gsrb(level);
}

bool exchanges_in_sweeps(const hymgi_level *level)
{
  const hymgi_plan *halo = level->halo[HYMGI_HALO_FACES];
  return halo && halo->in_sweeps;
}

/* With neighbours a fused sweep does more work than two half sweeps, so the level must be 3.6 times as
 * large: on four H200 a half sweep of 256x128x128 cells (4.2 M) took 42.2 us fused (with one slot a
 * thread) and 41.3 us by itself, one of 512x256x256 cells 254 and 326 us. */
bool fuses_with_peers(const hymgi_level *level)
{
  return exchanges_in_sweeps(level) && has_second_buffer(level) &&
         takes_as_part(level, HYMGI_FV2_GSRB_FUSED, HYMGI_FV2_GSRB_FUSED_PEER);
}

/* One box with boundaries on all sides. */
bool shares_gsrb(const hymgi_level *level)
{
  enum { ALL_FACES = 63 };
  return level->num_boxes == 1 && is_split(level) && level->box->boundaries == ALL_FACES &&
         hymgi_sweeps(level) >= HYMGI_SHARED_SWEEPS && takes(level, HYMGI_FV4_GSRB_SHARED) &&
         !takes(level, HYMGI_FV4_MARCH) &&
         (hymgi_cuda_fv4_fits_shared(level, false) ||
          (takes(level, HYMGI_FV4_GSRB_SHARED_LARGE) && hymgi_cuda_fv4_fits_shared(level, true)));
}

/* With constant beta a fused pass saves less, so the level must be larger. */
bool could_fuse_relax(const hymgi_level *level)
{
  const bool large = level->method->variable_beta ? takes(level, HYMGI_FV2_RELAX_FUSED)
                                                  : takes_as_part(level, HYMGI_FV2_RELAX_FUSED,
                                                                  HYMGI_FV2_RELAX_FUSED_CONSTANT);
  return hymgi_cuda_could_fuse_relax(level) && fits_grid(level, 16) && large;
}

bool fuses_relax(const hymgi_level *level)
{
  return could_fuse_relax(level) && level->y &&
         (!hymgi_smoother_kind_of(level->method->smoother)->momentum || level->spare[0]);
}

/* clang-format off */
/* A smoother call is done as the first row says that matches the level. */
constexpr struct {
  int stencil;
  bool gsrb;
  bool (*is_for)(const hymgi_level *level);
  hymgi_call call;
  const char *name; /* NULL: that of the kernel of a sweep */
} CALL[] = {
    {HYMG_FV2, true, fuses_with_peers, HYMGI_CALL_FUSED_PEER, "fv2_gsrb_fused + fv2_gsrb_faces"},
    {HYMG_FV2, true, exchanges_in_sweeps, HYMGI_CALL_PEER, "fv2_gsrb_peer"},
    {ANY, true, is_gsrb_in_parts, HYMGI_CALL_IN_PARTS, NULL},
    {HYMG_FV4, true, shares_gsrb, HYMGI_CALL_SHARED, "fv4_gsrb_shared"},
    {HYMG_FV2, true, fuses_with_buffer, HYMGI_CALL_FUSED, "fv2_gsrb_fused"},
    {HYMG_FV2, true, has_second_buffer, HYMGI_CALL_TILE, "fv2_gsrb_tile"},
    {HYMG_FV2, false, fuses_relax, HYMGI_CALL_TWO_SWEEPS, "fv2_relax_fused"},
    {ANY, true, NULL, HYMGI_CALL_SWEEPS, NULL},
    {ANY, false, NULL, HYMGI_CALL_SWEEPS, NULL},
};
/* clang-format on */

/* Returns the kernels' name. */
const char *choose_call(const hymgi_level *level, hymgi_level_kernels *k)
{
  const bool gsrb = level->method->smoother == HYMG_GSRB;
  const char *name = k->of[gsrb ? HYMGI_HALF_SWEEP : HYMGI_RELAX].name;
  for (const auto &r : CALL)
    if (r.gsrb == gsrb && (r.stencil == ANY || r.stencil == (int)level->op->stencil) &&
        (!r.is_for || r.is_for(level))) {
      k->call = r.call;
      return r.name ? r.name : name;
    }
  return name;
}

/* ---- variants within a launch ---- */

int64_t coarse_cells_of(const hymgi_level *level)
{
  int n[3];
  if (!level->patch) return 0;
  box_extent(level->patch, level->num_boxes, n);
  return (int64_t)n[0] * n[1] * n[2] * level->num_boxes;
}

/* Those of wide tiles in per cent of those of narrow ones; a whole number counts as the one below it. */
int64_t percent_of_narrow(const hymgi_level *level)
{
  const int64_t narrow = covering(level, 16, 32);
  return narrow > 0 ? (100 * covering(level, 32, 16) - 1) / narrow : 0;
}

/* Both colours in one pass, where a thread beyond a face along x has two whole slots. With alpha a pass at
 * 512^3 then takes longer than copying ghosts and doing the faces again (H100: F-cycles 3 to 9 %; at 256^3
 * it is 2 to 14 % faster). */
bool fuses_around(const hymgi_level *level)
{
  const bool copied = level->method->has_alpha && takes(level, HYMGI_FV2_GSRB_FUSED_COPIED);
  return goes_around(level) && !exchanges_in_sweeps(level) && !copied &&
         (!(level->box->wraps & 1) || level->box->n[0] % 4 == 0);
}

/* FV2's operator and a sum on the way. */
bool sums_in_apply(const hymgi_level *level)
{
  return level->op->stencil == HYMG_FV2 && fits_grid(level, 64) &&
         (!is_split(level) || begins_evenly(level));
}

bool has_even_rows(const hymgi_level *level)
{
  return SINGLE && begins_evenly(level);
}

bool needs_large_tiles(const hymgi_level *level)
{
  return level->op->stencil == HYMG_FV4 && level->num_boxes == 1 && is_split(level) &&
         !hymgi_cuda_fv4_fits_shared(level, false);
}

/* The smoother call that follows an interpolation reads only the black cells. */
bool reads_black(const hymgi_level *level)
{
  return level->op->stencil == HYMG_FV2 && level->method->smoother == HYMG_GSRB &&
         is_split(level) && hymgi_keeps_colours_apart(level);
}

bool has_long_patches(const hymgi_level *level)
{
  int n[3];
  if (!level->patch) return false;
  box_extent(level->patch, level->num_boxes, n);
  return n[0] > 16;
}

/* clang-format off */
/* The record has a bit for each that the level takes. */
constexpr struct {
  hymgi_form form;
  int64_t (*size)(const hymgi_level *level); /* what its number is compared with */
  bool (*is_for)(const hymgi_level *level);
} VARIANT[] = {
    {HYMGI_FV2_GSRB_FUSED_NARROW, percent_of_narrow, NULL},
    {HYMGI_FV2_GSRB_FUSED_AROUND, cells_of, fuses_around},
    {HYMGI_FV2_APPLY_SUM, cells_of, sums_in_apply},
    {HYMGI_FV4_GSRB_FROM_ZERO, cells_of, marches_from_zero},
    {HYMGI_FV4_GSRB_TWO, cells_of, has_even_rows},
    {HYMGI_FV4_GHOSTS_ALONG_X, cells_of, fills_along_x},
    {HYMGI_FV4_GHOSTS_SPLIT, cells_of, NULL},
    {HYMGI_FV4_GSRB_SHARED_LARGE, cells_of, needs_large_tiles},
    {HYMGI_LITERAL_SHAPES, cells_of, NULL},
    {HYMGI_INTERPOLATE_WIDE, coarse_cells_of, has_long_patches},
    {HYMGI_INTERPOLATE_BLACK, cells_of, reads_black},
    {HYMGI_EARLY_START, cells_of, NULL},
};
/* clang-format on */

uint64_t variants_of(const hymgi_level *level)
{
  uint64_t bits = 0;
  for (const auto &r : VARIANT)
    if (level->num_boxes > 0 && r.size(level) >= number_of(level, r.form) &&
        (!r.is_for || r.is_for(level)))
      bits |= UINT64_C(1) << r.form;
  return bits;
}

/* ---- the record ---- */

void fill_kernels(const hymgi_level *level, hymgi_level_kernels *k)
{
  for (int job = 0; job < HYMGI_JOBS; job++)
    k->of[job] = kernel_for(level, job);
  k->variants = variants_of(level);
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

/* smoother: the name of its kernel. */
hymg_status fill_wide(const hymgi_level *level, hymgi_level_kernels *k, const char **smoother)
{
  const hymgi_level view = hymgi_wide_view(level, level->layers);
  k->wide = (hymgi_level_kernels *)calloc(1, sizeof *k->wide);
  if (!k->wide) return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for a level's kernels");
  fill_kernels(&view, k->wide);
  *smoother = choose_call(&view, k->wide);
  return HYMG_OK;
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
  const bool in_parts = !level->wide && sweeps_in_parts(level);
  if (in_parts) TRY(fill_parts(level, k));
  const char *smoother = choose_call(level, k);
  if (level->wide && level->num_boxes > 0) TRY(fill_wide(level, k, &smoother));
  const hymgi_call call = k->wide ? k->wide->call : k->call;
  if (call == HYMGI_CALL_SHARED) TRY(hymgi_device_make_posts(level->context));
  snprintf(k->names, sizeof k->names, "%s%s, residual %s, restriction %s", smoother,
           in_parts ? " in parts" : "", k->of[HYMGI_RESIDUAL].name,
           level->transfer->kernel && !hymgi_cuda_sums_residual(level)
               ? level->transfer->kernel
               : k->of[HYMGI_RESTRICT].name);
  return HYMG_OK;
}

void hymgi_free_level_kernels(hymgi_level_kernels *k)
{
  free(k->parts.kernels);
  free(k->wide);
  *k = {};
}

/* ---- asked while a hierarchy is made ---- */

bool hymgi_cuda_splits(const hymgi_level *level)
{
  return level->op->stencil == HYMG_FV4 && level->method->smoother != HYMG_SYMGS &&
         takes(level, HYMGI_FV4_MARCH);
}

/* Where the box is the whole level: the spare slots at the ends of its rows are then beyond a boundary, where FV2
 * reads nothing, so that kernels may write there. Not on the robust path, whose transfers take even rows. */
bool hymgi_cuda_splits_odd(const hymgi_level *level)
{
  bool whole = level->num_boxes == 1;
  for (int axis = 0; axis < 3 && whole; axis++)
    whole = level->box->n[axis] == level->n[axis];
  return whole && level->op->stencil == HYMG_FV2 && !level->method->robust &&
         hymgi_keeps_colours_apart(level);
}

bool hymgi_cuda_sums_residual(const hymgi_level *level)
{
  return level->uneven && level->op->stencil == HYMG_FV2 && is_split(level);
}

/* For both colours in one pass. */
bool hymgi_cuda_second_buffer(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  return level->op->stencil == HYMG_FV2 && m->smoother == HYMG_GSRB && level->num_boxes == 1 &&
         is_split(level) && hymgi_keeps_colours_apart(level) &&
         (fuses_gsrb(level) || tiles_gsrb(level));
}

bool hymgi_cuda_spare_buffers(const hymgi_level *level)
{
  return hymgi_smoother_kind_of(level->method->smoother)->momentum && could_fuse_relax(level);
}

/* FV2's half sweeps do the exchange themselves; FV4's exchange only the colour that they updated;
 * sweeps in parts have their own exchange. */
bool hymgi_cuda_joins(const hymgi_level *level, const hymgi_plan *plan)
{
  if (level->op->stencil == HYMG_FV2)
    return takes(level, HYMGI_FV2_GSRB_PEER) && fits_grid(level, 1) &&
           hymgi_cuda_fv2_could_fuse_exchange(level, plan);
  return !takes(level, HYMGI_OVERLAP) && hymgi_cuda_fv4_could_halve(level, plan);
}

bool hymgi_cuda_starts_alone(const hymgi_level *level)
{
  if (level->method->smoother != HYMG_GSRB) return false;
  return level->op->stencil == HYMG_FV2 ||
         (marches_from_zero(level) && takes(level, HYMGI_FV4_GSRB_FROM_ZERO));
}

/* ---- the machine's numbers ---- */

#ifndef HYMGI_SINGLE

namespace
{

/* clang-format off */
#define ROW(form, name, sm_80, sm_90, sm_100, text) {name, text, {sm_80, sm_90, sm_100}},
/* clang-format on */
constexpr struct {
  const char *name, *text;
  int64_t from[3];
} FORM[HYMGI_FORMS] = {HYMGI_FORM_LIST(ROW)};

int64_t number_on(const hymgi_device *device, int form)
{
  return FORM[form].from[device->major < 9 ? 0 : device->major < 10 ? 1 : 2];
}

} /* namespace */

void hymgi_kernel_table_load(hymgi_device *device)
{
  if (device->has_forms) return;
  device->has_forms = true;
  for (int form = 0; form < HYMGI_FORMS; form++) {
    const int64_t from = number_on(device, form);
    device->form_from[form] = from == HYMGI_LACKS ? HYMGI_NEVER : from;
  }
}

/* ---- for benchmarks and tests ---- */

extern "C" bool hymgi_kernel_form_from(hymg_context *context, const char *name, int64_t cells)
{
  if (hymgi_device_open(context) != HYMG_OK) return false;
  hymgi_kernel_table_load(context->gpu);
  for (int form = 0; form < HYMGI_FORMS; form++)
    if (strcmp(FORM[form].name, name) == 0) {
      if (number_on(context->gpu, form) != HYMGI_LACKS) context->gpu->form_from[form] = cells;
      return true;
    }
  return false;
}

extern "C" uint64_t hymgi_kernel_variants(const hymgi_level *level)
{
  return level->kernels ? level->kernels->variants : 0;
}

extern "C" const char *hymgi_kernel_form_name(int form)
{
  return form >= 0 && form < HYMGI_FORMS ? FORM[form].name : NULL;
}

extern "C" const char *hymgi_kernel_form_text(int form)
{
  return form >= 0 && form < HYMGI_FORMS ? FORM[form].text : NULL;
}

#endif
