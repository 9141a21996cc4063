/* Several solves by one call: right-hand sides of a solver, or a batch of solvers, at the same time where these are of different
 * contexts. A context is what one thread works with: it has the status, the error text, the team of threads and, on a GPU, the
 * stream, so that nothing of a solve has to know of others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/solve/solve.h"

/* ---- results of several solves of one solver ---- */

typedef struct hymgi_kept {
  struct hymgi_kept *next;
  char note[512];
  hymg_cycle_record history[];
} hymgi_kept;

void hymgi_results_forget(hymg_solver *solver)
{
  for (hymgi_kept *k = solver->kept, *next; k; k = next) {
    next = k->next;
    free(k);
  }
  solver->kept = NULL;
}

/* Copies what the next solve overwrites. */
static hymg_status keep(hymg_solver *solver, hymg_result *result)
{
  const size_t size = (size_t)result->cycles * sizeof *result->history;
  hymgi_kept *const k = malloc(sizeof *k + size);
  if (!k)
    return hymgi_fail(solver->h.context, HYMG_ENOMEM, "no memory for %d records", result->cycles);
  memcpy(k->note, result->note, sizeof k->note);
  memcpy(k->history, result->history, size);
  result->note = k->note, result->history = k->history;
  k->next = solver->kept;
  solver->kept = k;
  return HYMG_OK;
}

/* ---- one of them ---- */

typedef struct job {
  hymg_solver *solver;
  const hymg_field *f;
  hymg_field *u;
  hymg_result *result; /* never NULL */
} job;

/* Collective. kind, number: what a failure's text begins with. */
static void run(const job *j, const char *kind, int number)
{
  hymg_context *c = j->solver->h.context;
  hymg_result r;
  hymg_status status = hymgi_solve_once(j->solver, 0, j->f, j->u, &r);
  if (status == HYMG_OK) status = hymgi_agree(c, keep(j->solver, &r));
  *j->result = status == HYMG_OK ? r : (hymg_result){.status = status};
  if (status == HYMG_OK) return;
  char text[sizeof c->error];
  snprintf(text, sizeof text, "%.400s", c->error);
  hymgi_fail(c, status, "%s %d: %s", kind, number, text);
}

static hymg_status first_failure(int count, const hymg_result results[])
{
  for (int m = 0; m < count; m++)
    TRY(results[m].status);
  return HYMG_OK;
}

/* The caller's results, or some of our own; NULL: no memory. */
static hymg_result *results_of(int count, hymg_result results[])
{
  return results ? results : calloc((size_t)count + 1, sizeof *results);
}

/* ---- right-hand sides ---- */

static hymg_status check_many(const hymg_solver *solver, int count, const hymg_field *const f[],
                              hymg_field *const u[], const hymg_result results[])
{
  hymg_context *c = solver->h.context;
  if (count < 0)
    return hymgi_fail(c, HYMG_EINVAL, "hymg_solve_many: %d right-hand sides: at least 0", count);
  if (!f || !u) return hymgi_fail(c, HYMG_EINVAL, "hymg_solve_many: f or u is NULL");
  return results ? HYMG_OK
                 : hymgi_fail(c, HYMG_ENOMEM, "no memory for the results of %d solves", count);
}

static hymg_status solve_many(hymg_solver *solver, int count, const hymg_field *const f[],
                              hymg_field *const u[], hymg_result results[])
{
  hymg_context *c = solver->h.context;
  char text[sizeof c->error] = "";
  bool stopped = false;
  for (int m = 0; m < count; m++) {
    const job j = {solver, f[m], u[m], results + m};
    if (stopped)
      results[m] = (hymg_result){.reason = HYMG_REASON_STOPPED, .path = solver->path.path};
    else
      run(&j, "right-hand side", m);
    stopped = results[m].status == HYMG_OK && results[m].reason == HYMG_REASON_STOPPED;
    if (results[m].status != HYMG_OK && !*text) memcpy(text, c->error, sizeof text);
  }
  const hymg_status status = first_failure(count, results);
  return status == HYMG_OK ? status : hymgi_fail(c, status, "%s", text);
}

hymg_status hymg_solve_many(hymg_solver *solver, int count, const hymg_field *const f[],
                            hymg_field *const u[], hymg_result results[])
{
  if (!solver) return HYMG_EINVAL;
  hymg_result *const r = results_of(count < 0 ? 0 : count, results);
  hymgi_arguments a;
  hymgi_solver_arguments(&a, "hymg_solve_many", solver);
  hymgi_arguments_whole(&a, "count", count);
  hymgi_results_forget(solver);
  hymg_status status = hymgi_agree_on(solver->h.context, check_many(solver, count, f, u, r), &a);
  if (status == HYMG_OK) status = solve_many(solver, count, f, u, r);
  if (!results) free(r);
  return status;
}

/* ---- batches ---- */

typedef struct batch {
  const job *jobs;
  int *order, groups; /* numbers of jobs, by context; first[g]: of group g's in it */
  int *first;
} batch;

static void run_in_batch(const batch *b, int number)
{
  run(b->jobs + number, "system", number);
}

