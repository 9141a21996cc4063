/* Where levels go and what they take: the tuning file, kept and read; the memory told before it is
 * taken; which machines there are. */
#define _XOPEN_SOURCE 700
#include "api/solver.h"
#include "hierarchy/schedules.h"
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the tuning file ---- */

typedef struct folder {
  char name[64], file[80], note[256];
} folder;

static folder make_folder(void)
{
  folder d = {.name = "/tmp/hymg-test-XXXXXX"};
  ck_assert_ptr_nonnull(mkdtemp(d.name));
  snprintf(d.file, sizeof d.file, "%s/tuning", d.name);
  return d;
}

/* Nothing but the file may be left in the folder. */
static void remove_folder(const folder *d)
{
  unlink(d->file);
  ck_assert_msg(rmdir(d->name) == 0, "something is left beside the tuning file in %s", d->name);
}

static void write_text(const folder *d, const char *text)
{
  FILE *file = fopen(d->file, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

static void assert_text(const folder *d, const char *want)
{
  char text[4096];
  FILE *file = fopen(d->file, "r");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  ck_assert_str_eq(text, want);
}

static void assert_found(folder *d, const char *key, int64_t host, int64_t tail)
{
  hymgi_thresholds t = {-7, -7};
  ck_assert_msg(hymgi_tuning_find(d->file, key, &t, d->note), "%s is not found: %s", key, d->note);
  ck_assert_int_eq(t.host_cells, host);
  ck_assert_int_eq(t.tail_cells, tail);
}

static void assert_missing(folder *d, const char *key)
{
  hymgi_thresholds t = {-7, -7};
  ck_assert_msg(!hymgi_tuning_find(d->file, key, &t, d->note), "%s is found", key);
  ck_assert_int_eq(t.host_cells, -7);
  ck_assert_int_eq(t.tail_cells, -7);
}

START_TEST(what_is_kept_is_found_again)
{
  folder d = make_folder();
  assert_missing(&d, "a | b");
  ck_assert(hymgi_tuning_keep(d.file, "a | b", &(hymgi_thresholds){513, 0}, d.note));
  ck_assert(hymgi_tuning_keep(d.file, "c", &(hymgi_thresholds){0, 4097}, d.note));
  assert_found(&d, "a | b", 513, 0);
  assert_found(&d, "c", 0, 4097);
  assert_missing(&d, "a");
  ck_assert(hymgi_tuning_keep(d.file, "a | b", &(hymgi_thresholds){65, 1}, d.note));
  assert_found(&d, "a | b", 65, 1);
  assert_text(&d, "hymg tuning 1\nc = host 0 tail 4097\na | b = host 65 tail 1\n");
  ck_assert_str_eq(d.note, "");
  remove_folder(&d);
}
END_TEST

START_TEST(broken_lines_are_ignored_and_dropped)
{
  folder d = make_folder();
  char text[3072] = "hymg tuning 1\n\nkey\nkey = host\nkey = host 5 tail\nkey = host -5 tail 0\n"
                    "key = host 5 tail 0 more\nkey = host 5 tail x\nother = host 1 tail 2\nlong ";
  memset(text + strlen(text), 'x', 2000);
  strcat(text, " = host 3 tail 4\nkey = host 7 tail 8");
  write_text(&d, text);
  assert_found(&d, "key", 7, 8);
  assert_found(&d, "other", 1, 2);
  assert_missing(&d, "long");
  assert_missing(&d, "");
  ck_assert(hymgi_tuning_keep(d.file, "new", &(hymgi_thresholds){9, 9}, d.note));
  assert_text(&d, "hymg tuning 1\nother = host 1 tail 2\nkey = host 7 tail 8\n"
                  "new = host 9 tail 9\n");
  ck_assert_str_eq(d.note, "");
  remove_folder(&d);
}
END_TEST

START_TEST(another_format_is_ignored_and_replaced)
{
  folder d = make_folder();
  write_text(&d, "hymg tuning 12\nkey = host 7 tail 8\n");
  assert_missing(&d, "key");
  ck_assert_str_eq(d.note, "");
  ck_assert(hymgi_tuning_keep(d.file, "new", &(hymgi_thresholds){9, 9}, d.note));
  assert_text(&d, "hymg tuning 1\nnew = host 9 tail 9\n");
  write_text(&d, "");
  assert_missing(&d, "key");
  ck_assert(hymgi_tuning_keep(d.file, "new", &(hymgi_thresholds){9, 9}, d.note));
  assert_found(&d, "new", 9, 9);
  remove_folder(&d);
}
END_TEST

START_TEST(a_foreign_file_is_left_alone)
{
  folder d = make_folder();
  const char *foreign = "int main(void) { return 0; }\n";
  write_text(&d, foreign);
  assert_missing(&d, "key");
  ck_assert_ptr_nonnull(strstr(d.note, "no tuning file"));
  d.note[0] = '\0';
  ck_assert(!hymgi_tuning_keep(d.file, "key", &(hymgi_thresholds){9, 9}, d.note));
  ck_assert_ptr_nonnull(strstr(d.note, "no tuning file"));
  assert_text(&d, foreign);
  remove_folder(&d);
}
END_TEST

START_TEST(what_cannot_be_written_is_noted)
{
  static const char *const path[] = {"/none/tuning", "/proc/hymg", "/dev", "/dev/null"};
  const hymgi_thresholds value = {9, 9};
  for (size_t m = 0; m < sizeof path / sizeof *path; m++) {
    char note[256] = "";
    ck_assert_msg(!hymgi_tuning_keep(path[m], "key", &value, note), "%s is written", path[m]);
    ck_assert_msg(strstr(note, path[m]) != NULL, "%s: the note is '%s'", path[m], note);
  }
}
END_TEST

START_TEST(a_link_stays_one_and_rights_are_kept)
{
  folder d = make_folder();
  char link[96];
  struct stat info;
  snprintf(link, sizeof link, "%s/link", d.name);
  write_text(&d, "hymg tuning 1\n");
  ck_assert_int_eq(chmod(d.file, 0644), 0);
  ck_assert_int_eq(symlink(d.file, link), 0);
  ck_assert(hymgi_tuning_keep(link, "key", &(hymgi_thresholds){1, 2}, d.note));
  assert_found(&d, "key", 1, 2);
  ck_assert_int_eq(lstat(link, &info), 0);
  ck_assert(S_ISLNK(info.st_mode));
  ck_assert_int_eq(stat(d.file, &info), 0);
  ck_assert_int_eq(info.st_mode & 0777, 0644);
  unlink(link);
  remove_folder(&d);
}
END_TEST

START_TEST(the_key_names_the_method)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "dr nn pp", 1);
  hymg_options o = hymg_options_preconditioner();
  c.spec.smoother = o.smoother, c.spec.sweeps = 6, c.spec.bottom = o.bottom;
  support_kit kit = support_open(&c.spec, NULL, &o);
  char key[HYMGI_KEY];
  hymgi_placement_key(&kit.solver->h, "a device", key);
  ck_assert_msg(
      strstr(key, "| a device | fv2 chebyshev 6 sweeps, interpolation v0, bottom sweeps |"), "%s",
      key);
  ck_assert_msg(strstr(key, "| 8 x 8 x 8 drnnpp | device memory, "), "%s", key);
  support_close(&kit);
  support_case_free(&c);
}
END_TEST

