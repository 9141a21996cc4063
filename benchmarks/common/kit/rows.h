/* Result files. An existing file stays until the new one is complete: that is written as FILE.new
 * in the same folder and then renamed. Anything but a regular file (a pipe, /dev/stdout) is written
 * to directly. */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stdio.h>

enum { OUTPUT_PATH = 4096 };

typedef struct output {
  FILE *file; /* NULL: not open */
  bool direct;
  char path[OUTPUT_PATH]; /* symbolic links resolved, so that a link stays one */
  char beside[OUTPUT_PATH + 8];
} output;

/* Before any work: can the file of this option be written? name NULL: none is wanted. Leaves nothing behind. False after a
 * message. */
bool output_check(const char *program, const char *option, const char *name);
/* NULL, or what went wrong. */
const char *output_open(output *o, const char *name);
/* Not ok: deletes the new file. False: it could not be written; errno says why. */
bool output_close(output *o, bool ok);
/* A file that is printed in one go. False after a message. */
bool output_save(const char *program, const char *option, const char *name,
                 bool (*print)(const void *what, FILE *file), const void *what);

/* What the head of a table tells about its run. */
typedef struct run_info {
  const char *program;
  int argc; /* as in main */
  char **argv;
  int ranks;        /* of mpirun; 0: started without it */
  int threads;      /* 0: not stated */
  char gpu[2][256]; /* lines, "" if there are none */
} run_info;

void run_info_print(const run_info *run, FILE *file, const char *prefix);

/* The table of --csv; with file NULL rows are discarded. */
typedef struct csv_table {
  const run_info *run;
  const char *name;    /* or NULL */
  const char *columns; /* the header line */
  output out;
  bool failed; /* the file could not be opened */
} csv_table;

/* Writes a row. The first one opens the file, so that a run without rows does not touch an existing
 * file. Rows are flushed and survive an interruption. */
__attribute__((format(printf, 2, 3))) void rows_add(csv_table *table, const char *format, ...);
/* complete false: the existing file stays and the rows written so far remain in FILE.new, as a
 * message says. False after a message: rows could not be written. */
bool rows_close(csv_table *table, bool complete);

/* JSON, with Jansson (the program's json.c) or without (json_absent.c): the name of the missing
 * package, or NULL. */
const char *json_missing(void);
/* Writes the program's results. False: out of memory or a failed write. */
bool json_write(const void *results, FILE *file);
/* Of hymg-fv alone: the description of the machine. */
bool json_write_machine(const void *results, FILE *file);

#endif
