/* Whose the nodes are (graph_split.h). */
#include "hierarchy/graph_split.h"

#include <stdlib.h>

enum { LANES = HYMGI_LANES };

static hymg_status lacking(const hymgi_graph_splits *all)
{
  return hymgi_fail(all->context, HYMG_ENOMEM, "no memory for the parts of graphs");
}

/* ---- whose nodes are whose ---- */

static void find_ranks(const hymgi_graph_splits *all, int l)
{
  const hymgi_graph_split *const s = all->of + l;
  const hymgi_graph *const g = s->graph, *const above = g - 1;
  for (int i = 0; i < g->n; i++)
    s->rank[i] =
        l == 0 ? (int)all->places.rank[g->at[i]] : s[-1].rank[above->child[above->first[i]]];
}

static void list_members(const hymgi_graph_splits *all, const hymgi_graph_split *s)
{
  int *const next = s->first;
  for (int i = 0; i < s->graph->n; i++)
    s->local[i] = next[s->rank[i] + 1]++;
  for (int r = 0; r < all->ranks; r++)
    next[r + 1] += next[r];
  for (int i = 0; i < s->graph->n; i++)
    s->member[s->first[s->rank[i]] + s->local[i]] = i;
}

/* Weights are 0 where edges are missing. */
static void find_lengths(const hymgi_graph_split *s)
{
  const hymgi_graph *const g = s->graph;
  for (int i = 0; g->packed && i < g->n; i++) {
    const int end = g->slice[i / LANES + 1];
    int row = g->slice[i / LANES];
    while (row < end && g->weight[(ptrdiff_t)LANES * row + i % LANES] > 0)
      row++;
    s->length[i] = row - g->slice[i / LANES];
  }
}

static hymg_status begin_split(hymgi_graph_splits *all, const hymgi_graph graphs[], int l)
{
  hymgi_graph_split *const s = all->of + l;
  s->graph = graphs + l;
  const size_t n = (size_t)s->graph->n, ends = (size_t)all->ranks + 1;
  s->rank = malloc(5 * (n + 1) * sizeof *s->rank);
  s->first = calloc(ends, sizeof *s->first);
  s->first_ghost = calloc(2 * ends, sizeof *s->first_ghost);
  if (!s->rank || !s->first || !s->first_ghost) return lacking(all);
  s->local = s->rank + n, s->member = s->local + n, s->slot = s->member + n;
  s->length = s->slot + n;
  s->first_asked = s->first_ghost + ends;
  for (size_t i = 0; i < n; i++)
    s->slot[i] = -1;
  find_ranks(all, l);
  list_members(all, s);
  find_lengths(s);
  return HYMG_OK;
}

/* ---- which ones a rank reads of others ---- */

static int owner_of(int64_t ghost)
{
  return (int)(ghost >> 32);
}

/* Once, as the slot then has the rank's number. */
static bool want(hymgi_graph_split *s, int r, int place)
{
  if (s->rank[place] == r || s->slot[place] == r) return true;
  if (s->ghosts == s->room) {
    s->room = 2 * s->room + 1024;
    int64_t *const larger = realloc(s->ghost, (size_t)s->room * sizeof *larger);
    if (!larger) return false;
    s->ghost = larger;
  }
  s->slot[place] = r;
  s->ghost[s->ghosts++] = (int64_t)s->rank[place] << 32 | place;
  return true;
}

static bool want_neighbours(hymgi_graph_split *s, int r)
{
  const hymgi_graph *const g = s->graph;
  bool done = true;
  for (const int *i = hymgi_split_members(s, r), *end = i + hymgi_split_count(s, r); i < end; i++)
    for (int m = 0; m < s->length[*i] && done; m++)
      done = want(s, r, g->to[hymgi_split_edge(g, *i, m)]);
  return done;
}

static bool want_relatives(hymgi_graph_split *s, int r)
{
  const hymgi_graph *const g = s->graph;
  hymgi_graph_split *const coarse = s + 1;
  bool done = true;
  for (const int *i = hymgi_split_members(s, r), *end = i + hymgi_split_count(s, r);
       i < end && done; i++)
    done = want(coarse, r, g->parent[*i]);
  for (const int *I = hymgi_split_members(coarse, r), *end = I + hymgi_split_count(coarse, r);
       I < end; I++)
    for (int m = g->first[*I]; m < g->first[*I + 1] && done; m++)
      done = want(s, r, g->child[m]);
  return done;
}

