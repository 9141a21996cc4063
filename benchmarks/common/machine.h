/* What every program here asks of the system: host, processor, memory, date; whether its output
 * arrives. */
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

/* First of all. False, and a message: standard output is closed, and the next file that is opened
 * would take its place. */
bool fv_stdout_begin(const char *program);
/* Last of all: the exit status; 3, and a message, where standard output did not take everything. */
int fv_stdout_end(const char *program, int code);
#endif
