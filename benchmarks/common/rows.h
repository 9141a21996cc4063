/* Files of results. An older file stays until the new one is complete: it is written as FILE.new beside it and then
 * renamed. What is not a regular file (a pipe, /dev/stdout) is written to directly. */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stdio.h>

enum { OUTPUT_PATH = 4096 };

typedef struct output {
  FILE *file; /* NULL: not open */
  bool direct;
  char path[OUTPUT_PATH]; /* links followed, so that a link stays one */
  char beside[OUTPUT_PATH + 8];
} output;

/* NULL, or why this file cannot be written. Leaves nothing behind. */
const char *output_check(const char *name);
/* NULL, or what went wrong. */
const char *output_open(output *o, const char *name);
/* Not ok: the new file goes away. False: it could not be written; errno says why. */
bool output_close(output *o, bool ok);

/* What the head of a table says of its run. */
typedef struct run_info {
  const char *program;
  int argc; /* as main has them */
  char **argv;
  int ranks;        /* of mpirun; 0: started without */
  int threads;      /* 0: not said */
  char gpu[2][256]; /* lines, "" where there are none */
} run_info;

void run_info_print(const run_info *run, FILE *file, const char *prefix);

/* The table of --csv; with file NULL rows go nowhere. */
typedef struct csv_table {
  const run_info *run;
  const char *name;    /* or NULL */
  const char *columns; /* the line of their names */
  output out;
  bool failed; /* the file could not be opened */
} csv_table;

/* Before any work. False after a message. */
bool rows_check(const char *program, const char *name);
/* A line. The first one opens the file, so that a run without rows leaves an older file alone; they are there when the
 * program is interrupted. */
__attribute__((format(printf, 2, 3))) void rows_add(csv_table *table, const char *format, ...);
/* complete false: an older file stays, and the rows so far in FILE.new, as a message says. False after a message: they
 * could not be written. */
bool rows_close(csv_table *table, bool complete);

/* JSON, with Jansson (json.c of the program) or without (json_absent.c): the missing package by name, or NULL. */
const char *json_missing(void);
/* The program's results. False: out of memory or a failed write. */
bool json_write(const void *results, FILE *file);

#endif
