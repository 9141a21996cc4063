/* Copy plans: who copies which brick of cells to whom. One format serves the halo exchange and
 * the moves between the boxes of two levels' decompositions. A brick is named by box, low corner
 * and extent in the box's own cells, never by a linear offset: a plan knows no layout. Messages:
 * one per neighbour rank and direction of the plan, bricks in an order that both ends derive
 * alone. */
#ifndef HYMGI_DISTRIBUTION_PLAN_H
#define HYMGI_DISTRIBUTION_PLAN_H

#include "base/geometry.h"
#include "base/memory.h"
#include "distribution/decomposition.h"

typedef struct hymgi_copy {
  int src_box, dst_box; /* local boxes of the source and of the target side */
  int src[3], dst[3];   /* low corners; may lie in ghosts */
  int n[3];
} hymgi_copy;

typedef struct hymgi_piece {
  int box, message;
  int low[3], n[3];
  size_t at,
      first; /* first double in the message buffer, and of the message; x fastest, then y, z */
} hymgi_piece;

typedef struct hymgi_message {
  int rank;         /* of the context's communicator */
  int first, count; /* pieces */
  size_t at, size;  /* doubles in the buffer */
  bool peer;        /* goes without MPI */
} hymgi_message;

/* Where the pieces of a message go to or come from when kernels of two GPUs talk to each other. A
 * buffer has three versions, used in turn; flags are numbers of exchanges. */
enum { HYMGI_PEER_VERSIONS = 3 };

typedef struct hymgi_peer_message {
  double *data; /* first of its doubles; of MPI's buffer where there is no flag */
  ptrdiff_t version;
  /* set in the other GPU when all is done, and awaited in this one's memory */
  unsigned long long *set, *awaited;
  int rank, lag; /* awaited: the exchange less lag */
} hymgi_peer_message;

/* One direction of a plan whose messages are all listed, and its counters in this GPU's memory:
 * exchanges so far and finished blocks of the one at hand. */
typedef struct hymgi_peer_side {
  hymgi_peer_message *message; /* on this machine and the GPU */
  unsigned long long *exchanges;
  unsigned *finished;
} hymgi_peer_side;

/* What all plans of a solver share: a word in each GPU, not 0 once somebody there or elsewhere has
 * given up, so that nothing is awaited any more. */
typedef struct hymgi_peer_state {
  unsigned long long *aborted; /* this GPU's */
  unsigned long long **others; /* those of the GPUs that this one sends to */
  int num_others;
  bool notified;  /* them, since the last reset */
  double timeout; /* seconds */
} hymgi_peer_state;

typedef struct hymgi_plan {
  int tag;
  int threads; /* what a host mover may use; 0: one */
  int num_local, num_pack, num_unpack, num_sends, num_receives;
  bool single; /* every brick is of box 0: the box can travel by value */
  hymgi_copy *local;
  hymgi_piece *pack, *unpack;
  hymgi_message *send, *receive;
  double *send_buffer, *receive_buffer;
  hymgi_requests *requests; /* NULL without messages */
  int mpi_sends, mpi_receives;
  hymgi_peer_state *peers; /* NULL: no message goes to a peer */
  hymgi_peer_state *group; /* not NULL: all messages are NCCL's, sent and received together */
  bool ll;                 /* values tell by themselves that they have come: no flags */
  bool acknowledged;       /* the same for messages without an answer */
  /* ll, and of a half sweep's exchange the colour that it updated goes alone: in FV2 the half
   * sweeps send and take it by themselves */
  bool in_sweeps;
  hymgi_peer_side out, in;
  /* who frees local, pack and unpack, and the buffers; NULL: free */
  void (*unshare)(void *);
  const hymgi_memory *buffers;
  bool borrowed; /* the buffers are another's */
  hymg_context *context;
} hymgi_plan;

/* One side of a plan: the boxes a rank holds. For local merged bricks `cover` tells which
 * (unmerged) decomposition boxes each is made of: low corner and extent in boxes of the
 * decomposition. */
