/* What every program here asks of the system: host, processor, memory, date; a clock; whether what it
 * writes arrives. */
#ifndef FV_MACHINE_H
#define FV_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct fv_machine {
  char date[32]; /* ISO 8601, UTC */
  char host[128];
  char cpu[128];
  int cores;     /* online processors of this host */
  double memory; /* bytes of this host, 0 if unknown */
} fv_machine;

fv_machine fv_machine_info(void);
/* The most bytes this process has held so far. */
double fv_peak_bytes(void);
/* Seconds of a clock that only rises. */
double fv_clock(void);

/* First of all. False, and a message: standard output is closed, and the next file that is opened
 * would take its place. */
bool fv_stdout_begin(const char *program);
/* Last of all: the exit status; 3, and a message, where standard output did not take everything. */
int fv_stdout_end(const char *program, int code);
/* Could this file be written? It is left as it is, also if it is not there. False: errno says why. */
bool fv_can_write(const char *name);
/* False, and a message: something of it was not written. */
bool fv_close_file(const char *program, const char *name, FILE *file);

#endif
