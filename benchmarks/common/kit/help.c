/* --help and --version. tools/write-manuals reads the help: a heading ends in a colon, an option
 * begins in column 2, its text in HELP_COLUMN of the same or the next line, and a list of words that
 * does not fit goes on behind a |. */
#include "common/kit/options.h"

#include "hymg.h"
#include <ctype.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 24, HELP_WIDTH = 80 };
#define BLANK "\a" /* where no line may be broken */

/* ---- what an option is without the command line ---- */

static void default_text(const option_row *row, char *text)
{
  *text = '\0';
  if (row->otherwise)
    snprintf(text, OPTIONS_TEXT, "%s", row->otherwise);
  else if (row->kind == OPTION_WORD)
    snprintf(text, OPTIONS_TEXT, "%s", row->words[*(const int *)row->target]);
  else if (row->kind == OPTION_INT)
    snprintf(text, OPTIONS_TEXT, "%d", *(const int *)row->target);
  else if (row->kind == OPTION_REAL)
    snprintf(text, OPTIONS_TEXT, "%g", *(const double *)row->target);
}

void options_remember(const command_line *c, char otherwise[][OPTIONS_TEXT])
{
  for (int r = 0; r < c->count; r++)
    default_text(c->rows + r, otherwise[r]);
}

/* ---- lines of at most HELP_WIDTH characters ---- */

/* Prints a text from `column` on, the cursor at `at`; returns where it is then. */
static int print_wrapped(const char *text, int at, int column)
{
  while (*(text += strspn(text, " \n"))) {
    const int length = (int)strcspn(text, " \n"), gap = at > column;
    if (at > column && at + gap + length > HELP_WIDTH) {
      putchar('\n');
      at = 0;
    }
    const int blanks = at < column ? column - at : gap;
    printf("%*s", blanks, "");
    for (int i = 0; i < length; i++)
      putchar(text[i] == *BLANK ? ' ' : text[i]);
    at += blanks + length;
    text += length;
  }
  return at;
}

/* What to write for the value. */
static int print_argument(const option_row *row, int at)
{
  const int column = at;
  if (row->argument) return at + printf("%s", row->argument);
  for (int w = 0; row->words[w]; w++) {
    const char *const between = row->words[w + 1] ? "|" : "";
    if (at + (int)strlen(row->words[w]) + 1 > HELP_WIDTH) {
      printf("\n%*s", column, "");
      at = column;
    }
    at += printf("%s%s", row->words[w], between);
  }
  return at;
}

static void print_row(const option_row *row, const char *otherwise)
{
  char more[128] = "";
  int at =
      row->letter ? printf("  -%c, --%s", row->letter, row->name) : printf("  --%s", row->name);
  if (options_takes_value(row)) {
    putchar(' ');
    at = print_argument(row, at + 1);
  }
  if (at >= HELP_COLUMN - 1) {
    putchar('\n');
    at = 0;
  }
  if (row->kind == OPTION_INT && !row->wanted)
    snprintf(more, sizeof more, "%s%.12g" BLANK "..." BLANK "%.12g", *row->help ? "; " : "",
             row->low, row->high);
  if (*otherwise)
    snprintf(more + strlen(more), sizeof more - strlen(more), "%sdefault" BLANK "%s",
             *row->help || *more ? "; " : "", otherwise);
  char all[1024];
  snprintf(all, sizeof all, "%s%s", row->help, more);
  print_wrapped(all, at, HELP_COLUMN);
  putchar('\n');
}

void options_print_help(const command_line *c, char otherwise[][OPTIONS_TEXT])
{
  fputs(c->usage, stdout);
  for (int r = 0; r < c->count; r++) {
    if (c->rows[r].kind == OPTION_GROUP)
      printf("\n%s:\n", c->rows[r].help);
    else
      print_row(c->rows + r, otherwise[r]);
  }
  if (c->example) printf("\nExample: %s\n", c->example);
  if (c->notes) printf("\n%s", c->notes);
}

/* ---- --version ---- */

void options_print_version(const char *program)
{
  const hymg_build build = hymg_build_info();
  printf("%s %s%s%s%s\n", program, build.version, *build.commit ? " (commit " : "", build.commit,
         *build.commit ? ")" : "");
  printf("compiler  %s\n", *build.compiler ? build.compiler : "unknown");
  printf("flags     %s\n", *build.flags ? build.flags : "unknown");
  printf("MPI       %s\n", *build.mpi ? build.mpi : "none");
  printf("OpenMP    %s\n", *build.openmp ? build.openmp : "none");
  printf("CUDA      %s\n", *build.cuda ? build.cuda : "none");
  printf("NCCL      %s\n", *build.nccl ? build.nccl : "none");
}