typedef struct hymgi_side {
  const hymgi_decomp *decomp;
  int num_boxes;
  const hymgi_geom *box;
  const int (*cover)[6];
} hymgi_side;

/* A rank's boxes of a level: one merged brick if they form one, else each box alone. Lists
 * malloc'ed: *box (n, low, boundaries, parity and ghost filled; split, strides and offset not yet)
 * and *cover. periodic: bit per axis. */
hymg_status hymgi_side_boxes(hymg_context *context, const hymgi_decomp *decomp, int rank, int ghost,
                             unsigned periodic, hymgi_geom **box, int (**cover)[6], int *num_boxes);

typedef enum hymgi_halo {
  HYMGI_HALO_FACES = 0,
  HYMGI_HALO_EDGES = 1,
  HYMGI_HALO_FULL = 2
} hymgi_halo;

/* What a plan moves. Target boxes (of the target's decomposition, at the resolution of the source's
 * level), and the ghosts around the brick that each is part of, take their cells from the source's
 * boxes. */
typedef struct hymgi_pull {
  const hymgi_side *target, *source;
  int depth;           /* of the ghosts, 0 to 4 */
  unsigned directions; /* bit (dx + 1) + 3 (dy + 1) + 9 (dz + 1); 13 is the box itself */
  unsigned periodic;   /* bit per axis */
  bool boundaries;     /* beyond a boundary: from the source's ghosts there; else left alone */
  bool reverse;        /* the other direction: targets are read and sources written */
} hymgi_pull;

/* Ghosts to `depth` layers inside the domain or across periodic axes, from the boxes that own
 * them: faces only (6), faces and edges (18), or corners too (26). Ghosts beyond a boundary are not
 * touched. Every such ghost is written exactly once. */
hymgi_pull hymgi_halo_rule(const hymgi_side *side, hymgi_halo kind, int depth, unsigned periodic);
/* Between a level's boxes `coarse` and the patches of the finer level: patch q of a rank is the
 * image, at half resolution, of its merged fine box q. gather: interiors of the patches into the
 * coarse boxes. scatter: the coarse boxes' cells and boundary ghosts (`depth` layers) into the
 * patches and their ghosts, each ghost from the box that owns the cell or from the boundary ghost
 * beyond it. fine is the fine side (its cover drives both). */
hymgi_pull hymgi_gather_rule(const hymgi_side *fine, const hymgi_side *coarse);
hymgi_pull hymgi_scatter_rule(const hymgi_side *fine, const hymgi_side *coarse, int depth,
                              unsigned periodic);

/* This rank's plan, without buffers. Errors: EINVAL (depth; boxes that do not nest), ENOMEM. */
hymg_status hymgi_plan_create(hymg_context *context, const hymgi_pull *rule, int tag,
                              hymgi_plan **plan);
/* The plan of any rank, whose sides are given; without tag and requests. */
hymg_status hymgi_plan_pull_of(hymg_context *context, int rank, const hymgi_pull *rule,
                               hymgi_plan **plan);

/* Moves the copy lists to where `share` puts them and the buffers to `buffers`; NULL: there are none
 * until hymgi_plan_allocate or hymgi_plan_lend. Errors: as of these. */
hymg_status hymgi_plan_share(hymgi_plan *plan,
                             hymg_status (*share)(hymg_context *context, void **block,
                                                  size_t bytes),
                             void (*unshare)(void *), const hymgi_memory *buffers);
hymg_status hymgi_plan_allocate(hymgi_plan *plan, const hymgi_memory *buffers);
/* Doubles of the two buffers, and buffers that stay the caller's. */
size_t hymgi_plan_send_doubles(const hymgi_plan *plan);
size_t hymgi_plan_receive_doubles(const hymgi_plan *plan);
void hymgi_plan_lend(hymgi_plan *plan, double *send, double *receive);
void hymgi_plan_destroy(hymgi_plan **plan);
/* Bytes of the plan and its buffers. */
size_t hymgi_plan_bytes(const hymgi_plan *plan);

#endif
