/* Which rank owns which box. The box at position p of N in Z-Morton order belongs to rank
 * floor(p R / N): each rank has one contiguous run, and all runs have nearly the same length;
 * with more ranks than boxes the owners are spread evenly over the ranks. Coarser levels follow
 * by coarsening (coarsen.c). */
#include "distribution/decomposition.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int64_t product(const int v[3])
{
  return (int64_t)v[0] * v[1] * v[2];
}

int hymgi_decomp_low(const hymgi_decomp *decomp, int axis, int box)
{
  if (decomp->cut[axis]) return decomp->cut[axis][box];
  return box * (decomp->n[axis] / decomp->boxes[axis]);
}

/* The last entry of an ascending list that is not above a value. */
static int last_not_above(const int *list, int count, int value)
{
  int low = 0, high = count;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (list[middle] <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int hymgi_decomp_box_at(const hymgi_decomp *decomp, int axis, int cell)
{
  if (decomp->cut[axis]) return last_not_above(decomp->cut[axis], decomp->boxes[axis], cell);
  return cell / (decomp->n[axis] / decomp->boxes[axis]);
}

/* The finer level's box whose owner has a box, and the inverse: -1 if that box has gone. */
static int origin_of(const hymgi_decomp *decomp, int axis, int box)
{
  return decomp->origin[axis] ? decomp->origin[axis][box] : box * decomp->merge[axis];
}

static int image_of(const hymgi_decomp *decomp, int axis, int box)
{
  const int merge = decomp->merge[axis], *origin = decomp->origin[axis];
  if (!origin) return box % merge ? -1 : box / merge;
  const int found = last_not_above(origin, decomp->boxes[axis], box);
  return origin[found] == box ? found : -1;
}

int64_t hymgi_decomp_id(const hymgi_decomp *decomp, const int box[3])
{
  return ((int64_t)box[2] * decomp->boxes[1] + box[1]) * decomp->boxes[0] + box[0];
}

void hymgi_decomp_box(const hymgi_decomp *decomp, int64_t id, int box[3])
{
  const int64_t row = id / decomp->boxes[0];
  box[0] = (int)(id % decomp->boxes[0]);
  box[1] = (int)(row % decomp->boxes[1]);
  box[2] = (int)(row / decomp->boxes[1]);
}

/* A grid that will be coarsened needs boxes with even sides, so that the coarse image of a box
 * consists of whole cells. */
static hymg_status check_boxes(hymg_context *context, const int n[3], const int b[3], bool equal)
{
  const bool coarsens = n[0] % 2 == 0 && n[1] % 2 == 0 && n[2] % 2 == 0;
  for (int a = 0; a < 3; a++)
    if (b[a] < 1 || b[a] > n[a] || (equal && n[a] % b[a] != 0))
      return hymgi_fail(
          context, HYMG_EINVAL,
          "%d boxes along %c do not divide %d cells: boxes must be 1 to %d and a divisor", b[a],
          "xyz"[a], n[a], n[a]);
  if ((int64_t)b[0] * b[1] > INT_MAX || product(b) > INT_MAX)
    return hymgi_fail(context, HYMG_EINVAL, "%d x %d x %d boxes: more than the limit of %d", b[0],
                      b[1], b[2], INT_MAX);
  for (int a = 0; a < 3; a++)
    if (coarsens && equal && n[a] / b[a] % 2)
      return hymgi_fail(context, HYMG_EINVAL,
                        "%d cells along %c in %d boxes of %d: a grid that is even on all axes is "
                        "coarsened and needs boxes with even sides",
                        n[a], "xyz"[a], b[a], n[a] / b[a]);
  return HYMG_OK;
}

/* The boxes of each rank, from the table of owners: counting sort. */
static hymg_status sort_by_rank(hymg_context *context, hymgi_decomp *d)
{
  const int64_t boxes = product(d->boxes);
  d->rank_first = calloc((size_t)d->ranks + 2, sizeof *d->rank_first);
  d->rank_box = malloc((size_t)boxes * sizeof *d->rank_box);
  if (!d->rank_first || !d->rank_box)
    return hymgi_fail(context, HYMG_ENOMEM, "out of memory for the owners of %lld boxes",
                      (long long)boxes);
  int64_t *next =
      d->rank_first + 1; /* next[r] is the first of r, and after the loop below its end */
  for (int64_t i = 0; i < boxes; i++)
    next[d->owner_table[i] + 1]++;
  for (int r = 0; r < d->ranks; r++)
    next[r + 1] += next[r];
  for (int64_t i = 0; i < boxes; i++)
    d->rank_box[next[d->owner_table[i]]++] = i;
  return HYMG_OK;
}

static hymg_status ask_owners(hymg_context *context, const hymg_grid_desc *desc, hymgi_decomp *d)
{
  d->owner_table = malloc((size_t)product(d->boxes) * sizeof *d->owner_table);
  if (!d->owner_table)
    return hymgi_fail(context, HYMG_ENOMEM, "out of memory for the owners of %lld boxes",
                      (long long)product(d->boxes));
  for (int64_t id = 0; id < product(d->boxes); id++) {
    int box[3];
    hymgi_decomp_box(d, id, box);
    const int rank = desc->owner(box, desc->owner_user);
    if (rank < 0 || rank >= d->ranks)
      return hymgi_fail(context, HYMG_EINVAL,
                        "owner of box (%d, %d, %d) is rank %d: ranks are 0 to %d", box[0], box[1],
                        box[2], rank, d->ranks - 1);
    d->owner_table[id] = rank;
  }
  return sort_by_rank(context, d);
}

/* Cells per box to first cells; an axis without has equal boxes. */
static hymg_status take_cuts(hymg_context *context, const hymg_grid_desc *desc, hymgi_decomp *d)
{
  for (int a = 0; a < 3; a++) {
    const int boxes = d->boxes[a], *cells = desc->cuts[a];
    int64_t sum = 0;
    if (!cells && d->n[a] % boxes != 0)
      return hymgi_fail(context, HYMG_EINVAL, "%d boxes along %c do not divide %d cells", boxes,
                        "xyz"[a], d -> n[a]);
    int *cut = d->cut[a] = malloc(((size_t)boxes + 1) * sizeof *cut);
    if (!cut) return hymgi_fail(context, HYMG_ENOMEM, "out of memory for %d cuts", boxes);
    for (int i = 0; i < boxes; i++) {
      const int width = cells ? cells[i] : d->n[a] / boxes;
      if (width < 1)
        return hymgi_fail(context, HYMG_EINVAL, "%d cells in box %d along %c: at least 1", width, i,
                          "xyz"[a]);
      cut[i] = (int)sum;
      sum += width;
      if (sum > d->n[a]) break;
    }
    cut[boxes] = d->n[a];
    if (sum != d->n[a])
      return hymgi_fail(context, HYMG_EINVAL,
                        "the %d boxes along %c have %lld cells or more, the grid has %d", boxes,
                        "xyz"[a], (long long)sum, d -> n[a]);
  }
  return HYMG_OK;
}

/* Boxes of unlike sides, cut at even cells. */
static hymg_status cut_evenly(hymg_context *context, hymgi_decomp *d)
{
  for (int a = 0; a < 3; a++) {
    const int boxes = d->boxes[a], n = d->n[a];
    int *cut = d->cut[a] = malloc(((size_t)boxes + 1) * sizeof *cut);
    if (!cut) return hymgi_fail(context, HYMG_ENOMEM, "out of memory for %d cuts", boxes);
    for (int i = 0; i < boxes; i++)
      cut[i] = 2 * (int)((int64_t)(n + 1) / 2 * i / boxes);
    cut[boxes] = n;
  }
  return HYMG_OK;
}

static hymg_status choose_boxes(hymg_context *context, const hymg_grid_desc *desc, unsigned uncut,
                                hymgi_decomp *d)
{
  int n[3]; /* along which there may be boxes */
  for (int a = 0; a < 3; a++)
    n[a] = uncut >> a & 1 ? 2 - d->n[a] % 2 : d->n[a];
  const bool given = d->boxes[0] || d->boxes[1] || d->boxes[2];
  const bool equal = !desc->cuts[0] && !desc->cuts[1] && !desc->cuts[2];
  if (!given) hymgi_decomp_default_boxes(n, d->ranks, d->boxes);
  if (!given && !desc->owner && !desc->extrapolation_box &&
      hymgi_decomp_unlike_boxes(n, d->ranks, d->boxes))
    return cut_evenly(context, d);
  TRY(check_boxes(context, d->n, d->boxes, equal));
  return equal ? HYMG_OK : take_cuts(context, desc, d);
}

static hymg_status create(hymg_context *context, int ranks, const hymg_grid_desc *desc,
                          unsigned uncut, hymgi_decomp **decomp)
{
  hymgi_decomp *d = calloc(1, sizeof *d);
  if (!d) return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a decomposition");
  *d = (hymgi_decomp){.ranks = ranks, .merge = {1, 1, 1}};
  memcpy(d->n, desc->n, sizeof d->n);
  memcpy(d->boxes, desc->boxes, sizeof d->boxes);
  hymg_status status = choose_boxes(context, desc, uncut, d);
  if (status == HYMG_OK && desc->owner) status = ask_owners(context, desc, d);
  if (status != HYMG_OK) hymgi_decomp_destroy(&d);
  *decomp = d;
  return status;
}

hymg_status hymgi_decomp_create_for(hymg_context *context, int ranks, const hymg_grid_desc *desc,
                                    hymgi_decomp **decomp)
{
  return create(context, ranks, desc, 0, decomp);
}

/* Collective: the owner callback must have given the same answers on all ranks. */
static hymg_status check_same_owners(hymg_context *context, const hymgi_decomp *d)
{
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (int64_t i = 0; i < product(d->boxes); i++)
    hash = (hash ^ (uint32_t)d->owner_table[i]) * 16777619u;
  int bounds[2] = {(int)(hash >> 1), -(int)(hash >> 1)};
  TRY(hymgi_comm_max_int(context, context->comm, bounds, 2));
  if (bounds[0] != -bounds[1])
    return hymgi_fail(context, HYMG_EINVAL,
                      "the owner function gives different answers on different ranks");
  return HYMG_OK;
}

hymg_status hymgi_decomp_create(hymg_context *context, const hymg_grid_desc *desc, unsigned uncut,
                                hymgi_decomp **decomp)
{
  hymgi_decomp *d = NULL;
  hymg_status status = create(context, hymg_context_ranks(context), desc, uncut, &d);
  status = hymgi_agree(context, status);
  if (status == HYMG_OK && d->owner_table) status = check_same_owners(context, d);
  if (status != HYMG_OK) hymgi_decomp_destroy(&d);
  *decomp = d;
  return status;
}

void hymgi_decomp_destroy(hymgi_decomp **decomp)
{
  if (!decomp || !*decomp) return;
  free((*decomp)->owner_table);
  free((*decomp)->rank_first);
  free((*decomp)->rank_box);
  for (int a = 0; a < 3; a++) {
    free((*decomp)->cut[a]);
    free((*decomp)->origin[a]);
  }
  free(*decomp);
  *decomp = NULL;
}

int hymgi_decomp_owner(const hymgi_decomp *decomp, const int box[3])
{
  int b[3] = {box[0], box[1], box[2]};
  for (; decomp->finer; decomp = decomp->finer)
    for (int a = 0; a < 3; a++)
      b[a] = origin_of(decomp, a, b[a]);
  if (decomp->owner_table) return decomp->owner_table[hymgi_decomp_id(decomp, b)];
  return (int)(hymgi_morton_rank(decomp->boxes, b) * decomp->ranks / product(decomp->boxes));
}

/* First position of a rank's part: the smallest p with floor(p R / N) >= rank. */
static int64_t share_first(const hymgi_decomp *d, int rank)
{
  return ((int64_t)rank * product(d->boxes) + d->ranks - 1) / d->ranks;
}

static hymg_status finest_boxes_of(hymg_context *context, const hymgi_decomp *d, int rank,
                                   int **list, int *count)
{
  const int64_t first = d->owner_table ? d->rank_first[rank] : share_first(d, rank);
  const int64_t end = d->owner_table ? d->rank_first[rank + 1] : share_first(d, rank + 1);
  int *boxes = malloc((size_t)(end - first + 1) * 3 * sizeof *boxes);
  if (!boxes)
    return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a list of %lld boxes",
                      (long long)(end - first));
  for (int64_t p = first; p < end; p++) {
    int *box = boxes + 3 * (p - first);
    if (d->owner_table)
      hymgi_decomp_box(d, d->rank_box[p], box);
    else
      hymgi_morton_box(d->boxes, p, box);
  }
  *list = boxes;
  *count = (int)(end - first);
  return HYMG_OK;
}

hymg_status hymgi_decomp_boxes_of(hymg_context *context, const hymgi_decomp *decomp, int rank,
                                  int **list, int *count)
{
  if (!decomp->finer) return finest_boxes_of(context, decomp, rank, list, count);
  TRY(hymgi_decomp_boxes_of(context, decomp->finer, rank, list, count));
  if (decomp->whole) {
    *count = *count > 0;
    memset(*list, 0, (size_t)*count * 3 * sizeof **list);
    return HYMG_OK;
  }
  int used = 0;
  for (int i = 0; i < *count; i++) {
    int image[3];
    for (int a = 0; a < 3; a++)
      image[a] = image_of(decomp, a, (*list)[3 * i + a]);
    if (image[0] < 0 || image[1] < 0 || image[2] < 0) continue;
    memcpy(*list + (ptrdiff_t)3 * used++, image, sizeof image);
  }
  *count = used;
  return HYMG_OK;
}

bool hymgi_decomp_brick(const int *list, int count, int low[3], int extent[3])
{
  if (count < 1) return false;
  int64_t volume = 1;
  for (int a = 0; a < 3; a++) {
    int first = list[a], last = list[a];
    for (int i = 1; i < count; i++) {
      const int at = list[3 * i + a];
      if (at < first) first = at;
      if (at > last) last = at;
    }
    low[a] = first;
    extent[a] = last - first + 1;
    volume *= extent[a];
  }
  return volume == count;
}
