/* Copy plans: which rank copies which brick of cells to which. The same format serves the halo
 * exchange and the transfers between the boxes of two levels. A brick is given by box, low
 * corner and extent in the box's own cells, never by a linear offset: a plan does not depend on
 * the memory layout. There is one message per neighbour rank and direction; both ends derive the
 * order of its bricks independently. */
#ifndef HYMGI_DISTRIBUTION_PLAN_H
#define HYMGI_DISTRIBUTION_PLAN_H

#include "base/geometry.h"
#include "base/memory.h"
#include "distribution/decomposition.h"

typedef struct hymgi_copy {
  int src_box, dst_box; /* local boxes on the source and target side */
  int src[3], dst[3];   /* low corners; may be in the ghosts */
  int n[3];
} hymgi_copy;

typedef struct hymgi_piece {
  int box, message;
  int low[3], n[3];
  /* first double of the piece in the message buffer (x fastest, then y, z), and of its message */
  size_t at, first;
} hymgi_piece;

typedef struct hymgi_message {
  int rank;         /* of the context's communicator */
  int first, count; /* pieces */
  size_t at, size;  /* doubles in the buffer */
  int round;        /* of the plan */
  bool peer;        /* between peers: does not use MPI */
  /* between peers: the offsets of its data, in doubles, and its flag, in words, in the arenas of
   * this rank and of the other one (source/transport/peer_setup.c) */
  double mine[2], theirs[2];
} hymgi_message;

/* Where the pieces of a message are written or read when kernels of two GPUs exchange it
 * directly. A buffer has three versions, used in turn; the flags count exchanges. */
enum { HYMGI_PEER_VERSIONS = 3 };

typedef struct hymgi_peer_message {
  double *data; /* start of the data; in the MPI buffer if the message has no flag */
  ptrdiff_t version;
  /* set: written in the other GPU's memory when all data is there; awaited: polled in this GPU's
   * memory */
  unsigned long long *set, *awaited;
  int rank, lag; /* awaited must reach the number of the exchange minus lag */
} hymgi_peer_message;

/* One direction of a plan, with the list of all its messages and two counters in this GPU's
 * memory: the exchanges so far, and the finished blocks of the current one. */
typedef struct hymgi_peer_side {
  hymgi_peer_message *message; /* readable by the host and the GPU */
  unsigned long long *exchanges;
  unsigned *finished;
} hymgi_peer_side;

/* Shared by all plans of a solver: an abort flag in each GPU. Once a GPU has aborted, here or
 * elsewhere, its flag and those of its neighbours are not 0 and nothing is awaited any more. */
typedef struct hymgi_peer_state {
  unsigned long long *aborted; /* this GPU's */
  unsigned long long **others; /* the flags of the GPUs that this one sends to */
  int num_others;
  bool notified;  /* the other ranks have been notified since the last reset */
  double timeout; /* seconds */
} hymgi_peer_state;

typedef struct hymgi_plan {
  int tag;
  int threads; /* threads that the host may use; 0: one */
  int num_local, num_pack, num_unpack, num_sends, num_receives;
  /* every brick belongs to box 0, so that its geometry can be passed as a kernel argument */
  bool single;
  hymgi_copy *local;
  hymgi_piece *pack, *unpack;
  hymgi_message *send, *receive;
  double *send_buffer, *receive_buffer;
  /* Not 0: the messages go in so many rounds, each once those before are there, which the two buffers, one and the same,
   * pass on. They are sorted by round. */
  int rounds;
  hymgi_requests *requests; /* NULL without messages */
  int mpi_sends, mpi_receives;
  hymgi_peer_state *peers; /* NULL: no messages between peers */
  hymgi_peer_state *group; /* not NULL: NCCL carries all messages, as one group */
  bool ll;                 /* LL protocol: each value carries its own flag */
  bool acknowledged;       /* the same for one-way messages, which are acknowledged by a counter */
  /* ll, and the exchange of a half sweep sends only the colour that it has updated: the half
   * sweeps of FV2 then send and receive it themselves */
  bool in_sweeps;
  hymgi_peer_side out, in;
  /* releases local, pack and unpack (NULL: free), and the memory of the buffers (NULL: none) */
  void (*unshare)(void *);
  const hymgi_memory *buffers;
  bool borrowed; /* the buffers were passed to hymgi_plan_lend */
  hymg_context *context;
} hymgi_plan;

/* One side of a plan: the boxes of a rank. `cover` says which (unmerged) boxes of the
 * decomposition each local brick consists of: low corner and extent in boxes. */
