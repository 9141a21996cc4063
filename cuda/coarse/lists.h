/* Construction of the coarse end's lists on the host: what lists.cu uses from other files. */
#ifndef HYMGI_COARSE_LISTS_H
#define HYMGI_COARSE_LISTS_H

#include "coarse/coarse.h"

/* A growing block of zeroed bytes; after a failed allocation it stays unchanged. */
struct hymgi_pile {
  char *bytes;
  size_t size, capacity;
  bool failed;
};

/* Appends `size` bytes, aligned to 16, and returns their offset. Invalidates pointers into the
 * pile. */
size_t hymgi_pile_grow(hymgi_pile *pile, size_t size);

/* Position of the cell or ghost (i, j, k) of a box in a vector of the coarse end. */
int hymgi_coarse_at(const hymgi_geom *box, int i, int j, int k);

/* Lists the ghosts that an extrapolation of this order fills: all its layers, with corners or only
 * faces and edges, with or without the level's boundary data. Returns the list's offset in the
 * pile; end as in coarse_extrapolation; *data_at: offset of the boundary data, if there is any. */
size_t hymgi_coarse_list_ghosts(hymgi_pile *pile, const hymgi_level *level, hymgi_ghosts order,
                                bool corners, bool with_data, int end[3], size_t *data_at);

/* Enqueues the kernel that writes a level's rows of coefficients, in the order of its cells. */
void hymgi_coarse_fill_coefficients(const hymgi_level *level, const coarse_cell *cell,
                                    double *rows);

#endif
