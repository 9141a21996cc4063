/* Making the lists of the coarse end: what lists.cu gathers from other files, on the host. */
#ifndef HYMGI_COARSE_LISTS_H
#define HYMGI_COARSE_LISTS_H

#include "coarse/coarse.h"

/* A growing block of zeroed bytes; once it has failed it stays as it is. */
struct hymgi_pile {
  char *bytes;
  size_t size, capacity;
  bool failed;
};

/* Room for `size` more bytes, on 16; where it starts. Pointers into the pile end here. */
size_t hymgi_pile_grow(hymgi_pile *pile, size_t size);

/* Place of the cell or ghost (i, j, k) of a box in a vector of the coarse end. */
int hymgi_coarse_at(const hymgi_geom *box, int i, int j, int k);

/* The ghosts that an order of extrapolation wants in memory: its layers, with corners or faces and edges
 * alone, with the level's boundary data or without. Where the list starts in the pile; end as in
 * coarse_extrapolation; *data_at: where the boundary data starts, if there is to be any. */
size_t hymgi_coarse_list_ghosts(hymgi_pile *pile, const hymgi_level *level, hymgi_ghosts order,
                                bool corners, bool with_data, int end[3], size_t *data_at);

/* Queues the filling of a level's rows of coefficients, in the order of its cells. */
void hymgi_coarse_fill_coefficients(const hymgi_level *level, const coarse_cell *cell,
                                    double *rows);

#endif
