/* The forms of kernels that only some levels run: every choice between kernels that give the same bits is a
 * row here, and every number that decides one is in it. kernel_table.cu says which levels a form supports. */
#ifndef HYMGI_KERNEL_FORMS_H
#define HYMGI_KERNEL_FORMS_H

#include <stdint.h>

enum { HYMGI_LACKS = -1 }; /* a machine that cannot run the form */
constexpr int64_t HYMGI_NEVER = INT64_MAX;

constexpr int64_t hymgi_cube(int64_t n)
{
  return n * n * n;
}

/* X(FORM, name, sm_80, sm_90, sm_100, what it is). The numbers: the form runs on levels of at least so many
 * cells, unless the text says of what. Those of sm_90 were measured, on H100 and H200. Those of sm_80 and
 * sm_100 are copies of them until somebody measures; sm_80 lacks TMA, clusters and early starts. */
/* clang-format off */
#define HYMGI_FORM_LIST(X) \
  X(FV2_GSRB_FUSED, "fv2_gsrb_fused", hymgi_cube(110), hymgi_cube(110), hymgi_cube(110), "red and black in one pass") \
  X(FV2_GSRB_FUSED_PARTLY, "fv2_gsrb_fused_partly", 300, 300, 300, "the same where blocks are partly empty; % of its cells") \
  X(FV2_GSRB_FUSED_PEER, "fv2_gsrb_fused_peer", 360, 360, 360, "the same with neighbours, in place of fv2_gsrb_peer; % of its cells") \
  X(FV2_GSRB_FUSED_NARROW, "fv2_gsrb_fused_narrow", 110, 110, 110, "the same in narrow tiles, where wide ones cover so many % of their threads") \
  X(FV2_GSRB_FUSED_AROUND, "fv2_gsrb_fused_around", 0, 0, 0, "the same around a box that wraps, without ghosts") \
  X(FV2_GSRB_FUSED_COPIED, "fv2_gsrb_fused_copied", hymgi_cube(400), hymgi_cube(400), hymgi_cube(400), "the same with alpha, ghosts copied in place of going around") \
  X(FV2_GSRB_TILE, "fv2_gsrb_tile", 0, 0, 0, "red and black in one launch of tiles") \
  X(FV2_GSRB_POINT, "fv2_gsrb_point", hymgi_cube(40), hymgi_cube(40), hymgi_cube(40), "half sweeps, one cell a thread, in place of these tiles") \
  X(FV2_GSRB_MARCH, "fv2_gsrb_march", hymgi_cube(160), hymgi_cube(160), hymgi_cube(160), "half sweeps of split rows march along z") \
  X(FV2_BOTH_COLOURS, "fv2_both_colours", hymgi_cube(64), hymgi_cube(64), hymgi_cube(64), "residuals of split rows march along z, both colours in one pass") \
  X(FV2_RESIDUAL_RED, "fv2_residual_red", 0, 0, 0, "the same for the residual of red cells alone") \
  X(FV2_APPLY_SUM, "fv2_apply_sum", 0, 0, 0, "the operator and a sum in one pass") \
  X(FV2_GSRB_PEER, "fv2_gsrb_peer", 0, 0, 0, "half sweeps exchange with peers by themselves") \
  X(FV2_RELAX_MARCH, "fv2_relax_march", hymgi_cube(80), hymgi_cube(80), hymgi_cube(80), "sweeps and residuals of plain rows march along z") \
  X(FV2_RELAX_POINT, "fv2_relax_point", 0, 0, 0, "sweeps of plain rows, one cell a thread, loads before the wait") \
  X(FV2_RELAX_FUSED, "fv2_relax_fused", HYMGI_LACKS, hymgi_cube(80), hymgi_cube(80), "two sweeps in one pass over memory") \
  X(FV2_RELAX_FUSED_CONSTANT, "fv2_relax_fused_constant", 800, 800, 800, "the same with constant beta, where a pass saves less; % of its cells") \
  X(FV4_MARCH, "fv4_march", hymgi_cube(80), hymgi_cube(80), hymgi_cube(80), "rows split by colour whatever the smoother, all marches along z") \
  X(FV4_MARCH_TMA, "fv4_march_tma", HYMGI_LACKS, hymgi_cube(80), hymgi_cube(80), "marches whose planes come by TMA") \
  X(FV4_GSRB_FROM_ZERO, "fv4_gsrb_from_zero", 0, 0, 0, "the first half sweep of marched levels where x is 0") \
  X(FV4_GSRB_TWO, "fv4_gsrb_two", 0, 0, 0, "half sweeps in single precision march with two slots a thread") \
  X(FV4_GHOSTS_ALONG_X, "fv4_ghosts_along_x", 0, 0, 0, "marches compute the ghosts along x themselves") \
  X(FV4_GHOSTS_SPLIT, "fv4_ghosts_split", 0, 0, 0, "ghosts of one box of split rows in a kernel of their own") \
  X(FV4_GSRB_TILE, "fv4_gsrb_tile", 0, 0, 0, "half sweeps in tiles in shared memory") \
  X(FV4_GSRB_SHARED, "fv4_gsrb_shared", 0, 0, 0, "all half sweeps of a call in one launch, the level in shared memory") \
  X(FV4_GSRB_SHARED_LARGE, "fv4_gsrb_shared_large", 0, 0, 0, "the same in large tiles, where small ones do not fit") \
  X(FV4_RELAX_TILE, "fv4_relax_tile", 0, 0, 0, "sweeps of plain rows in tiles") \
  X(FV4_RESTRICT_TILE, "fv4_restrict_tile", 0, 0, 0, "residual and restriction in tiles") \
  X(LITERAL_SHAPES, "literal_shapes", 0, 0, 0, "strides of usual boxes are literals in the marches that gain by it") \
  X(INTERPOLATE_WIDE, "interpolate_wide", hymgi_cube(40), hymgi_cube(40), hymgi_cube(40), "interpolation in wide tiles; from so many coarse cells") \
  X(INTERPOLATE_BLACK, "interpolate_black", 0, 0, 0, "interpolation to the colour that is read next") \
  X(COARSE_V_CYCLE, "coarse_v_cycle", 0, 0, 0, "cycles from 8^3 down, and the bottom, in one launch; without it none of the next four") \
  X(COARSE_MATRIX, "coarse_matrix", 0, 0, 0, "cycles in one launch end with a product by a coarse matrix") \
  X(COARSE_RED_BLACK, "coarse_red_black", 0, 0, 0, "those of FV2's gsrb without a matrix in a kernel of their own") \
  X(COARSE_ABOVE_MATRIX, "coarse_above_matrix", 0, 0, 0, "those of gsrb right above a matrix likewise") \
  X(COARSE_OCTANTS, "coarse_octants", HYMGI_LACKS, 0, 0, "cycles of FV2 from 16^3 down in one launch of a cluster") \
  X(ROBUST_V_CYCLE, "robust_v_cycle", 0, 0, 0, "V-cycles of the robust path from 8^3 down in one launch") \
  X(GRAPH_SWEEPS, "graph_sweeps", 1024, 1024, 1024, "a launch for each step on a graph of the pairs; from so many nodes, smaller ones in one launch") \
  X(EARLY_START, "early_start", HYMGI_LACKS, 0, 0, "kernels start before their predecessors end") \
  X(OVERLAP_STAGED, "overlap_staged", hymgi_cube(160), hymgi_cube(160), hymgi_cube(160), "sweeps in parts while staged messages are on their way") \
  X(OVERLAP, "overlap", HYMGI_NEVER, HYMGI_NEVER, HYMGI_NEVER, "the same with peers and device messages, where it has not been seen to pay")
/* clang-format on */

#define HYMGI_FORM_ID(form, name, sm_80, sm_90, sm_100, text) HYMGI_##form,
enum hymgi_form { HYMGI_FORM_LIST(HYMGI_FORM_ID) HYMGI_FORMS };
#undef HYMGI_FORM_ID
static_assert((int)HYMGI_FORMS <= 64, "a level has a bit for each");

#endif