/* ---- the host's schedules ---- */

/* A solver that measures, and what it has chosen. */
typedef struct measured {
  int levels; /* measured now */
  hymgi_tuning tuning[HYMGI_SCHEDULES];
  char key[HYMGI_KEY]; /* of level 0 */
  char note[256];
} measured;

/* Levels of 32 x 32 x 64 cells, in double precision alone or in both. */
static void measure(const char *file, hymg_stencil stencil, hymg_precision precision, int threads,
                    measured *m)
{
  support_case c = support_case_of(stencil, (const int[3]){32, 32, 64}, "dd dd dd", 0);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.path = HYMG_PATH_STANDARD, o.backend = HYMG_BACKEND_HOST;
  o.precision = precision, o.tuning = HYMG_TUNE_MEASURE, o.tuning_file = file;
  support_kit k = support_open(&c.spec, &(support_layout){.threads = threads}, &o);
  hymg_tuning_info info;
  OK(k.context, hymg_solver_tuning(k.solver, &info));
  memset(m, 0, sizeof *m);
  m->levels = k.solver->levels_measured;
  snprintf(m->note, sizeof m->note, "%s", info.note);
  hymgi_schedule_key(&k.solver->h, 0, m->key);
  for (int l = 0; l < HYMGI_SCHEDULES; l++) {
    const hymgi_level *level = hymgi_scheduled_level(&k.solver->h, l);
    if (level) m->tuning[l] = level->tuning;
  }
  support_close(&k);
  support_case_free(&c);
}

