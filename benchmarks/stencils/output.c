/* The table on stdout, and the same rows into files. */
#define _POSIX_C_SOURCE 200809L
#include "stencils/output.h"

#include "common/machine.h"
#include "hymg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool open_file(const char *option, const char *name, FILE **file)
{
  *file = fopen(name, "w");
  if (!*file) fprintf(stderr, "hymg-stencil: %s %s: %s\n", option, name, strerror(errno));
  return *file;
}

static void write_head(FILE *file, const char *prefix, const stencil_output *out)
{
  const fv_machine m = fv_machine_info();
  const hymg_build build = hymg_build_info();
  fprintf(file, "%smachine: %s, %d cores\n", prefix, m.cpu, m.cores);
  if (*out->gpu) fprintf(file, "%sgpu: %s, CUDA %s\n", prefix, out->gpu, build.cuda);
  fprintf(file, "%sdate: %s\n%scommit: %s\n%scompiler: %s\n%sflags: %s\n%scommand: hymg-stencil",
          prefix, m.date, prefix, *build.commit ? build.commit : "unknown", prefix, build.compiler,
          prefix, build.flags, prefix);
  for (int i = 1; i < out->options->argc; i++)
    fprintf(file, " %s", out->options->argv[i]);
  fputc('\n', file);
}

static const char csv_names[] =
    "case,backend,kernel,ranks,nx,ny,nz,precision,order,form,slab,ms,gpoints_per_s,gbytes_per_s,"
    "percent,redundancy,registers,wrong,largest_error,mean_error,published\n";

static bool check_file(const char *option, const char *name)
{
  if (!name || fv_can_write(name)) return true;
  fprintf(stderr, "hymg-stencil: %s %s: %s\n", option, name, strerror(errno));
  return false;
}

bool stencil_output_check(const stencil_options *o)
{
  return check_file("--csv", o->csv) && check_file("--json", o->json) &&
         check_file("--snapshot", o->snapshot) && check_file("--gather", o->gather);
}

bool stencil_output_open(stencil_output *out, const stencil_options *options, const char *gpu)
{
  *out = (stencil_output){.options = options};
  snprintf(out->gpu, sizeof out->gpu, "%s", gpu);
  if (!stencil_output_check(options)) return false;
  write_head(stdout, "", out);
  return true;
}

/* With the first row, so that a run that has none leaves an older file alone. */
static bool open_csv(stencil_output *out)
{
  if (out->csv) return true;
  if (!open_file("--csv", out->options->csv, &out->csv)) return false;
  write_head(out->csv, "# ", out);
  fputs(csv_names, out->csv);
  return true;
}

static void end_progress(const stencil_options *options)
{
  if (!options->quiet && isatty(STDERR_FILENO)) fprintf(stderr, "\r%-78s\r", "");
}

void stencil_progress(const stencil_options *options, const char *what)
{
  if (options->quiet) return;
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r%-78.78s", what);
  else
    fprintf(stderr, "hymg-stencil: %s\n", what);
}

void stencil_output_heading(stencil_output *out, const stencil_heading *heading)
{
  end_progress(out->options);
  printf("\n%s; %s %.1f GB/s\n", heading->what, heading->gpu ? "copy" : "triad at 24 B an element",
         1e-9 * heading->rate);
  printf("%-28s %-15s %-6s %3s %5s %10s %9s %8s %6s %6s %5s %7s %9s %9s  %s\n", "  kernel", "size",
         "type", "ord", "slab", "ms", "Gpoints/s", "GB/s", heading->gpu ? "% copy" : "% tri.",
         "redun.", "regs", "#wrong", "Linf", "L2", "published");
  snprintf(out->rate, sizeof out->rate, "# %s: %.1f GB/s\n", heading->gpu ? "copy" : "triad",
           1e-9 * heading->rate);
}

static void print_row(const stencil_row *row)
{
  char size[32], registers[16] = "-", slab[16] = "-";
  if (row->which == 'b')
    snprintf(size, sizeof size, "%dx%d", row->n[0], row->n[1]);
  else
    snprintf(size, sizeof size, "%dx%dx%d", row->n[0], row->n[1], row->n[2]);
  if (row->registers > 0) snprintf(registers, sizeof registers, "%d", row->registers);
  if (row->slab > 0) snprintf(slab, sizeof slab, "%d", row->slab);
  printf("  %-26s %-15s %-6s %3d %5s %10.4f %9.2f %8.1f %5.1f%% %6.2f %5s %7lld %9.2e %9.2e  %s\n",
         row->kernel, size, row->wide ? "double" : "float", row->order, slab, row->ms, row->gpoints,
         row->gbytes, row->percent, row->redundancy, registers, (long long)row->wrong, row->largest,
         row->mean, row->published ? row->published : "");
}

static void write_csv(stencil_output *out, const stencil_row *row)
{
  fputs(out->rate, out->csv);
  *out->rate = 0;
  fprintf(out->csv,
          "%c,%s,%s,%d,%d,%d,%d,%s,%d,%s,%d,%.6g,%.6g,%.6g,%.4g,%.4g,%d,%lld,%.4g,"
          "%.4g,\"%s\"\n",
          row->which, row->gpu ? "cuda" : "host", row->kernel, row->ranks, row->n[0], row->n[1],
          row->n[2], row->wide ? "double" : "float", row->order, row->wave ? "wave" : "stencil",
          row->slab, row->ms, row->gpoints, row->gbytes, row->percent, row->redundancy,
          row->registers, (long long)row->wrong, row->largest, row->mean,
          row->published ? row->published : "");
  fflush(out->csv);
}

void stencil_output_row(stencil_output *out, const stencil_row *row)
{
  end_progress(out->options);
  print_row(row);
  fflush(stdout);
  if (out->options->csv && !out->failed) {
    out->failed = !open_csv(out);
    if (out->csv) write_csv(out, row);
  }
  if (out->count == out->room) {
    const int room = out->room > 0 ? 2 * out->room : 64;
    stencil_row *more = realloc(out->rows, (size_t)room * sizeof *more);
    if (!more) {
      fprintf(stderr, "hymg-stencil: no memory for the rows\n");
      out->failed = true;
      return;
    }
    out->rows = more;
    out->room = room;
  }
  out->rows[out->count++] = *row;
}

static bool close_file(const char *option, const char *name, FILE *file, bool ok)
{
  ok = !ferror(file) && ok;
  if (fclose(file) != 0) ok = false;
  if (!ok) fprintf(stderr, "hymg-stencil: %s %s: could not be written\n", option, name);
  return ok;
}

bool stencil_output_close(stencil_output *out)
{
  const stencil_options *o = out->options;
  bool ok = !out->failed;
  if (out->csv) ok = close_file("--csv", o->csv, out->csv, true) && ok;
  FILE *file = NULL;
  if (o->json) {
    const bool opened = open_file("--json", o->json, &file);
    ok = opened && close_file("--json", o->json, file, json_rows_write(out, file)) && ok;
  }
  free(out->rows);
  out->rows = NULL;
  return ok;
}
