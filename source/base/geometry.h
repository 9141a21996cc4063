/* Where a cell is in memory. The rows of a box are either plain or split by colour: then all red
 * cells (even global i + j + k) form one array of half rows and the black cells another one,
 * `half` doubles further on, with cell i in slot floor(i / 2) of its half row. Where n[0] is odd, the
 * half row that begins with cell 0 has a cell more than the other, which has the right ghost in that slot.
 * Rows start on a cache line; the left ghosts are in the padding of the previous row. Shared by all
 * backends. */
#ifndef HYMGI_BASE_GEOMETRY_H
#define HYMGI_BASE_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__CUDACC__)
#define HYMGI_INLINE static __host__ __device__ __forceinline__
#elif defined(__OPTIMIZE__)
#define HYMGI_INLINE static inline __attribute__((always_inline))
#else /* long rows would take compilers half a minute, and debuggers show calls */
#define HYMGI_INLINE static inline
#endif

/* doubles per cache line of a CPU; on a GPU rows start on a multiple of two lines. Distances and sizes
 * below are in numbers of the level: doubles, or floats on a level in single precision. */
enum { HYMGI_LINE = 8 };

typedef struct hymgi_geom {
  int n[3];   /* cells */
  int low[3]; /* global index of the local cell (0, 0, 0) */
  int ghost;  /* ghost layers stored on each side */
  int parity; /* colour of the local cell (0, 0, 0): the parity of its global i + j + k */
  int split;  /* 1: rows split by colour */
  /* bit f: face f (x-, x+, y-, y+, z-, z+) lies on a boundary of the domain that is not periodic */
  unsigned boundaries;
  /* bit per axis: the only box of a level with periodic axes, all of an even number of cells, is its
   * own neighbour; kernels may read its cells in place of ghosts */
  unsigned wraps;
  ptrdiff_t pitch, plane, half; /* from row to row, plane to plane, red to black */
  /* of the cell (0, 0, 0) with colour 0, relative to the box's start */
  ptrdiff_t base;
  ptrdiff_t size;   /* of one field of the box */
  ptrdiff_t offset; /* of the box's start in a vector of the level */
} hymgi_geom;

/* First index i of the given colour in row (j, k): 0 or 1. */
HYMGI_INLINE int hymgi_first(const hymgi_geom *g, int colour, int j, int k)
{
  return (j + k + g->parity + colour) & 1;
}

/* Cells of the given colour in row (j, k). */
HYMGI_INLINE int hymgi_count(const hymgi_geom *g, int colour, int j, int k)
{
  return (g->n[0] + 1 - hymgi_first(g, colour, j, k)) / 2;
}

/* Start of row (j, k) of one colour (slot 0), in a vector; colour is 0 with plain rows. */
HYMGI_INLINE ptrdiff_t hymgi_row(const hymgi_geom *g, int colour, int j, int k)
{
  return g->offset + g->base + k * g->plane + j * g->pitch + colour * g->half;
}

/* Cell or low face (i, j, k) in a vector; ghosts are negative or >= n. */
HYMGI_INLINE ptrdiff_t hymgi_at(const hymgi_geom *g, int i, int j, int k)
{
  if (!g->split) return hymgi_row(g, 0, j, k) + i;
  return hymgi_row(g, (i + j + k + g->parity) & 1, j, k) + (i >= 0 ? i / 2 : -((1 - i) / 2));
}

/* Fills strides and size from n, ghost and split; rows start on a multiple of `line`
 * numbers, a multiple of HYMGI_LINE. offset is set to 0. */
static inline void hymgi_geom_layout(hymgi_geom *g, int line)
{
  const ptrdiff_t rows = g->split ? (g->n[0] + 1) / 2 + 2 : g->n[0] + 2 * g->ghost;
  g->pitch = (rows + line - 1) / line * line;
  g->plane = g->pitch * (g->n[1] + 2 * g->ghost);
  if (g->plane % 512 == 0) g->plane += line; /* no 4 KiB aliasing between planes */
  const ptrdiff_t colour = g->plane * (g->n[2] + 2 * g->ghost) + line;
  g->half = g->split ? colour : 0;
  g->base = line + g->ghost * (g->pitch + g->plane);
  g->size = colour * (g->split ? 2 : 1) + 2 * line;
  g->offset = 0;
}

/* The same cells and addresses with the colours exchanged: a sweep over "red" updates the black
 * cells. */
static inline hymgi_geom hymgi_geom_exchanged(hymgi_geom g)
{
  g.parity ^= 1;
  g.base += g.half;
  g.half = -g.half;
  return g;
}

/* The box with so many layers more at each side, in the same memory, but not beyond the domain's boundaries, and up to
 * these where ghosts would lie beyond: domain has its cells, or 0 along a periodic axis. Rows that are split by colour
 * begin and end with a whole slot. */
static inline hymgi_geom hymgi_geom_extended(hymgi_geom g, const int layers[3], const int domain[3])
{
  for (int axis = 0; axis < 3; axis++) {
    const int n = domain[axis], low = g.low[axis], high = n - low - g.n[axis];
    const int more = axis == 0 && g.split ? (layers[0] + 1) / 2 * 2 : layers[axis];
    const bool first = n && more && low < more + g.ghost, last = n && more && high < more + g.ghost;
    const int before = first ? low : more, after = last ? high : more;
    if (first) g.boundaries |= 1u << (2 * axis);
    if (last) g.boundaries |= 2u << (2 * axis);
    g.low[axis] -= before;
    g.n[axis] += before + after;
    g.parity ^= before & 1;
    g.base -=
        axis == 0 ? (g.split ? before / 2 : before) : before * (axis == 1 ? g.pitch : g.plane);
  }
  return g;
}

/* Lays out boxes one after the other in a vector, each with room for so many layers more (extended); returns the
 * vector's size. */
static inline ptrdiff_t hymgi_boxes_layout_wide(hymgi_geom *box, int count, int layers,
                                                const int domain[3], int line)
{
  const int all[3] = {layers, layers, layers};
  ptrdiff_t size = 0;
  for (int b = 0; b < count; b++) {
    hymgi_geom *const g = box + b;
    hymgi_geom wide = hymgi_geom_extended(*g, all, domain);
    hymgi_geom_layout(&wide, line);
    g->pitch = wide.pitch, g->plane = wide.plane, g->half = wide.half, g->size = wide.size;
    g->base = 0;
    g->base = wide.base - hymgi_geom_extended(*g, all, domain).base;
    g->offset = size;
    size += g->size;
  }
  return size;
}

/* The same without more layers. */
static inline ptrdiff_t hymgi_boxes_layout(hymgi_geom *box, int count, int line)
{
  const int any[3] = {0, 0, 0};
  return hymgi_boxes_layout_wide(box, count, 0, any, line);
}

#endif
