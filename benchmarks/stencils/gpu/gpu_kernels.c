/* The table of the GPU's kernels: their default blocks, what they refuse, and their memory accesses
 * by the studies' model: entries read and written per point, including the ghosts of a tile and of
 * a slab of planes, but without caches. */
#include "stencils/gpu/gpu_kernels.h"

enum { SHARED_BYTES = 227 * 1024, CHOSEN = STENCIL_CHOSEN };

static double others(const stencil_job *job) /* written, and read for a wave */
{
  return stencil_streams(job) - 1;
}

/* ghosts per point around a tile of this many points */
static double beside(const stencil_job *job, int along)
{
  return along > 0 ? 2. * job->radius / along : 0;
}

static double column_ghosts(const stencil_job *job, int points)
{
  return job->slab > 0 && job->slab < points ? 2. * job->radius / job->slab : 0;
}

/* ---- case a ---- */

static double every_input(const stencil_job *job)
{
  return 6 * job->radius + 1 + others(job);
}

/* The pass over planes reads a tile and writes; the one over columns reads both and writes. */
static double two_passes(const stencil_job *job)
{
  return 1 + beside(job, job->tile[0]) + beside(job, job->tile[1]) + 1 + 3 +
         column_ghosts(job, job->g.n[2]);
}

static double tiled(const stencil_job *job, const int tile[2])
{
  return 1 + beside(job, tile[0]) + beside(job, tile[1]) + column_ghosts(job, job->g.n[2]) +
         others(job);
}

static double one_pass(const stencil_job *job)
{
  return tiled(job, job->tile);
}

static double columns_of_a(const stencil_job *job)
{
  int tile[2];
  stencil_a_columns_tile(job, tile);
  return tiled(job, tile);
}

static double at_once_of_a(const stencil_job *job)
{
  stencil_job block = *job;
  block.slab = stencil_a_at_once_planes();
  return columns_of_a(&block);
}

static double ring_of_a(const stencil_job *job)
{
  int tile[2];
  stencil_a_ring_tile(job, 1, tile);
  return tiled(job, tile);
}

static double other_ring(const stencil_job *job)
{
  int tile[2];
  stencil_a_ring_tile(job, 2, tile);
  return tiled(job, tile);
}

static double apart(const stencil_job *job)
{
  int tile[2];
  stencil_a_ring_tile(job, 3, tile);
  return tiled(job, tile);
}

static const char *refuses_wave(const stencil_job *job)
{
  return job->wave ? "two passes are for the Laplacian" : NULL;
}

static const char *refuses_other(const stencil_job *job)
{
  return job->wave ? "a wave leaves registers for one kind of tile" : stencil_a_ring_refuses(job);
}

static const char *refuses_apart(const stencil_job *job)
{
  return job->radius > 4 ? "ghosts apart pay up to order 8" : refuses_other(job);
}

static const stencil_kernel a_kernels[] = {
    {"naive", {32, 8}, 0, 1024, NULL, every_input, stencil_a_naive},
    {"two-pass", {32, 32}, 64, 1024, refuses_wave, two_passes, stencil_a_two_pass},
    {"one-pass", {16, 16}, 64, 1024, NULL, one_pass, stencil_a_tile},
    {"one-pass", {32, 32}, 64, 1024, NULL, one_pass, stencil_a_tile},
    {"march", {64, 4}, 32, 256, NULL, one_pass, stencil_a_column},
    {"march several points", {0, 0}, CHOSEN, 256, NULL, columns_of_a, stencil_a_columns},
    {"points at once", {0, 0}, 0, 256, stencil_a_at_once_refuses, at_once_of_a, stencil_a_at_once},
    {"ring of planes", {0, 0}, CHOSEN, 1024, stencil_a_ring_refuses, ring_of_a, stencil_a_ring},
    {"ring of other tiles", {0, 0}, CHOSEN, 1024, refuses_other, other_ring, stencil_a_other_ring},
    {"ring with ghosts apart", {0, 0}, CHOSEN, 1024, refuses_apart, apart, stencil_a_ring_apart},
};

/* ---- case b ---- */

