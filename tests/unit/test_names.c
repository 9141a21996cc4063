/* Names of enum values to and from, options as text, sizes of structs. */
#include "support/support.h"
#include <stdio.h>
#include <string.h>

#undef hymg_context_create

static const struct {
  const char *type;
  int count, last;
  const char *last_name;
} enums[] = {{"hymg_status", 9, HYMG_ECPU, "HYMG_ECPU"},
             {"hymg_boundary", 6, HYMG_OPEN_JAMES, "open-james"},
             {"hymg_centering", 10, HYMG_BOUNDARY_Z_HIGH, "boundary-z-high"},
             {"hymg_precision", 4, HYMG_FLOAT, "float"},
             {"hymg_space", 2, HYMG_DEVICE, "device"},
             {"hymg_stencil", 2, HYMG_FV4, "fv4"},
             {"hymg_extrapolation", 4, HYMG_EXTRAPOLATION_VERTEX, "vertex"},
             {"hymg_method", 3, HYMG_MGPCG, "mgpcg"},
             {"hymg_cycle", 4, HYMG_CYCLE_F, "f"},
             {"hymg_smoother", 5, HYMG_SYMGS, "symgs"},
             {"hymg_bottom", 6, HYMG_BOTTOM_SWEEPS, "sweeps"},
             {"hymg_interpolation", 5, HYMG_V4, "v4"},
             {"hymg_backend", 3, HYMG_BACKEND_CUDA, "cuda"},
             {"hymg_tuning", 3, HYMG_TUNE_AUTO, "auto"},
             {"hymg_memory", 2, HYMG_MEMORY_MANAGED, "managed"},
             {"hymg_transport", 6, HYMG_TRANSPORT_NONE, "none"},
             {"hymg_path", 3, HYMG_PATH_ROBUST, "robust"},
             {"hymg_norm", 2, HYMG_NORM_2, "2"},
             {"hymg_mean", 2, HYMG_MEAN_ERROR, "error"},
             {"hymg_cycle_kind", 5, HYMG_KIND_BICGSTAB, "bicgstab"},
             {"hymg_reason", 6, HYMG_REASON_STOPPED, "stopped"},
             {"hymg_tuning_source", 5, HYMG_TUNING_FILE, "file"},
             {"hymg_variable", 4, HYMG_VARIABLE_MASK, "mask"}};

START_TEST(every_value_has_a_name_and_back)
{
  const char *name = NULL;
  int value = -7, back, m = 0;
  for (; hymg_enum_entry(enums[_i].type, m, &name, &value); m++) {
    ck_assert_str_eq(hymg_enum_name(enums[_i].type, value), name);
    ck_assert(hymg_enum_value(enums[_i].type, name, &back));
    ck_assert_int_eq(back, value);
  }
  ck_assert_int_eq(m, enums[_i].count);
  ck_assert_int_eq(value, enums[_i].last);
  ck_assert_str_eq(name, enums[_i].last_name);
}
END_TEST

START_TEST(unknown_names_are_told_apart)
{
  int value = 5;
  ck_assert(!hymg_enum_value("hymg_smoother", "Gsrb", &value));
  ck_assert(!hymg_enum_value("smoother", "gsrb", &value));
  ck_assert(!hymg_enum_value("hymg_smoother", NULL, &value));
  ck_assert_int_eq(value, 5);
  ck_assert_str_eq(hymg_enum_name("hymg_interpolation", 3), "unknown");
  ck_assert_str_eq(hymg_enum_name("hymg_interpolation", HYMG_INTERPOLATION_DEFAULT), "default");
  ck_assert_str_eq(hymg_enum_name("nothing", 0), "unknown");
  ck_assert_str_eq(hymg_enum_name(NULL, 0), "unknown");
}
END_TEST

static hymg_options parsed(const char *text)
{
  hymg_options o = hymg_options_default();
  char error[200] = "";
  ck_assert_msg(hymg_options_parse(&o, text, error, sizeof error) == HYMG_OK, "%s", error);
  return o;
}