static void assert_same_schedules(const measured *a, const measured *b)
{
  for (int l = 0; l < HYMGI_SCHEDULES; l++) {
    ck_assert_int_eq(a->tuning[l].wave_stages, b->tuning[l].wave_stages);
    ck_assert_int_eq(a->tuning[l].wave_rows, b->tuning[l].wave_rows);
    ck_assert_int_eq(a->tuning[l].wave_from, b->tuning[l].wave_from);
  }
}

START_TEST(schedules_that_are_known_are_not_measured)
{
  const hymg_stencil stencil = _i % 2 ? HYMG_FV4 : HYMG_FV2;
  const hymg_precision precision = _i / 2 ? HYMG_MIXED : HYMG_DOUBLE;
  folder d = make_folder();
  measured first, again, other;
  measure(d.file, stencil, precision, 2, &first);
  ck_assert_int_eq(first.levels, precision == HYMG_MIXED ? 2 : 1);
  ck_assert_str_eq(first.note, "");
  measure(d.file, stencil, precision, 2, &again);
  ck_assert_int_eq(again.levels, 0);
  assert_same_schedules(&first, &again);
  measure(d.file, stencil, precision, 1, &other); /* other threads */
  ck_assert_int_eq(other.levels, first.levels);
  measure(d.file, stencil == HYMG_FV2 ? HYMG_FV4 : HYMG_FV2, precision, 2, &other);
  ck_assert_int_eq(other.levels, first.levels);
  measure(d.file, stencil, precision, 2, &again); /* which is still there */
  ck_assert_int_eq(again.levels, 0);
  assert_same_schedules(&first, &again);
  measure(NULL, stencil, precision, 2, &again);
  ck_assert_int_eq(again.levels, first.levels);
  remove_folder(&d);
}
END_TEST

/* Any schedule that a measurement may choose is taken as it stands there, the others are measured. */
START_TEST(a_schedule_from_the_file_must_be_possible)
{
  static const struct {
    const char *value;
    int stages, rows; /* -1: not taken */
  } way[] = {{"stages 0 rows 0", 0, 0},        {"stages 2 rows 0", 2, 0},
             {"stages 6 rows 0", 6, 0},        {"stages 6 rows 100000", -1, -1},
             {"stages 6 rows 31", -1, -1},     {"stages 99 rows 0", -1, -1},
             {"stages 5 rows 0", -1, -1},      {"stages -1 rows 0", -1, -1},
             {"stages 6 rows -2", -1, -1},     {"stages 6", -1, -1},
             {"stages 6 rows 0 more", -1, -1}, {"stages 99999999999 rows 0", -1, -1},
             {"host 6 tail 0", -1, -1},        {"", -1, -1}};
  folder d = make_folder();
  char text[1024];
  measured first, m;
  measure(NULL, HYMG_FV2, HYMG_DOUBLE, 1, &first);
  for (size_t w = 0; w < sizeof way / sizeof *way; w++) {
    snprintf(text, sizeof text, "hymg tuning 1\n%s = %s\n", first.key, way[w].value);
    write_text(&d, text);
    measure(d.file, HYMG_FV2, HYMG_DOUBLE, 1, &m);
    ck_assert_str_eq(m.note, "");
    ck_assert_msg(m.levels == (way[w].stages < 0), "'%s': %d measured", way[w].value, m.levels);
    if (way[w].stages >= 0) {
      ck_assert_int_eq(m.tuning[0].wave_stages, way[w].stages);
      ck_assert_int_eq(m.tuning[0].wave_rows, way[w].rows);
      continue;
    }
    measure(d.file, HYMG_FV2, HYMG_DOUBLE, 1, &m); /* mended */
    ck_assert_int_eq(m.levels, 0);
  }
  remove_folder(&d);
}
END_TEST

