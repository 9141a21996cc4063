/* The context: communicator, threads, error text. */
#ifndef HYMGI_COMM_CONTEXT_H
#define HYMGI_COMM_CONTEXT_H

#include "comm/comm.h"

enum { HYMGI_KEY = 512 };

/* A measured placement (source/hierarchy/placement.h), for the context's next solver of that key. */
typedef struct hymgi_choice {
  struct hymgi_choice *next;
  int64_t host_cells, tail_cells;
  char key[HYMGI_KEY];
} hymgi_choice;

struct hymg_context {
  hymgi_comm *comm; /* NULL: serial */
  int threads;      /* what the backend gives for the user's wish, >= 1 */
  int device;
  struct CUstream_st *stream;
  /* sticky within one solve: level operations record a failure here and go on with their messages */
  hymg_status status;
  struct hymgi_device *gpu; /* made when a backend first needs it, with the way to end it */
  void (*close_gpu)(struct hymgi_device *gpu);
  hymgi_choice *choices;
  unsigned solvers; /* made so far: their ids */
  double later[2];  /* what hymgi_later gives where nothing is queued */
  char error[512];
};

/* Collective: the worst status over all ranks. A rank that was fine while another failed gets a
 * text that says which rank. */
hymg_status hymgi_agree(hymg_context *context, hymg_status status);

/* Seconds of a monotonic clock. */
double hymgi_seconds(void);

#endif