START_TEST(every_key_sets_its_member)
{
  const hymg_options o = parsed(
      "method=mgpcg cycle=w path=robust smoother=chebyshev, sweeps=12 bottom=cg\n"
      "interpolation_v=p0 interpolation-f=v4 rtol=1e-8 atol=2.5e-3,norm=2\tmax-cycles=77 "
      "initial-guess=yes rhs-mean=error backend=host memory=managed host-cells=5000000000 "
      "tail_cells=0 tuning=estimate transport=peer gather-cells=auto gather=all halo_layers=6 "
      "peer-seconds=0.5");
  ck_assert(o.method == HYMG_MGPCG && o.cycle == HYMG_CYCLE_W && o.path == HYMG_PATH_ROBUST);
  ck_assert(o.smoother == HYMG_CHEBYSHEV && o.sweeps == 12 && o.bottom == HYMG_CG);
  ck_assert(o.interpolation_v == HYMG_P0 && o.interpolation_f == HYMG_V4);
  ck_assert(o.rtol == 1e-8 && o.atol == 2.5e-3 && o.norm == HYMG_NORM_2 && o.max_cycles == 77);
  ck_assert(o.initial_guess && o.rhs_mean == HYMG_MEAN_ERROR && o.backend == HYMG_BACKEND_HOST);
  ck_assert(o.memory == HYMG_MEMORY_MANAGED && o.host_cells == 5000000000 && o.tail_cells == 0);
  ck_assert(o.tuning == HYMG_TUNE_ESTIMATE && o.transport == HYMG_TRANSPORT_PEER);
  ck_assert(o.gather_cells == -1 && o.gather == HYMG_GATHER_ALL);
  ck_assert(o.halo_layers == 6 && o.peer_seconds == 0.5);
  ck_assert(parsed("sweeps=auto max_cycles=auto").sweeps == -1);
  ck_assert(parsed(" ,, ").sweeps == hymg_options_default().sweeps);
}
END_TEST

static const struct {
  const char *text, *error;
} bad[] = {
    {"smoother=gs", "smoother 'gs': must be one of gsrb, chebyshev, jacobi, l1jacobi, symgs"},
    {"rtol=1e-3 sweeps=0", "sweeps 0: must be 1 ... 1000"},
    {"sweeps=1001", "sweeps 1001: must be 1 ... 1000"},
    {"sweeps=2.5", "sweeps '2.5': not a whole number"},
    {"rtol=0", "rtol 0: must be greater than 0"},
    {"rtol=inf", "rtol 'inf': not a finite number"},
    {"rtol=1e-3x", "rtol '1e-3x': not a finite number"},
    {"atol=-1", "atol -1: must be at least 0"},
    {"peer-seconds=1e7", "peer-seconds 1e7: must be at most 1000000"},
    {"host-cells=-2", "host-cells '-2': must be 'auto' or a number of cells >= 0"},
    {"transport=none", "transport 'none': must be one of auto, device, staged, peer, nccl"},
    {"initial-guess=1", "initial-guess '1': must be one of yes, no"},
    {"rtol", "'rtol': needs a value, rtol=NUMBER"},
    {"rtol=", "rtol '': not a finite number"},
    {"colour=red", "'colour': no such option; there are method, cycle, path, "},
    {"=3", "'': no such option"},
};

START_TEST(bad_text_is_refused_and_changes_nothing)
{
  hymg_options o = parsed("sweeps=8"), before = o;
  char error[600] = "", tiny[8] = "", line[100];
  snprintf(line, sizeof line, "max-cycles=3 %s", bad[_i].text); /* the good word counts neither */
  ck_assert_int_eq(hymg_options_parse(&o, line, error, sizeof error), HYMG_EINVAL);
  ck_assert_msg(strncmp(error, bad[_i].error, strlen(bad[_i].error)) == 0, "%s", error);
  ck_assert_int_eq(hymg_options_parse(&o, line, tiny, sizeof tiny), HYMG_EINVAL);
  ck_assert_msg(strncmp(tiny, error, 7) == 0 && strlen(tiny) == 7, "'%s'", tiny);
  ck_assert_int_eq(hymg_options_parse(&o, line, NULL, 0), HYMG_EINVAL);
  ck_assert(memcmp(&o, &before, sizeof o) == 0);
  ck_assert_int_eq(hymg_options_parse(NULL, "", error, sizeof error), HYMG_EINVAL);
  ck_assert_int_eq(hymg_options_parse(&o, NULL, error, sizeof error), HYMG_EINVAL);
}
END_TEST