/* Group g, whose context has one thread now. */
static void run_group(int g, void *user)
{
  const batch *const b = user;
  hymg_context *c = b->jobs[b->order[b->first[g]]].solver->h.context;
  const hymgi_team team = c->team;
  c->team = hymgi_team_of(1);
  for (int m = b->first[g]; m < b->first[g + 1]; m++)
    run_in_batch(b, b->order[m]);
  c->team = team;
}

static bool is_alone(const job *j)
{
  return j->solver && !j->solver->h.context->comm;
}

typedef struct place {
  const hymg_context *context;
  int number;
} place;

static int by_context(const void *a, const void *b)
{
  const place *const p = a, *const q = b;
  const uintptr_t x = (uintptr_t)p->context, y = (uintptr_t)q->context;
  return x != y ? (x > y) - (x < y) : (p->number > q->number) - (p->number < q->number);
}

/* Those of contexts without a communicator, by context, in their order. False: no memory. */
static bool group(int count, batch *b)
{
  place *const at = malloc(((size_t)count + 1) * sizeof *at);
  b->order = malloc(((size_t)count + 1) * sizeof *b->order);
  b->first = malloc(((size_t)count + 1) * sizeof *b->first);
  const bool ok = at && b->order && b->first;
  int many = 0;
  for (int m = 0; ok && m < count; m++)
    if (is_alone(b->jobs + m)) at[many++] = (place){b->jobs[m].solver->h.context, m};
  if (ok && many) qsort(at, (size_t)many, sizeof *at, by_context);
  for (int m = 0; m < many; m++) {
    if (m == 0 || at[m].context != at[m - 1].context) b->first[b->groups++] = m;
    b->order[m] = at[m].number;
  }
  if (ok) b->first[b->groups] = many;
  free(at);
  return ok;
}

/* The time that a solve takes by so many threads, in cells visited by one. On a GPU threads do not matter. */
static double time_of(const hymg_solver *solver, int threads)
{
  double sum = 0;
  for (const hymgi_level *l = solver->h.level; l < solver->h.level + solver->h.num_levels; l++) {
    const bool host = l->backend->id == HYMG_BACKEND_HOST;
    sum += (double)l->cells / (host ? hymgi_team_worth(l->cells, threads) : 1);
  }
  return sum;
}

/* Several threads of a context work well on so many cells: those of larger systems share caches and were the first to touch
 * their part of the vectors. */
enum { LARGE = 64 * 64 * 64 };

static bool is_for_a_team(const hymg_solver *solver)
{
  return solver->h.level->backend->id == HYMG_BACKEND_HOST && solver->h.context->threads > 1 &&
         solver->h.level->cells > LARGE;
}

/* How many threads, for a context each; 1: one after the other, with their own threads, is faster. */
static int choose_workers(const batch *b)
{
  double in_turn = 0, all = 0, longest = 0;
  int64_t threads = 0;
  bool teams = false;
  for (int g = 0; g < b->groups; g++) {
    double own = 0;
    for (int m = b->first[g]; m < b->first[g + 1]; m++) {
      const hymg_solver *s = b->jobs[b->order[m]].solver;
      own += time_of(s, 1);
      in_turn += time_of(s, s->h.context->threads);
      teams = teams || is_for_a_team(s);
    }
    threads += b->jobs[b->order[b->first[g]]].solver->h.context->threads;
    longest = own > longest ? own : longest;
    all += own;
  }
  const int most = hymgi_backend_threads(0, 1);
  int64_t workers = b->groups < threads ? b->groups : threads;
  workers = workers < most ? workers : most;
  const double shared = workers > 0 ? all / (double)workers : 0;
  return !teams && (shared > longest ? shared : longest) < in_turn ? (int)workers : 1;
}

static void run_batch(int workers, int count, batch *b)
{
  const bool grouped = workers != 1 && group(count, b);
  if (grouped && workers == 0) workers = choose_workers(b);
  const bool together = grouped && workers > 1;
  for (int m = 0; m < count; m++)
    if (b->jobs[m].solver && !(together && is_alone(b->jobs + m))) run_in_batch(b, m);
  if (together) hymgi_run_side_by_side(workers, b->groups, run_group, b);
  free(b->order);
  free(b->first);
}

hymg_status hymgi_solve_batch_by(int workers, int count, hymg_solver *const solver[],
                                 const hymg_field *const f[], hymg_field *const u[],
                                 hymg_result results[])
{
  if (count < 0 || !solver || !f || !u) return HYMG_EINVAL;
  hymg_result *const r = results_of(count, results);
  job *const jobs = malloc(((size_t)count + 1) * sizeof *jobs);
  hymg_status status = r && jobs ? HYMG_OK : HYMG_ENOMEM;
  for (int m = 0; status == HYMG_OK && m < count; m++) {
    jobs[m] = (job){solver[m], f[m], u[m], r + m};
    r[m] = (hymg_result){.status = HYMG_EINVAL}; /* where solver[m] is NULL */
    if (solver[m]) hymgi_results_forget(solver[m]);
  }
  if (status == HYMG_OK) {
    batch b = {.jobs = jobs};
    run_batch(workers, count, &b);
    status = first_failure(count, r);
  }
  free(jobs);
  if (!results) free(r);
  return status;
}

hymg_status hymg_solve_batch(int count, hymg_solver *const solver[], const hymg_field *const f[],
                             hymg_field *const u[], hymg_result results[])
{
  return hymgi_solve_batch_by(0, count, solver, f, u, results);
}