static int ascending(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static hymg_status list_ghosts(hymgi_graph_splits *all, int r)
{
  for (int l = 0; l < all->places.gathered; l++)
    if ((l > 0 && !want_neighbours(all->of + l, r)) || !want_relatives(all->of + l, r))
      return lacking(all);
  for (hymgi_graph_split *s = all->of; s <= all->of + all->places.gathered; s++) {
    const int64_t from = s->first_ghost[r];
    if (s->ghosts > from)
      qsort(s->ghost + from, (size_t)(s->ghosts - from), sizeof *s->ghost, ascending);
    s->first_ghost[r + 1] = s->ghosts;
  }
  return HYMG_OK;
}

/* The ghosts of all ranks once more, by owner. */
static hymg_status list_asked(const hymgi_graph_splits *all, hymgi_graph_split *s)
{
  int64_t *const next = s->first_asked;
  s->asked = malloc(2 * ((size_t)s->ghosts + 1) * sizeof *s->asked);
  if (!s->asked) return lacking(all);
  s->asker = s->asked + s->ghosts;
  for (int64_t q = 0; q < s->ghosts; q++)
    next[owner_of(s->ghost[q]) + 1]++;
  for (int r = 0; r < all->ranks; r++)
    next[r + 1] += next[r];
  for (int r = 0; r < all->ranks; r++)
    for (int64_t q = s->first_ghost[r]; q < s->first_ghost[r + 1]; q++) {
      const int64_t at = next[owner_of(s->ghost[q])]++;
      s->asked[at] = s->local[hymgi_split_place(s->ghost[q])], s->asker[at] = r;
    }
  for (int r = all->ranks; r > 0; r--)
    next[r] = next[r - 1];
  next[0] = 0;
  return HYMG_OK;
}

hymg_status hymgi_graph_splits_make(hymgi_graph_splits *all, const hymgi_graph graphs[])
{
  for (int l = 0; l <= all->places.gathered; l++)
    TRY(begin_split(all, graphs, l));
  for (int r = 0; r < all->ranks; r++)
    TRY(list_ghosts(all, r));
  for (int l = 0; l < all->places.gathered; l++)
    TRY(list_asked(all, all->of + l));
  return HYMG_OK;
}
void hymgi_graph_splits_release(hymgi_graph_splits *all)
{
  for (hymgi_graph_split *s = all->of; s < all->of + HYMGI_MAX_GRAPHS; s++) {
    free(s->rank);
    free(s->first);
    free(s->ghost);
    free(s->first_ghost);
    free(s->asked);
  }
}

/* ---- plans ---- */

static void add_message(int64_t *list, int64_t *count, int rank, int64_t entries)
{
  if (list) list[2 * *count] = rank, list[2 * *count + 1] = entries;
  ++*count;
}

/* Messages to those that ask for nodes of rank r, into the list if there is one; returns how many. */
static int64_t list_sends(const hymgi_graph_split *s, int r, int64_t *list)
{
  int64_t count = 0;
  for (int64_t q = s->first_asked[r], next; q < s->first_asked[r + 1]; q = next) {
    for (next = q; next < s->first_asked[r + 1] && s->asker[next] == s->asker[q];)
      next++;
    add_message(list, &count, s->asker[q], next - q);
  }
  return count;
}

static int64_t list_receives(const hymgi_graph_split *s, int r, int64_t *list)
{
  int64_t count = 0;
  for (int64_t q = s->first_ghost[r], next; q < s->first_ghost[r + 1]; q = next) {
    for (next = q;
         next < s->first_ghost[r + 1] && owner_of(s->ghost[next]) == owner_of(s->ghost[q]);)
      next++;
    add_message(list, &count, owner_of(s->ghost[q]), next - q);
  }
  return count;
}

static hymgi_index_sizes halo_sizes(const hymgi_graph_split *s, int r)
{
  return (hymgi_index_sizes){.sends = list_sends(s, r, NULL),
                             .receives = list_receives(s, r, NULL),
                             .out = s->first_asked[r + 1] - s->first_asked[r],
                             .in = hymgi_split_ghosts(s, r)};
}

static void fill_halo(const hymgi_graph_splits *all, int l, int r, const hymgi_index_plan *plan)
{
  const hymgi_graph_split *const s = all->of + l;
  const int64_t ghosts = l ? (int64_t)hymgi_whole_slices(hymgi_split_count(s, r)) : 0;
  const int *const member = hymgi_split_members(s, r);
  list_sends(s, r, plan->sends);
  list_receives(s, r, plan->receives);
  for (int64_t q = 0; q < plan->sizes.out; q++) {
    const int node = s->asked[s->first_asked[r] + q];
    plan->from[q] = l ? node : (int64_t)all->places.place[s->graph->at[member[node]]];
  }
  for (int64_t q = 0; q < plan->sizes.in; q++)
    plan->to[q] = ghosts + q;
}

/* Of the first gathered graph: a rank's nodes and, where they are read, its ghosts. */
static int64_t entries_of(const hymgi_graph_split *s, int r, bool back)
{
  return hymgi_split_count(s, r) + (back ? hymgi_split_ghosts(s, r) : 0);
}

/* Messages between the root and the others. */
static int64_t list_others(const hymgi_graph_splits *all, bool back, int64_t *list)
{
  const hymgi_graph_split *const s = all->of + all->places.gathered;
  int64_t count = 0;
  for (int r = 0; r < all->ranks; r++)
    if (r != all->places.root && entries_of(s, r, back))
      add_message(list, &count, r, entries_of(s, r, back));
  return count;
}

static hymgi_index_sizes gather_sizes(const hymgi_graph_splits *all, int r, bool back)
{
  const hymgi_graph_split *const s = all->of + all->places.gathered;
  const int64_t entries = entries_of(s, r, back);
  if (r != all->places.root)
    return back ? (hymgi_index_sizes){.receives = entries > 0, .in = entries}
                : (hymgi_index_sizes){.sends = entries > 0, .out = entries};
  const int64_t messages = list_others(all, back, NULL);
  const int64_t total = s->graph->n + (back ? s->ghosts : 0), others = total - entries;
  return back ? (hymgi_index_sizes){.sends = messages, .out = others, .own = entries}
              : (hymgi_index_sizes){.receives = messages, .in = others, .own = entries};
}

/* Places in a rank's part. */
static int64_t *list_part(const hymgi_graph_split *s, int r, bool back, int64_t *to)
{
  const int64_t n = hymgi_split_count(s, r), ghosts = (int64_t)hymgi_whole_slices((int)n) - n;
  for (int64_t q = 0; q < entries_of(s, r, back); q++)
    *to++ = q < n ? q : q + ghosts;
  return to;
}

/* The same entries in the whole graph. */
static int64_t *list_whole(const hymgi_graph_split *s, int r, bool back, int64_t *to)
{
  for (int q = 0; q < hymgi_split_count(s, r); q++)
    *to++ = hymgi_split_members(s, r)[q];
  for (int64_t q = s->first_ghost[r]; back && q < s->first_ghost[r + 1]; q++)
    *to++ = hymgi_split_place(s->ghost[q]);
  return to;
}

static void fill_gather(const hymgi_graph_splits *all, int r, bool back,
                        const hymgi_index_plan *plan)
{
  const hymgi_graph_split *const s = all->of + all->places.gathered;
  const int root = all->places.root;
  int64_t *const messages = back == (r == root) ? plan->sends : plan->receives;
  int64_t *const part = back ? plan->to : plan->from, *whole = back ? plan->from : plan->to;
  list_part(s, r, back, part);
  if (r != root && plan->sizes.sends + plan->sizes.receives)
    messages[0] = root, messages[1] = entries_of(s, r, back);
  if (r != root) return;
  list_others(all, back, messages);
  for (int other = 0; other < all->ranks; other++)
    if (other != root) whole = list_whole(s, other, back, whole);
  list_whole(s, root, back, whole);
}

hymgi_index_sizes hymgi_split_plan_sizes(const hymgi_graph_splits *all, int l, int r)
{
  const int gathered = all->places.gathered;
  return l < gathered ? halo_sizes(all->of + l, r) : gather_sizes(all, r, l > gathered);
}

void hymgi_split_plan_fill(const hymgi_graph_splits *all, int l, int r,
                           const hymgi_index_plan *plan)
{
  const int gathered = all->places.gathered;
  if (l < gathered)
    fill_halo(all, l, r, plan);
  else
    fill_gather(all, r, l > gathered, plan);
}