static double every_input_of_b(const stencil_job *job)
{
  return 4 * job->radius + 1 + others(job);
}

static double tile_of_b(const stencil_job *job)
{
  return 1 + beside(job, job->tile[0]) + beside(job, job->tile[1]) + others(job);
}

/* A block's threads lie along x, each with its own slab along y. */
static double block_of_b(const stencil_job *job, int points)
{
  return 1 + beside(job, job->tile[0] * points) + column_ghosts(job, job->g.n[1]) + others(job);
}

static double column_of_b(const stencil_job *job)
{
  return block_of_b(job, 1);
}

static double columns_of_b(const stencil_job *job)
{
  return block_of_b(job, job->wide ? 2 : 4);
}

static const stencil_kernel b_kernels[] = {
    {"global", {64, 4}, 0, 1024, NULL, every_input_of_b, stencil_b_point},
    {"block", {32, 8}, 8, 256, NULL, column_of_b, stencil_b_column},
    {"shared", {32, 16}, 0, 1024, NULL, tile_of_b, stencil_b_tile},
    {"block several points", {32, 4}, CHOSEN, 256, NULL, columns_of_b, stencil_b_columns},
};

/* ---- cases c and d ---- */

static const char *too_long(const stencil_job *job, int lines)
{
  const int64_t bytes = (int64_t)(job->g.n[job->axis] + 8) * lines * (int64_t)stencil_bytes(job);
  return bytes > SHARED_BYTES ? "its lines do not fit 227 KiB of shared memory" : NULL;
}

static const char *refuses_few(const stencil_job *job)
{
  return too_long(job, 4);
}

static const char *refuses_many(const stencil_job *job)
{
  return too_long(job, 32);
}

static double whole_lines(const stencil_job *job)
{
  return 1 + 8. / job->g.n[job->axis] + others(job);
}

static double every_input_of_line(const stencil_job *job)
{
  return 2 * job->radius + 1 + others(job);
}

static double window_of_line(const stencil_job *job)
{
  return 1 + column_ghosts(job, job->g.n[job->axis]) + others(job);
}

/* Along x a thread reads its packs' neighbours, otherwise its window. */
static double columns_of_line(const stencil_job *job)
{
  return job->axis > 0 ? window_of_line(job)
                       : 1 + 2. * job->radius / (job->wide ? 2 : 4) + others(job);
}

/* 4 packs of a line per thread. */
static double at_once_of_line(const stencil_job *job)
{
  return 1 + 2. * job->radius / (4 * job->tile[1]) + others(job);
}

static const char *refuses_but_y(const stencil_job *job)
{
  return job->axis != 1 ? "packs at once go along y" : NULL;
}

static const char *refuses_x(const stencil_job *job)
{
  return job->axis == 0 ? "the window goes along y or z" : NULL;
}

static const stencil_kernel c_kernels[] = {
    {"4 pencils", {0, 0}, 0, 1024, refuses_few, whole_lines, stencil_c_few},
    {"32 pencils", {0, 0}, 0, 1024, refuses_many, whole_lines, stencil_c_many},
    {"several points", {32, 8}, CHOSEN, 256, NULL, columns_of_line, stencil_c_columns},
    {"points at once", {32, 8}, 0, 1024, refuses_but_y, at_once_of_line, stencil_c_at_once},
};

static const stencil_kernel d_kernels[] = {
    {"point", {64, 4}, 0, 1024, NULL, every_input_of_line, stencil_d_point},
    {"window", {64, 4}, 32, 256, refuses_x, window_of_line, stencil_d_window},
    {"several points", {32, 8}, CHOSEN, 256, NULL, columns_of_line, stencil_d_columns},
    {"points at once", {32, 8}, 0, 1024, refuses_but_y, at_once_of_line, stencil_d_at_once},
};

const stencil_kernels stencils_of_gpu[4] = {{a_kernels, sizeof a_kernels / sizeof *a_kernels},
                                            {b_kernels, sizeof b_kernels / sizeof *b_kernels},
                                            {c_kernels, sizeof c_kernels / sizeof *c_kernels},
                                            {d_kernels, sizeof d_kernels / sizeof *d_kernels}};