START_TEST(every_key_is_listed_with_help)
{
  hymg_option_info info;
  int m = 0;
  for (; hymg_option_get(m, &info); m++) {
    ck_assert(*info.key && *info.values && *info.help && !strchr(info.key, '_'));
    hymg_options o = hymg_options_default();
    char error[600];
    ck_assert_int_eq(hymg_options_parse(&o, info.key, error, sizeof error), HYMG_EINVAL);
    ck_assert_ptr_nonnull(strstr(error, "needs a value"));
  }
  ck_assert_int_ge(m, 23);
  ck_assert(!hymg_option_get(-1, &info));
}
END_TEST

static int count(const char *text, char letter)
{
  int found = 0;
  for (; *text; text++)
    found += *text == letter;
  return found;
}

/* As many as a refusal lists, and each of them is taken. */
START_TEST(words_for_a_value_are_those_that_are_taken)
{
  hymg_option_info info;
  int lists = 0;
  for (int m = 0; hymg_option_get(m, &info); m++) {
    hymg_options o = hymg_options_default();
    char values[160] = "", line[200], error[600];
    snprintf(line, sizeof line, "%s=?", info.key);
    ck_assert_int_eq(hymg_options_parse(&o, line, error, sizeof error), HYMG_EINVAL);
    const char *const list = strstr(error, "must be one of ");
    if (!list) continue;
    lists++;
    ck_assert_msg(count(list, ',') == count(info.values, '|'), "%s: %s", info.values, error);
    strncpy(values, info.values, sizeof values - 1);
    for (char *word = strtok(values, "|"); word; word = strtok(NULL, "|")) {
      snprintf(line, sizeof line, "%s=%s", info.key, word);
      ck_assert_msg(hymg_options_parse(&o, line, error, sizeof error) == HYMG_OK, "%s", error);
    }
  }
  ck_assert_int_ge(lists, 12);
}
END_TEST

START_TEST(sizes_of_structs_are_the_library_s)
{
  ck_assert_uint_eq(hymg_struct_size("hymg_options"), sizeof(hymg_options));
  ck_assert_uint_eq(hymg_struct_size("hymg_profile_row"), sizeof(hymg_profile_row));
  ck_assert_uint_eq(hymg_struct_size("hymg_optionz"), 0);
  ck_assert_uint_eq(hymg_struct_size(NULL), 0);
  ck_assert_int_eq(hymg_check_header(), HYMG_OK);
  /* a program with another hymg_need: one number less */
  typedef struct {
    hymg_level_need level[HYMG_MAX_LEVELS];
    double device_bytes, device_free;
  } older_need;
  ck_assert_uint_ne(hymg_struct_size("hymg_need"), sizeof(older_need));
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create_checked(NULL, &context), HYMG_OK);
  hymg_context_destroy(&context);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("names");
  TCase *t = tcase_create("names");
  tcase_add_loop_test(t, every_value_has_a_name_and_back, 0, sizeof enums / sizeof *enums);
  tcase_add_test(t, unknown_names_are_told_apart);
  tcase_add_test(t, every_key_sets_its_member);
  tcase_add_loop_test(t, bad_text_is_refused_and_changes_nothing, 0, sizeof bad / sizeof *bad);
  tcase_add_test(t, every_key_is_listed_with_help);
  tcase_add_test(t, words_for_a_value_are_those_that_are_taken);
  tcase_add_test(t, sizes_of_structs_are_the_library_s);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
