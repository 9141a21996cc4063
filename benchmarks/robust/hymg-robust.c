/* hymg-robust: hard problems by name or by keys. Exit status: 0 done; 1 a problem that was given
 * did not converge; 2 bad input; 3 failure at run time. */
#include "robust/hymg-robust.h"
#include "common/kit/machine.h"
#include "common/start.h"

#include <stdlib.h>
#include <string.h>

static bool is_first(void)
{
  return start_rank() == 0;
}

/* Is the only word one that stands for several names? Then those from *first up to *end. */
static bool is_group(const robust_options *o, int *first, int *end)
{
  const char *word = o->line.num_words == 1 ? o->line.word[0] : "";
  const bool masks = strcmp(word, "masks") == 0, sources = strcmp(word, "sources") == 0;
  *first = masks ? robust_first_mask : sources ? robust_num_all : 0;
  *end = masks ? robust_num_names : sources ? robust_first_mask : robust_num_all;
  return masks || sources || strcmp(word, "all") == 0;
}

/* Reads each problem's options: by the words of the command line, or of a group, or the options alone. */
static bool read_problems(int argc, char **argv, const robust_options *o, robust_results *all,
                          int *code)
{
  const int words = o->line.num_words;
  int first, end;
  const bool group = is_group(o, &first, &end);
  const int count = group ? end - first : words > 0 ? words : 1;
  all->result = calloc((size_t)count, sizeof *all->result);
  *code = EXIT_AT_RUN_TIME;
  if (!all->result) return false;
  for (int n = 0; n < count; n++, all->count++) {
    const robust_name *name = group ? robust_names + first + n : NULL;
    *code = EXIT_BAD_INPUT;
    if (!group && words > 0 && !(name = robust_find(o, o->line.word[n]))) return false;
    all->result[n].name = name ? name->name : robust_coefficient_words[o->coefficients];
    if (!robust_options_read(argc, argv, name, &all->result[n].options, code)) {
      robust_options_free(&all->result[n].options);
      return false;
    }
  }
  return true;
}

/* Before any work, on the rank that writes. */
static bool can_write(const robust_options *o)
{
  return !is_first() || (output_check("hymg-robust", "--json", o->json) &&
                         output_check("hymg-robust", "--csv", o->csv));
}

/* The first failure is the exit status. */
static int solve_all(robust_results *all, bool judged)
{
  int code = 0;
  if (is_first()) robust_print_head(&all->result[0].options);
  for (int n = 0; n < all->count && code < EXIT_BAD_INPUT; n++) {
    robust_result *r = &all->result[n];
    int why = 0;
    if (!robust_solve(all->context, r, &why)) {
      if (is_first()) fprintf(stderr, "hymg-robust: %s: failed\n", r->name);
      return why;
    }
    if (is_first()) robust_print_result(r, &all->csv);
    if (judged && !r->result.converged) code = EXIT_WRONG;
  }
  if (is_first() && all->count > 1) robust_print_summary(all);
  return code;
}

static int solve_and_write(const robust_options *o, robust_results *all)
{
  hymg_context_options options = hymg_context_options_default();
  options.threads = o->threads;
  const hymg_status status = start_context(&options, &all->context);
  if (status != HYMG_OK) {
    fprintf(stderr, "hymg-robust: context failed: %s\n", hymg_status_text(status));
    start_abort(EXIT_AT_RUN_TIME);
  }
  int first, end;
  const bool judged = !is_group(o, &first, &end);
  int code = solve_all(all, judged);
  const bool done = code < EXIT_BAD_INPUT;
  if (is_first() && done && o->json &&
      !output_save("hymg-robust", "--json", o->json, json_write, all))
    code = EXIT_AT_RUN_TIME;
  if (is_first() && !rows_close(&all->csv, done)) code = EXIT_AT_RUN_TIME;
  hymg_context_destroy(&all->context);
  return code;
}

static int run(int argc, char **argv)
{
  robust_options o;
  const run_info info = {.program = "hymg-robust",
                         .argc = argc,
                         .argv = argv,
                         .ranks = start_ranks() > 1 ? start_ranks() : 0};
  robust_results all = {.count = 0};
  int code;
  bool ok = robust_options_read(argc, argv, NULL, &o, &code);
  if (ok && o.list) {
    if (is_first()) robust_print_list();
    code = 0;
  } else if (ok) {
    ok = read_problems(argc, argv, &o, &all, &code) && can_write(&o);
    all.csv = (csv_table){.run = &info, .name = o.csv, .columns = robust_csv_columns};
    if (ok) code = solve_and_write(&o, &all);
  }
  for (int n = 0; n < all.count; n++)
    robust_result_free(&all.result[n]);
  free(all.result);
  robust_options_free(&o);
  return code;
}

int main(int argc, char **argv)
{
  return start_program("hymg-robust", argc, argv, run);
}
