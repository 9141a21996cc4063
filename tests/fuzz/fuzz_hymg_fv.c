/* The command line of hymg-fv: what it accepts is a grid and options that the library takes, or
 * refuses with a text. */
#include "fuzz/words.h"
#include "hymg-fv/options.h"

#include <stdlib.h>
#include <string.h>

/* The grid alone: nothing of its size is allocated. */
static void make_grid(const fv_options *o)
{
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  const int *boxes = o->grid.boxes;
  if ((int64_t)boxes[0] * boxes[1] > 4096 || (int64_t)boxes[0] * boxes[1] * boxes[2] > 4096) return;
  if (hymg_context_create(NULL, &context) != HYMG_OK) abort();
  const hymg_status status = hymg_grid_create(context, &o->grid, &grid);
  if (status != HYMG_OK && !*hymg_context_error(context)) abort();
  if (status == HYMG_OK && hymg_grid_cells(grid) <= 0) abort();
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char program[] = "hymg-fv";
  words w;
  fv_options o;
  int code = -1;
  words_split(&w, program, data, size);
  const bool ok = fv_options_read(w.argc, w.argv, 0, w.ranks, &o, &code);
  if (!ok && code != 0 && code != EXIT_BAD_INPUT) abort();
  if (ok && !o.devices) make_grid(&o);
  return 0;
}
