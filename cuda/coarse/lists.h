/* Making the lists of the tail: what lists.cu gathers from other files, on the host. */
#ifndef HYMGI_TAIL_LISTS_H
#define HYMGI_TAIL_LISTS_H

#include "coarse/coarse.h"

/* A growing block of zeroed bytes; once it has failed it stays as it is. */
struct hymgi_pile {
  char *bytes;
  size_t size, capacity;
  bool failed;
};

/* Room for `size` more bytes, on 16; where it starts. Pointers into the pile end here. */
size_t hymgi_pile_grow(hymgi_pile *pile, size_t size);

/* Place of the cell or ghost (i, j, k) of a box in a vector of the tail. */
int hymgi_tail_at(const hymgi_geom *box, int i, int j, int k);

/* The ghosts that an order of closure wants in memory: its layers, with corners or faces and edges
 * alone, with the level's wall data or without. Where the list starts in the pile; end as in
 * tail_closure; *data_at: where the wall data starts, if there is to be any. */
size_t hymgi_tail_list_ghosts(hymgi_pile *pile, const hymgi_level *level, hymgi_ghosts order,
                              bool corners, bool with_data, int end[3], size_t *data_at);

/* Queues the filling of a level's rows of coefficients, in the order of its cells. */
void hymgi_tail_fill_rows(const hymgi_level *level, const tail_cell *cell, double *rows);

#endif
