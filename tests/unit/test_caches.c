/* How many bytes of caches a level's threads count on, beside what Linux tells of them. */
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "support/support.h"

/* One line of Linux's description of the third-level cache of the first processor; false where there is none. */
static bool read_line(const char *name, char line[200])
{
  char path[100];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index3/%s", name);
  FILE *const file = fopen(path, "r");
  const bool read = file && fgets(line, 200, file);
  if (file) fclose(file);
  return read;
}

/* The processors of a mask such as "0000ff00,000000ff". */
static int processors_of(const char *mask)
{
  int count = 0;
  for (; *mask; mask++) {
    const char *const digits = "0123456789abcdef", *const digit = strchr(digits, *mask);
    for (long bits = digit ? digit - digits : 0; bits; bits >>= 1)
      count += bits & 1;
  }
  return count;
}

/* One third-level cache, not the sum of those of a package; shared by no fewer processors than Linux uses of them. */
START_TEST(a_third_level_cache_has_the_size_that_linux_tells)
{
  const hymgi_third_cache third = hymgi_cpu_third_cache();
  char level[200], size[200], mask[200];
  int kib;
  ck_assert_int_eq(third.bytes > 0, third.processors > 0);
  if (!third.bytes || !read_line("level", level) || strcmp(level, "3\n") ||
      !read_line("size", size) || !read_line("shared_cpu_map", mask)) {
    printf("skipped: no third-level cache that both the processor and Linux describe\n");
    return;
  }
  ck_assert_int_eq(sscanf(size, "%dK", &kib), 1);
  ck_assert_uint_eq(third.bytes, (size_t)kib << 10);
  ck_assert_int_ge(third.processors, processors_of(mask));
}
END_TEST

/* Ranks share it, as many as have room beside it. Second-level caches are each thread's own. */
START_TEST(ranks_share_a_third_level_cache)
{
  const hymgi_third_cache third = hymgi_cpu_third_cache();
  for (int threads = 1; threads <= 8; threads++) {
    const size_t alone = hymgi_near_cache(threads, 1), most = hymgi_near_cache(threads, 1 << 20);
    const int room = third.processors / threads;
    ck_assert_uint_ge(alone, third.bytes);
    ck_assert_uint_le(most, alone);
    if (!third.bytes) ck_assert_uint_eq(alone, (size_t)threads * hymgi_near_cache(1, 1));
    for (int ranks = 2; ranks <= 64; ranks++) {
      const size_t part = hymgi_near_cache(threads, ranks), own = third.bytes / (size_t)ranks;
      if (ranks > room)
        ck_assert_uint_eq(part, most);
      else if (own > most)
        ck_assert_uint_eq(part, own);
    }
  }
}
END_TEST

int main(void)
{
  Suite *s = suite_create("caches");
  TCase *t = tcase_create("caches");
  tcase_set_timeout(t, 0);
  tcase_add_test(t, a_third_level_cache_has_the_size_that_linux_tells);
  tcase_add_test(t, ranks_share_a_third_level_cache);
  suite_add_tcase(s, t);
  return support_run(s);
}