START_TEST(another_machines_schedules_stay_its_own)
{
  folder d = make_folder();
  char text[1024], foreign[HYMGI_KEY];
  measured m;
  hymgi_schedule found = {-7, -7};
  measure(NULL, HYMG_FV2, HYMG_DOUBLE, 1, &m);
  char *cpu = strstr(m.key, "| host ");
  ck_assert_ptr_nonnull(cpu);
  snprintf(foreign, sizeof foreign, "%.*s| host an abacus%s", (int)(cpu - m.key), m.key,
           strstr(cpu, ", 1 threads"));
  snprintf(text, sizeof text, "hymg tuning 1\n%s = stages 6 rows 0\n", foreign);
  write_text(&d, text);
  measure(d.file, HYMG_FV2, HYMG_DOUBLE, 1, &m);
  ck_assert_int_eq(m.levels, 1);
  ck_assert(hymgi_schedule_find(d.file, foreign, &found, d.note));
  ck_assert_int_eq(found.stages, 6);
  ck_assert_int_eq(found.rows, 0);
  ck_assert(hymgi_schedule_find(d.file, m.key, &found, d.note));
  ck_assert_int_eq(found.stages, m.tuning[0].wave_stages);
  hymgi_thresholds t = {-7, -7};
  ck_assert(!hymgi_tuning_find(d.file, m.key, &t, d.note)); /* it is no placement */
  ck_assert_int_eq(t.host_cells, -7);
  remove_folder(&d);
}
END_TEST

START_TEST(schedules_that_cannot_be_kept_are_noted)
{
  const char *foreign = "int main(void) { return 0; }\n";
  folder d = make_folder();
  measured m;
  write_text(&d, foreign);
  measure(d.file, HYMG_FV2, HYMG_DOUBLE, 1, &m);
  ck_assert_int_eq(m.levels, 1);
  ck_assert_msg(strstr(m.note, "no tuning file") != NULL, "%s", m.note);
  assert_text(&d, foreign);
  measure("/none/tuning", HYMG_FV2, HYMG_DOUBLE, 1, &m);
  ck_assert_int_eq(m.levels, 1);
  ck_assert_msg(strstr(m.note, "/none/tuning: not written") != NULL, "%s", m.note);
  remove_folder(&d);
}
END_TEST

START_TEST(the_key_of_a_schedule_names_what_it_depends_on)
{
  measured m;
  measure(NULL, HYMG_FV4, HYMG_MIXED, 2, &m);
  ck_assert_msg(strncmp(m.key, HYMG_VERSION " | host ", strlen(HYMG_VERSION " | host ")) == 0, "%s",
                m.key);
  ck_assert_msg(strstr(m.key, " instruction sets, 2 threads, ") != NULL, "%s", m.key);
  ck_assert_msg(strstr(m.key, " bytes of caches, 1 ranks | fv4 gsrb double ") != NULL, "%s", m.key);
  ck_assert_msg(strstr(m.key, "| 32 x 32 x 64 of 32 x 32 x 64 dddddd") != NULL, "%s", m.key);
  ck_assert_msg(strstr(m.key, "=") == NULL, "%s", m.key);
}
END_TEST

/* ---- memory ---- */

/* Doubles of the stagger that the arena has beyond its vectors. */
enum { SPARE = 2 * 9 * HYMGI_LINE };

