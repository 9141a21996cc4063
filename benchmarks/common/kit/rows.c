/* See rows.h. */
#define _GNU_SOURCE
#include "common/kit/rows.h"

#include "common/kit/machine.h"
#include "hymg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

/* In a folder that others may write into, a link could lead to any file of this user's. */
static bool is_link_of_another(const char *name)
{
  struct stat info;
  return lstat(name, &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != geteuid() &&
         info.st_uid != 0;
}

static const char *find(output *o, const char *name)
{
  struct stat info;
  if (is_link_of_another(name)) return "is a symbolic link of another user";
  const bool exists = stat(name, &info) == 0;
  *o = (output){.direct = exists && !S_ISREG(info.st_mode)};
  if (strlen(name) >= OUTPUT_PATH) return "the file name is too long";
  if (exists && S_ISDIR(info.st_mode)) return "is a directory";
  if (exists && access(name, W_OK) != 0) return strerror(errno);
  if (!exists || o->direct || !realpath(name, o->path)) strcpy(o->path, name);
  snprintf(o->beside, sizeof o->beside, "%s.new", o->path);
  return NULL;
}

/* Is the file beside what an earlier run of this user has left? */
static bool is_left(const output *o)
{
  struct stat info;
  return lstat(o->beside, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
         access(o->beside, W_OK) == 0;
}

/* -1 with errno. */
static int create_beside(const output *o)
{
  if (is_left(o)) unlink(o->beside);
  return open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* For messages about the file beside, whose name only we know. */
static const char *why_not_beside(void)
{
  return errno == EEXIST
             ? "NAME.new, where it is written first, is there and no plain file of this user"
             : strerror(errno);
}

static const char *why_not(const char *name)
{
  output o;
  const char *why = find(&o, name);
  if (why || o.direct || is_left(&o)) return why;
  const int file = create_beside(&o);
  if (file < 0) return why_not_beside();
  close(file);
  unlink(o.beside);
  return NULL;
}

static bool refuse(const char *program, const char *option, const char *name, const char *why)
{
  fprintf(stderr, "%s: %s %s: cannot write there: %s\n", program, option, name, why);
  return false;
}

bool output_check(const char *program, const char *option, const char *name)
{
  const char *why = name ? why_not(name) : NULL;
  return !why || refuse(program, option, name, why);
}

const char *output_open(output *o, const char *name)
{
  struct stat old;
  const char *why = find(o, name);
  if (why) return why;
  const int file = o->direct ? open(o->path, O_WRONLY | O_CLOEXEC) : create_beside(o);
  if (file < 0) return o->direct ? strerror(errno) : why_not_beside();
  if (!(o->file = fdopen(file, "w"))) {
    why = strerror(errno);
    close(file);
    return why;
  }
  if (!o->direct && stat(o->path, &old) == 0 && fchmod(fileno(o->file), old.st_mode & 0777) != 0)
    errno = 0; /* the new file gets default permissions then */
  return NULL;
}

/* False: part of it could not be written. */
static bool end_file(output *o)
{
  bool ok = fflush(o->file) == 0 && !ferror(o->file);
  ok = (o->direct || fsync(fileno(o->file)) == 0) && ok;
  ok = fclose(o->file) == 0 && ok;
  o->file = NULL;
  return ok;
}

bool output_close(output *o, bool ok)
{
  ok = end_file(o) && ok;
  if (o->direct || (ok && rename(o->beside, o->path) == 0)) return ok;
  const int why = errno;
  unlink(o->beside);
  errno = why;
  return false;
}

bool output_save(const char *program, const char *option, const char *name,
                 bool (*print)(const void *what, FILE *file), const void *what)
{
  output o;
  const char *why = output_open(&o, name);
  if (!why && output_close(&o, print(what, o.file))) return true;
  fprintf(stderr, "%s: %s %s: writing failed: %s\n", program, option, name,
          why ? why : strerror(errno));
  return false;
}

/* ---- tables ---- */

void run_info_print(const run_info *run, FILE *file, const char *prefix)
{
  const fv_machine m = fv_machine_info();
  const hymg_build build = hymg_build_info();
  fprintf(file, "%smachine: %s, %d cores\n", prefix, m.cpu, m.cores);
  for (int line = 0; line < 2 && *run->gpu[line]; line++)
    fprintf(file, "%s%s\n", prefix, run->gpu[line]);
  fprintf(file, "%sdate: %s\n%scommit: %s\n%scompiler: %s\n%sflags: %s\n%scommand: ", prefix,
          m.date, prefix, *build.commit ? build.commit : "unknown", prefix, build.compiler, prefix,
          build.flags, prefix);
  if (run->ranks > 0) fprintf(file, "mpirun -n %d ", run->ranks);
  fputs(run->program, file);
  for (int i = 1; i < run->argc; i++)
    fprintf(file, " %s", run->argv[i]);
  fputc('\n', file);
  if (run->threads > 0) fprintf(file, "%sthreads: %d\n", prefix, run->threads);
}

void rows_add(csv_table *table, const char *format, ...)
{
  va_list list;
  if (!table->name) return;
  if (!table->out.file) {
    const char *why = table->failed ? NULL : output_open(&table->out, table->name);
    if (why) table->failed = !refuse(table->run->program, "--csv", table->name, why);
    if (table->failed) return;
    run_info_print(table->run, table->out.file, "# ");
    fprintf(table->out.file, "%s\n", table->columns);
  }
  va_start(list, format);
  vfprintf(table->out.file, format, list);
  va_end(list);
  fputc('\n', table->out.file);
  fflush(table->out.file);
}

bool rows_close(csv_table *table, bool complete)
{
  if (!table->out.file) return !table->failed;
  if (!complete && !table->out.direct) {
    fprintf(stderr, "%s: %s is as it was; the rows so far are in %s\n", table->run->program,
            table->name, table->out.beside);
    return end_file(&table->out);
  }
  if (output_close(&table->out, true)) return true;
  fprintf(stderr, "%s: --csv %s: could not be written\n", table->run->program, table->name);
  return false;
}
