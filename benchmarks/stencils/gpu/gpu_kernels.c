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

static double plane_of(const stencil_job *job, const int tile[2])
{
  return 1 + beside(job, tile[0]) + beside(job, tile[1]);
}

static double tiled(const stencil_job *job, const int tile[2])
{
  return plane_of(job, tile) + column_ghosts(job, job->g.n[2]);
}

/* What a thread loads at once, in points. */
static int pack_of(const stencil_job *job)
{
  return job->wide ? 2 : 4;
}

/* Entries read, to which those that any kernel needs besides are added; and why a kernel refuses a job. */
#define READS(name, entries)                                                                       \
  static double name(const stencil_job *job)                                                       \
  {                                                                                                \
    return (entries) + others(job);                                                                \
  }
#define READS_TILE(name, find_tile, entries)                                                       \
  static double name(const stencil_job *job)                                                       \
  {                                                                                                \
    int tile[2];                                                                                   \
    find_tile;                                                                                     \
    return (entries) + others(job);                                                                \
  }
#define REFUSES(name, refused, why, otherwise)                                                     \
  static const char *name(const stencil_job *job)                                                  \
  {                                                                                                \
    return (refused) ? (why) : (otherwise);                                                        \
  }

/* ---- case a ---- */

READS(every_input, 6 * job->radius + 1)
READS(one_pass, tiled(job, job->tile))
READS_TILE(columns_of_a, stencil_a_columns_tile(job, tile), tiled(job, tile))
READS_TILE(ring_of_a, stencil_a_ring_tile(job, 1, tile), tiled(job, tile))
READS_TILE(other_ring, stencil_a_ring_tile(job, 2, tile), tiled(job, tile))
READS_TILE(apart, stencil_a_ring_tile(job, 3, tile), tiled(job, tile))

/* The pass over planes reads a tile and writes; the one over columns reads both and writes. */
static double two_passes(const stencil_job *job)
{
  return tiled(job, job->tile) + 1 + 3;
}

static double at_once_of_a(const stencil_job *job)
{
  stencil_job block = *job;
  block.slab = stencil_a_at_once_planes();
  return columns_of_a(&block);
}

REFUSES(refuses_wave, job->wave, "two passes are for the Laplacian", NULL)
REFUSES(refuses_other, job->wave, "a wave leaves registers for one kind of tile",
        stencil_a_ring_refuses(job))
REFUSES(refuses_apart, job->radius > 4, "ghosts apart pay up to order 8", refuses_other(job))

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

/* A block's threads lie along x, each with its own slab along y. */
static double block_of_b(const stencil_job *job, int points)
{
  return 1 + beside(job, job->tile[0] * points) + column_ghosts(job, job->g.n[1]);
}

READS(every_input_of_b, 4 * job->radius + 1)
READS(tile_of_b, plane_of(job, job->tile))
READS(column_of_b, block_of_b(job, 1))
READS(columns_of_b, block_of_b(job, pack_of(job)))

static const stencil_kernel b_kernels[] = {
    {"global", {64, 4}, 0, 1024, NULL, every_input_of_b, stencil_b_point},
    {"block", {32, 8}, 8, 256, NULL, column_of_b, stencil_b_column},
    {"shared", {32, 16}, 0, 1024, NULL, tile_of_b, stencil_b_tile},
    {"block several points", {32, 4}, CHOSEN, 256, NULL, columns_of_b, stencil_b_columns},
};

/* ---- cases c and d ---- */

static bool too_long(const stencil_job *job, int lines)
{
  const int64_t bytes = (int64_t)(job->g.n[job->axis] + 8) * lines * (int64_t)stencil_bytes(job);
  return bytes > SHARED_BYTES;
}

static const char no_room[] = "its lines do not fit 227 KiB of shared memory";
REFUSES(refuses_few, too_long(job, 4), no_room, NULL)
REFUSES(refuses_many, too_long(job, 32), no_room, NULL)
REFUSES(refuses_but_y, job->axis != 1, "packs at once go along y", NULL)
REFUSES(refuses_x, job->axis == 0, "the window goes along y or z", NULL)

READS(whole_lines, 1 + 8. / job->g.n[job->axis])
READS(every_input_of_line, 2 * job->radius + 1)
READS(window_of_line, 1 + column_ghosts(job, job->g.n[job->axis]))
/* Along x a thread reads its packs' neighbours, otherwise its window. */
READS(columns_of_line,
      job->axis > 0 ? 1 + column_ghosts(job, job->g.n[job->axis]) : 1 + beside(job, pack_of(job)))
/* 4 packs of a line per thread. */
READS(at_once_of_line, 1 + beside(job, 4 * job->tile[1]))

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