static double taken(const hymg_solver *solver, int l)
{
  const hymgi_level *level = solver->h.level + l;
  const hymgi_memory_need need = hymgi_level_memory(&solver->h, solver->h.level + l);
  return 8.0 * ((double)level->arena_doubles - SPARE + (l == 0 ? 2.0 * (double)need.stride : 0));
}

/* The stencils, smoothers, methods and coefficients that decide how many vectors there are. */
START_TEST(the_need_is_what_is_taken)
{
  const bool odd = _i >= 30;
  const int n[3] = {odd ? 17 : 16, odd ? 13 : 8, odd ? 11 : 24};
  const hymg_smoother smoother = (hymg_smoother)(_i % 5);
  support_case c =
      support_case_of(_i % 2 && !odd ? HYMG_FV4 : HYMG_FV2, n, "dd pp dd", _i % 3 ? 1.0 : 0.0);
  hymg_options o = hymg_options_default();
  hymg_need need;
  if (odd && _i % 2) /* constants become fields on all levels */
    c.spec.alpha = c.spec.beta[0] = c.spec.beta[1] = c.spec.beta[2] = NULL;
  c.spec.smoother = smoother;
  c.spec.sweeps = -1;
  o.smoother = smoother;
  o.method = _i % 4 == 3 ? HYMG_MGPCG : HYMG_MG;
  support_kit k = support_open(&c.spec,
                               &(support_layout){.boxes = {1, 1,
                                                           !(_i % 7) ? 1
                                                           : odd     ? 11
                                                                     : 2}},
                               &o);
  hymg_operator_desc desc = k.desc;
  desc.alpha = desc.beta[0] = desc.beta[1] = desc.beta[2] = NULL;
  const unsigned variable = (unsigned)(k.desc.beta[0] ? HYMG_VARIABLE_BETA : 0) +
                            (unsigned)(k.desc.alpha ? HYMG_VARIABLE_ALPHA : 0);
  o = k.solver->h.options;
  OK(k.context, hymg_solver_need(k.grid, &desc, variable, &o, &need));
  ck_assert_int_eq(need.num_levels, hymg_solver_num_levels(k.solver));
  for (int l = 0; l < need.num_levels; l++) {
    const hymg_level_need *got = &need.level[l];
    const double sum = got->vectors + got->coefficients + got->buffers;
    ck_assert_msg(sum == taken(k.solver, l), "%s, level %d: %.0f bytes are told, %.0f are taken",
                  c.name, l, sum, taken(k.solver, l));
    ck_assert_int_eq(got->cells[2], odd ? 1 + (10 >> l) : 24 >> l);
    ck_assert_int_eq(got->backend, k.solver->h.level[l].backend->id);
    ck_assert_str_eq(got->memory, k.solver->h.level[l].memory->name);
  }
  support_close(&k);
  support_case_free(&c);
}
END_TEST

