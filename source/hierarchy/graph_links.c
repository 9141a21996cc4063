/* Lists of nodes that lead to other ranks (graph_links.h). Both ranks of a pair derive the same list in the same order, so only
 * what belongs to nodes is sent, never which ones. */
#include "hierarchy/graph_links.h"

#include <stdlib.h>

#include "comm/context.h"

/* ---- lists ---- */

void hymgi_links_add(hymgi_links *links, int rank, int64_t id, int at)
{
  if (links->count == links->room) {
    const size_t room = 2 * (size_t)links->room + 64;
    hymgi_link *const larger =
        room > INT32_MAX ? NULL : realloc(links->link, room * sizeof *larger);
    links->lacking |= !larger;
    if (!larger) return;
    links->link = larger, links->room = (int)room;
  }
  links->link[links->count++] = (hymgi_link){rank, at, id};
}

static int compare(const void *a, const void *b)
{
  const hymgi_link *const x = a, *const y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

/* Lists are often in order. */
static bool is_sorted(const hymgi_links *links)
{
  int m = 1;
  while (m < links->count && compare(links->link + m - 1, links->link + m) <= 0)
    m++;
  return m >= links->count;
}

void hymgi_links_sort(hymgi_links *links, bool unique)
{
  if (!is_sorted(links)) qsort(links->link, (size_t)links->count, sizeof *links->link, compare);
  int kept = 0;
  for (int m = 0; m < links->count && unique; m++)
    if (!kept || compare(links->link + kept - 1, links->link + m) != 0)
      links->link[kept++] = links->link[m];
  if (unique) links->count = kept;
}

int hymgi_links_find(const hymgi_links *links, int rank, int64_t id)
{
  const hymgi_link wanted = {rank, 0, id};
  int low = 0, high = links->count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (compare(links->link + middle, &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < links->count && compare(links->link + low, &wanted) == 0 ? low : -1;
}

void hymgi_links_release(hymgi_links *links)
{
  free(links->link);
  *links = (hymgi_links){0};
}

/* ---- plans ---- */

/* The end of those with the rank of link m. */
static int end_of_rank(const hymgi_links *links, int m)
{
  int end = m;
  while (end < links->count && links->link[end].rank == links->link[m].rank)
    end++;
  return end;
}

static int ranks_of(const hymgi_links *links)
{
  int ranks = 0;
  for (int m = 0; m < links->count; m = end_of_rank(links, m))
    ranks++;
  return ranks;
}

static void fill(const hymgi_links *links, int64_t *message, int64_t *place)
{
  for (int m = 0; m < links->count; m++)
    place[m] = links->link[m].at;
  for (int m = 0, end; m < links->count; m = end) {
    end = end_of_rank(links, m);
    *message++ = links->link[m].rank;
    *message++ = end - m;
  }
}

hymg_status hymgi_links_plan(hymg_context *context, const hymgi_index_mover *by,
                             const hymgi_links *out, const hymgi_links *in, int tag,
                             hymgi_index_plan **plan)
{
  const hymgi_index_sizes sizes = {
      .sends = ranks_of(out), .receives = ranks_of(in), .out = out->count, .in = in->count};
  TRY(hymgi_index_plan_create(context, by, &sizes, tag, plan));
  fill(out, (*plan)->sends, (*plan)->from);
  fill(in, (*plan)->receives, (*plan)->to);
  return HYMG_OK;
}

/* ---- words ---- */

static hymg_status lacking(hymg_context *context)
{
  return hymgi_fail(context, HYMG_ENOMEM, "no memory for parts of graphs");
}

hymg_status hymgi_parcels_create(hymg_context *context, const hymgi_links *ranks,
                                 hymgi_parcels *parcels)
{
  const size_t count = (size_t)ranks_of(ranks);
  parcels->rank = malloc((count + 1) * sizeof *parcels->rank);
  parcels->first = calloc(count + 1, sizeof *parcels->first);
  if (!parcels->rank || !parcels->first) return lacking(context);
  for (int m = 0; m < ranks->count; m = end_of_rank(ranks, m))
    parcels->rank[parcels->count++] = ranks->link[m].rank;
  return HYMG_OK;
}

void hymgi_parcels_release(hymgi_parcels *parcels)
{
  free(parcels->rank);
  free(parcels->first);
  free(parcels->word);
  *parcels = (hymgi_parcels){0};
}

/* Each rank's words, as first says; sizes: a word for each, in place of these. */
static void post(hymg_context *context, hymgi_requests *requests, bool sends, int tag,
                 const hymgi_parcels *parcels, int64_t *sizes)
{
  for (int m = 0; m < parcels->count; m++) {
    const int64_t words = sizes ? 1 : parcels->first[m + 1] - parcels->first[m];
    double *const data = (double *)(void *)(sizes ? sizes + m : parcels->word + parcels->first[m]);
    if (!words) continue;
    const hymg_status status = hymgi_comm_post(context, requests, sends, parcels->rank[m],
                                               tag + !sizes, data, (size_t)words);
    if (context->status == HYMG_OK) context->status = status;
  }
}

static hymg_status await(hymg_context *context, hymgi_requests *requests)
{
  const hymg_status status = hymgi_comm_wait(context, requests);
  if (context->status == HYMG_OK) context->status = status;
  return hymgi_agree(context, context->status);
}

static hymg_status pass_sizes(hymg_context *context, hymgi_requests *requests, int tag,
                              const hymgi_parcels *out, hymgi_parcels *in, int64_t *size)
{
  for (int m = 0; m < out->count; m++)
    size[m] = out->first[m + 1] - out->first[m];
  post(context, requests, false, tag, in, in->first + 1);
  post(context, requests, true, tag, out, size);
  TRY(await(context, requests));
  for (int m = 0; m < in->count; m++)
    in->first[m + 1] += in->first[m];
  in->word = malloc(((size_t)in->first[in->count] + 1) * sizeof *in->word);
  return hymgi_agree(context, in->word ? HYMG_OK : lacking(context));
}

hymg_status hymgi_parcels_pass(hymg_context *context, hymg_status status, int tag,
                               const hymgi_parcels *out, hymgi_parcels *in)
{
  hymgi_requests *requests = NULL;
  int64_t *const size = malloc(((size_t)out->count + 1) * sizeof *size);
  if (status == HYMG_OK && !size) status = lacking(context);
  if (status == HYMG_OK) status = hymgi_requests_create(context, out->count + in->count, &requests);
  status = hymgi_agree(context, status);
  if (status == HYMG_OK) status = pass_sizes(context, requests, tag, out, in, size);
  if (status == HYMG_OK) {
    post(context, requests, false, tag, in, NULL);
    post(context, requests, true, tag, out, NULL);
    status = await(context, requests);
  }
  hymgi_requests_destroy(&requests);
  free(size);
  return status;
}
