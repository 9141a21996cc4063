/* The table on stdout, and the same rows into files. */
#define _POSIX_C_SOURCE 200809L
#include "stencils/bench.h"

#include "hymg.h"

#include <stdlib.h>
#include <unistd.h>

static const char columns[] =
    "case,backend,kernel,ranks,nx,ny,nz,precision,order,form,slab,ms,gpoints_per_s,gbytes_per_s,"
    "percent,redundancy,registers,wrong,largest_error,mean_error,published";

bool stencil_output_check(const stencil_options *o)
{
  static const char program[] = "hymg-stencil";
  return output_check(program, "--csv", o->csv) && output_check(program, "--json", o->json) &&
         output_check(program, "--snapshot", o->snapshot) &&
         output_check(program, "--gather", o->gather);
}

bool stencil_output_open(stencil_output *out, const stencil_options *o, const char *gpu)
{
  *out = (stencil_output){.options = o};
  out->run = (run_info){"hymg-stencil", o->argc, o->argv, .ranks = 0};
  out->csv = (csv_table){.run = &out->run, .name = o->csv, .columns = columns};
  snprintf(out->gpu, sizeof out->gpu, "%s", gpu);
  if (*gpu)
    snprintf(out->run.gpu[0], sizeof *out->run.gpu, "gpu: %.120s, CUDA %s", gpu,
             hymg_build_info().cuda);
  if (!stencil_output_check(o)) return false;
  run_info_print(&out->run, stdout, "");
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
  snprintf(out->rate, sizeof out->rate, "# %s: %.1f GB/s", heading->gpu ? "copy" : "triad",
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
  if (*out->rate) rows_add(&out->csv, "%s", out->rate);
  *out->rate = 0;
  rows_add(&out->csv,
           "%c,%s,%s,%d,%d,%d,%d,%s,%d,%s,%d,%.6g,%.6g,%.6g,%.4g,%.4g,%d,%lld,%.4g,%.4g,\"%s\"",
           row->which, row->gpu ? "cuda" : "host", row->kernel, row->ranks, row->n[0], row->n[1],
           row->n[2], row->wide ? "double" : "float", row->order, row->wave ? "wave" : "stencil",
           row->slab, row->ms, row->gpoints, row->gbytes, row->percent, row->redundancy,
           row->registers, (long long)row->wrong, row->largest, row->mean,
           row->published ? row->published : "");
}

void stencil_output_row(stencil_output *out, const stencil_row *row)
{
  end_progress(out->options);
  print_row(row);
  fflush(stdout);
  write_csv(out, row);
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

bool stencil_output_close(stencil_output *out, bool ok)
{
  const char *const json = out->options->json;
  bool written = !out->failed;
  written = rows_close(&out->csv, ok) && written;
  if (json) written = output_save("hymg-stencil", "--json", json, json_write, out) && written;
  free(out->rows);
  out->rows = NULL;
  return written;
}
