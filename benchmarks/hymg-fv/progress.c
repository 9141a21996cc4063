/* One line on standard error that says what the program does and how long it will take, for terminals
 * alone. */
#include "hymg-fv/run.h"

#include "common/kit/terminal.h"
#include "common/kit/timing.h"
#include <stdarg.h>
#include <stdio.h>

/* A line that changes more often cannot be read. */
static const double least_seconds = 0.1;

bool fv_decorates(const fv_options *o)
{
  return !o->quiet && !(o->json && terminal_is_stdout(o->json));
}

void fv_progress_start(fv_run *run)
{
  run->progress =
      hymg_context_rank(run->context) == 0 && fv_decorates(run->options) && terminal_is(stderr);
}

void fv_progress(fv_run *run, const char *format, ...)
{
  char text[256] = "";
  va_list list;
  if (!run->progress || (format && fv_clock() < run->progress_shown + least_seconds)) return;
  run->progress_shown = format ? fv_clock() : 0.0;
  if (format) {
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
  }
  terminal_show(stderr, text);
}

/* "14 s", "3 min 20 s", "2 h 05 min" */
static void write_time(double seconds, char *text, size_t size)
{
  const int s = (int)seconds + 1, minutes = s / 60;
  if (s < 60)
    snprintf(text, size, "%d s", s);
  else if (minutes < 60)
    snprintf(text, size, "%d min %02d s", minutes, s % 60);
  else
    snprintf(text, size, "%d h %02d min", minutes / 60, minutes % 60);
}

static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* A size has an eighth of the cells of the one before it. */
static double seconds_left(const fv_run *run, int sizes_after, int warmed, int solves, double total)
{
  const fv_options *o = run->options;
  double each = run->solve_seconds;
  double left =
      (o->warmup - warmed) * each + larger((o->min_solves - solves) * each, o->min_seconds - total);
  for (; sizes_after > 0; sizes_after--) {
    each /= 8;
    left += o->warmup * each + larger(o->min_solves * each, o->min_seconds);
  }
  return larger(left, 0);
}

void fv_progress_solves(fv_run *run, const int n[3], int sizes_after, int warmed, int solves,
                        double total)
{
  char left[32], time[64] = "", what[64];
  if (run->solve_seconds > 0) {
    write_time(seconds_left(run, sizes_after, warmed, solves, total), left, sizeof left);
    snprintf(time, sizeof time, ", %s left", left);
  }
  if (warmed < run->options->warmup)
    snprintf(what, sizeof what, "warm-up %d of %d", warmed + 1, run->options->warmup);
  else
    snprintf(what, sizeof what, "solve %d, at least %d", solves + 1, run->options->min_solves);
  fv_progress(run, "%d x %d x %d cells: %s%s", n[0], n[1], n[2], what, time);
}
