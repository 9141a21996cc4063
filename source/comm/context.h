/* The context: communicator, threads, error text. */
#ifndef HYMGI_COMM_CONTEXT_H
#define HYMGI_COMM_CONTEXT_H

#include "base/team.h"
#include "comm/agreement.h"

enum { HYMGI_KEY = 512 };

/* A measured placement (source/hierarchy/placement.h), cached for the next solver with the same
 * key. */
typedef struct hymgi_choice {
  struct hymgi_choice *next;
  int64_t host_cells, tail_cells;
  char key[HYMGI_KEY];
} hymgi_choice;

struct hymg_context {
  hymgi_comm *comm; /* NULL: serial */
  int threads;      /* as the backend resolved the user's request, >= 1 */
  hymgi_team team;  /* how many of them the host's loops use at present */
  bool alone;       /* its thread is a team of its own, without OpenMP (cpu/team.h) */
  uint64_t *waited; /* ns for which each thread had waited for a core at the last reading */
  int device;
  struct CUstream_st *stream;
  double wait_seconds; /* 0: no limit */
  /* Sticky within one solve: level operations record a failure here and continue with their
   * messages, so that no other rank blocks. */
  hymg_status status;
  /* A solver's coefficients are being made or changed: a GPU's kernels, which otherwise read them before the
   * preceding one has ended, then start one after the other. */
  bool in_setup;
  struct hymgi_device *gpu; /* created when a backend first needs it; closed by close_gpu */
  void (*close_gpu)(struct hymgi_device *gpu);
  hymgi_choice *choices;
  int64_t matrix_from; /* coarse matrices are for problems of at least so many cells */
  unsigned solvers;    /* solvers created so far; gives each its id */
  unsigned grids;      /* likewise */
  double later[4];     /* what hymgi_later returns if the backend does not queue norms */
  char error[512];
  hymg_status pending; /* a failure that the next hymgi_agree reports on every rank, and its text */
  char pending_error[512];
  /* Solvers whose GPUs send to those of other ranks, the same ones on all ranks, and what begins
   * their messages anew after a failure, collectively (source/transport/recover.c). */
  struct hymgi_hierarchy *connected;
  void (*recover)(hymg_context *context, hymg_status failure);
};

/* The next hymgi_agree fails with this status and the present text, on every rank. Only the first
 * failure since the last one is kept; a single rank has nobody to notify. */
void hymgi_report_later(hymg_context *context, hymg_status status);

/* Sets how many threads the host's loops may use; no more than at first. */
void hymgi_context_use_threads(hymg_context *context, int threads);

/* Monotonic time in seconds. */
double hymgi_seconds(void);

#endif