typedef struct hymgi_side {
  const hymgi_decomp *decomp;
  int num_boxes;
  const hymgi_geom *box;
  const int (*cover)[6];
} hymgi_side;

/* The boxes of a rank on a level: one merged brick if they form one, else each box by itself.
 * The lists are malloc'ed: *box (n, low, boundaries, parity and ghost are set; split, strides
 * and offset are not yet) and *cover. periodic: bit per axis. */
hymg_status hymgi_side_boxes(hymg_context *context, const hymgi_decomp *decomp, int rank, int ghost,
                             unsigned periodic, hymgi_geom **box, int (**cover)[6], int *num_boxes);

typedef enum hymgi_halo {
  HYMGI_HALO_FACES = 0,
  HYMGI_HALO_EDGES = 1,
  HYMGI_HALO_FULL = 2
} hymgi_halo;

/* Ghosts of at most so many layers. */
enum { HYMGI_PLAN_DEPTH = 66 };

/* What a plan moves. Target boxes (of the target's decomposition, in cells of the source's
 * level), and the ghosts around the brick that each belongs to, get their cells from the
 * source's boxes. */
typedef struct hymgi_pull {
  const hymgi_side *target, *source;
  int depth;           /* of the ghosts, 0 to HYMGI_PLAN_DEPTH */
  unsigned directions; /* bit (dx + 1) + 3 (dy + 1) + 9 (dz + 1); 13 is the box itself */
  unsigned periodic;   /* bit per axis */
  /* ghosts beyond a boundary: copied from the source's ghosts there; else not touched */
  bool boundaries;
  bool reverse; /* the opposite direction: targets are read and sources written */
} hymgi_pull;

/* Ghosts up to `depth` layers, inside the domain or across periodic axes, from the boxes that
 * own them: faces only (6 directions), faces and edges (18), or also corners (26). Ghosts beyond
 * a boundary are not touched. Each of these ghosts is written exactly once. */
hymgi_pull hymgi_halo_rule(const hymgi_side *side, hymgi_halo kind, int depth, unsigned periodic);
/* An all-gather takes ceil(log P) rounds to this base, in each of which a rank sends at most so many messages less one. */
enum { HYMGI_ROUND_BASE = 8 };

/* Between the boxes `coarse` of a level and the patches of the finer level: patch q of a rank is
 * the image, at half resolution, of its merged fine box q. gather: the interiors of the patches
 * into the coarse boxes. scatter: the cells and boundary ghosts (`depth` layers) of the coarse
 * boxes into the patches and their ghosts, each ghost from the box that owns the cell or has the
 * boundary ghost. fine is the fine side (its cover determines both). If each rank holds the coarse level whole, the gather is an
 * all-gather in rounds, and the scatter needs no messages. */
hymgi_pull hymgi_gather_rule(const hymgi_side *fine, const hymgi_side *coarse);
hymgi_pull hymgi_scatter_rule(const hymgi_side *fine, const hymgi_side *coarse, int depth,
                              unsigned periodic);

/* This rank's plan, without buffers. Errors: EINVAL (depth; boxes that do not nest), ENOMEM. */
hymg_status hymgi_plan_create(hymg_context *context, const hymgi_pull *rule, int tag,
                              hymgi_plan **plan);
/* The plan of any rank, from the sides of that rank; without tag and requests. */
hymg_status hymgi_plan_pull_of(hymg_context *context, int rank, const hymgi_pull *rule,
                               hymgi_plan **plan);

/* Moves the copy lists to memory that `share` provides and allocates the buffers in `buffers`;
 * with NULL there are none until hymgi_plan_allocate or hymgi_plan_lend. Errors: those of the
 * two. */
hymg_status hymgi_plan_share(hymgi_plan *plan,
                             hymg_status (*share)(hymg_context *context, void **block,
                                                  size_t bytes),
                             void (*unshare)(void *), const hymgi_memory *buffers);
hymg_status hymgi_plan_allocate(hymgi_plan *plan, const hymgi_memory *buffers);
/* Frees the buffers that it has allocated, if any. */
void hymgi_plan_release(hymgi_plan *plan);
/* Sizes of the two buffers in doubles, and buffers that remain the caller's. */
size_t hymgi_plan_send_doubles(const hymgi_plan *plan);
size_t hymgi_plan_receive_doubles(const hymgi_plan *plan);
void hymgi_plan_lend(hymgi_plan *plan, double *send, double *receive);
void hymgi_plan_destroy(hymgi_plan **plan);
/* Bytes of the plan and its buffers. */
size_t hymgi_plan_bytes(const hymgi_plan *plan);

#endif
