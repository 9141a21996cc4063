/* Masks and bodies with all fields in device memory: the bits of fields on the host. */
#include "support/body.h"
#include "support/gpu.h"

static const support_layout alone = {.threads = 1};

START_TEST(device_fields_have_the_bits_of_the_host)
{
  for (unsigned seed = 0; seed < (support_small() ? 12 : 48); seed++) {
    support_body_case c = support_body_random(seed);
    support_layout cut = {.threads = 1};
    for (int axis = 0; axis < 3; axis++)
      cut.boxes[axis] = seed % 2 ? c.n[axis] : 0;
    support_body_answer got = support_body_run(&c, &cut, 2), want = support_body_run(&c, &alone, 0);
    ck_assert_msg(support_same_bits(got.cells, got.alpha, want.alpha) &&
                      support_same_bits(got.cells, got.weight, want.weight) &&
                      support_same_bits(got.cells, got.source, want.source),
                  "seed %u: other cells", seed);
    for (int axis = 0; axis < 3; axis++)
      ck_assert_msg(support_same_bits(got.faces[axis], got.beta[axis], want.beta[axis]),
                    "seed %u: other faces of axis %d", seed, axis);
    support_body_answer_free(&got);
    support_body_answer_free(&want);
    support_body_free(&c);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("bodies on the GPU");
  TCase *t = tcase_create("bodies on the GPU");
  tcase_set_timeout(t, 100);
  tcase_add_test(t, device_fields_have_the_bits_of_the_host);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
