/* A program in a locale with decimal commas: locale NAME FOLDER. The library reads and writes numbers
 * with points, says the same as elsewhere, and leaves the locale as it was. */
#include "hymg.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int ok, const char *what)
{
  if (ok) return;
  printf("locale: FAILED: %s\n", what);
  exit(1);
}

static void save(const char *folder, char *text, size_t size)
{
  char name[300];
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  hymg_field *field = NULL;
  hymg_grid_desc desc = {.n = {4, 4, 4}, .spacing = {.25, .125, 2.5}};
  snprintf(name, sizeof name, "%s/out.vti", folder);
  require(hymg_context_create(NULL, &context) == HYMG_OK, "a context");
  require(hymg_grid_create(context, &desc, &grid) == HYMG_OK, "a grid");
  require(hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &field) == HYMG_OK, "a field");
  require(hymg_field_save(field, name) == HYMG_OK, "saving");
  hymg_field_destroy(&field);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
  FILE *file = fopen(name, "rb");
  require(file != NULL, "the saved file");
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

int main(int argc, char **argv)
{
  char error[200] = "", text[2000];
  hymg_options o = hymg_options_default();
  if (argc != 3) return 2;
  if (!setlocale(LC_ALL, argv[1])) return 77;
  snprintf(text, sizeof text, "%.1f", 1.5);
  require(strcmp(text, "1,5") == 0, "the locale has no decimal comma");
  require(hymg_options_parse(&o, "rtol=0.5 atol=1.5e-3,peer-seconds=2.25", error, sizeof error) ==
              HYMG_OK,
          error);
  require(o.rtol == 0.5 && o.atol == 1.5e-3 && o.peer_seconds == 2.25, "the values of options");
  require(hymg_options_parse(&o, "rtol=0,5", error, sizeof error) == HYMG_EINVAL, "a comma");
  require(hymg_options_parse(&o, "sweeps=1.5", error, sizeof error) == HYMG_EINVAL, "no integer");
  save(argv[2], text, sizeof text);
  require(strstr(text, "0.25 0.125 2.5") != NULL, "spacings in the file");
  snprintf(text, sizeof text, "%.1f", 1.5);
  require(strcmp(text, "1,5") == 0, "the program's locale has changed");
  return 0;
}