/* 2^60 cells: 3 betas, u, f, a second buffer and 1/diagonal are 56 B each. */
START_TEST(the_need_of_any_size_is_told)
{
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  hymg_grid_desc g = hymg_grid_desc_default();
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_need need;
  g.n[0] = g.n[1] = g.n[2] = 1 << 20;
  desc.stencil = HYMG_FV4;
  OK(context, hymg_context_create(NULL, &context));
  OK(context, hymg_grid_create(context, &g, &grid));
  hymg_options o = support_options(hymg_options_default());
  OK(context, hymg_solver_need(grid, &desc, HYMG_VARIABLE_BETA, &o, &need));
  const hymg_level_need *finest = &need.level[0];
  ck_assert_double_eq_tol((finest->vectors + finest->coefficients) / ldexp(1, 60), 56.0, 0.1);
  ck_assert_int_eq(need.num_levels, 20);
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  OK(context, hymg_operator_create(grid, &desc, &op));
  support_assert_error(context, hymg_solver_create(op, &o, &solver), HYMG_ENOMEM, "GB", NULL);
  ck_assert_ptr_null(solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}
END_TEST

/* FMG has the standard path alone: what is told is its need, or what hymg_solver_create says if it
 * is certain to fail. Cells four times as long along z. */
START_TEST(the_need_of_f_cycles_is_the_standard_paths)
{
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  hymg_grid_desc g = {.n = {32, 32, 16}, .spacing = {1, 1, 4}};
  const hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options o = hymg_options_default();
  hymg_need need, standard;
  OK(context, hymg_context_create(NULL, &context));
  OK(context, hymg_grid_create(context, &g, &grid));
  support_assert_error(context, hymg_solver_need(grid, &desc, 0, &o, &need), HYMG_EUNSUPPORTED,
                       "fmg", "path standard", NULL);
  OK(context, hymg_solver_need(grid, &desc, HYMG_VARIABLE_BETA, &o, &need));
  o.path = HYMG_PATH_STANDARD;
  OK(context, hymg_solver_need(grid, &desc, HYMG_VARIABLE_BETA, &o, &standard));
  ck_assert_int_eq(need.num_levels, standard.num_levels);
  for (int l = 0; l < need.num_levels; l++) {
    ck_assert_mem_eq(need.level[l].cells, standard.level[l].cells, sizeof need.level[l].cells);
    ck_assert_double_eq(need.level[l].vectors, standard.level[l].vectors);
    ck_assert_double_eq(need.level[l].coefficients, standard.level[l].coefficients);
  }
  o.path = HYMG_PATH_AUTO;
  o.method = HYMG_MG;
  OK(context, hymg_solver_need(grid, &desc, HYMG_VARIABLE_BETA, &o, &need));
  ck_assert_int_eq(need.level[1].cells[2], 16);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(a_bad_question_is_refused)
{
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  const hymg_grid_desc g = hymg_grid_desc_default();
  const hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options o = hymg_options_default();
  hymg_need need = {.num_levels = -7};
  OK(context, hymg_context_create(NULL, &context));
  OK(context, hymg_grid_create(context, &g, &grid));
  ck_assert_int_eq(hymg_solver_need(NULL, &desc, 0, NULL, &need), HYMG_EINVAL);
  support_assert_error(context, hymg_solver_need(grid, NULL, 0, NULL, &need), HYMG_EINVAL, "desc",
                       NULL);
  support_assert_error(context, hymg_solver_need(grid, &desc, 16, NULL, &need), HYMG_EINVAL, "16",
                       "15", NULL);
  support_assert_error(context, hymg_solver_need(grid, &desc, 0, NULL, NULL), HYMG_EINVAL, "NULL",
                       NULL);
  o.sweeps = 5;
  support_assert_error(context, hymg_solver_need(grid, &desc, 0, &o, &need), HYMG_EINVAL,
                       "sweeps 5", NULL);
  ck_assert_int_eq(need.num_levels, -7);
  OK(context, hymg_solver_need(grid, &desc, 0, NULL, &need));
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}
END_TEST

/* ---- what there is ---- */

START_TEST(devices_are_counted_or_the_reason_is_told)
{
  hymg_context *context = NULL;
  hymg_device_info info = {.ordinal = -7};
  int count = -7;
  OK(context, hymg_context_create(NULL, &context));
  ck_assert_int_eq(hymg_device_count(NULL, &count), HYMG_EINVAL);
  ck_assert_int_eq(hymg_device_get(NULL, 0, &info), HYMG_EINVAL);
  support_assert_error(context, hymg_device_count(context, NULL), HYMG_EINVAL, "NULL", NULL);
  support_assert_error(context, hymg_device_get(context, 0, NULL), HYMG_EINVAL, "NULL", NULL);
  const hymg_status status = hymg_device_count(context, &count);
  if (status == HYMG_OK) {
    ck_assert_int_ge(count, 1);
    OK(context, hymg_device_get(context, count - 1, &info));
    ck_assert_int_eq(info.ordinal, count - 1);
  } else {
    support_assert_error(context, status, HYMG_EUNSUPPORTED, "CUDA", NULL);
    support_assert_error(context, hymg_device_get(context, 0, &info), HYMG_EUNSUPPORTED, "CUDA",
                         NULL);
    ck_assert_int_eq(count, -7);
    ck_assert_int_eq(info.ordinal, -7);
  }
  hymg_context_destroy(&context);
}
END_TEST

/* Auto without a GPU is the host, and no failure is left behind. */
START_TEST(on_the_host_there_is_nothing_to_choose)
{
  const int n[3] = {8, 8, 8};
  support_case c = support_case_of(HYMG_FV2, n, "dd dd dd", 0);
  hymg_options o = hymg_options_default();
  hymg_tuning_info info;
  if (_i) c.spec.smoother = HYMG_SYMGS, c.spec.sweeps = 4;
  o.backend = _i ? HYMG_BACKEND_AUTO : HYMG_BACKEND_HOST;
  support_kit k = support_open(&c.spec, &(support_layout){.threads = 1}, &o);
  OK(k.context, hymg_solver_tuning(k.solver, &info));
  ck_assert_str_eq(hymg_tuning_source_name(info.source), "none");
  ck_assert_int_eq(info.host_from, 0);
  ck_assert_int_eq(info.tail_from, 0);
  ck_assert_str_eq(hymg_context_error(k.context), "");
  ck_assert_int_eq(hymg_solver_tuning(NULL, &info), HYMG_EINVAL);
  support_assert_error(k.context, hymg_solver_tuning(k.solver, NULL), HYMG_EINVAL, "NULL", NULL);
  ck_assert_str_eq(hymg_tuning_source_name((hymg_tuning_source)99), "unknown");
  support_close(&k);
  support_case_free(&c);
}
END_TEST

START_TEST(auto_without_a_gpu_leaves_no_failure_behind)
{
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  hymg_grid_desc g = hymg_grid_desc_default();
  const hymg_operator_desc desc = hymg_operator_desc_default();
  g.n[0] = g.n[1] = g.n[2] = 8;
  OK(context, hymg_context_create(NULL, &context));
  OK(context, hymg_grid_create(context, &g, &grid));
  OK(context, hymg_operator_create(grid, &desc, &op));
  OK(context, hymg_solver_create(op, NULL, &solver));
  ck_assert_str_eq(hymg_context_error(context), "");
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("placement");
  TCase *t = tcase_create("tuning file");
  tcase_add_test(t, what_is_kept_is_found_again);
  tcase_add_test(t, broken_lines_are_ignored_and_dropped);
  tcase_add_test(t, another_format_is_ignored_and_replaced);
  tcase_add_test(t, a_foreign_file_is_left_alone);
  tcase_add_test(t, what_cannot_be_written_is_noted);
  tcase_add_test(t, a_link_stays_one_and_rights_are_kept);
  tcase_add_test(t, the_key_names_the_method);
  suite_add_tcase(suite, t);
  t = tcase_create("schedules of the host");
  tcase_add_loop_test(t, schedules_that_are_known_are_not_measured, 0, 4);
  tcase_add_test(t, a_schedule_from_the_file_must_be_possible);
  tcase_add_test(t, another_machines_schedules_stay_its_own);
  tcase_add_test(t, schedules_that_cannot_be_kept_are_noted);
  tcase_add_test(t, the_key_of_a_schedule_names_what_it_depends_on);
  suite_add_tcase(suite, t);
  t = tcase_create("memory");
  tcase_add_loop_test(t, the_need_is_what_is_taken, 0, 42);
  tcase_add_test(t, the_need_of_any_size_is_told);
  tcase_add_test(t, the_need_of_f_cycles_is_the_standard_paths);
  tcase_add_test(t, a_bad_question_is_refused);
  suite_add_tcase(suite, t);
  t = tcase_create("devices");
  tcase_add_test(t, devices_are_counted_or_the_reason_is_told);
  tcase_add_loop_test(t, on_the_host_there_is_nothing_to_choose, 0, 2);
  tcase_add_test(t, auto_without_a_gpu_leaves_no_failure_behind);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
