/* Start and end of a program: under MPI (start_mpi.c) or alone (start_serial.c); one of the two is
 * linked. The rest of the program sees ranks through the context only. */
#ifndef START_H
#define START_H

#include "hymg.h"

/* Called before anything else. False: MPI did not start. */
bool start_begin(int *argc, char ***argv);
int start_rank(void);
int start_ranks(void);
/* A context over all ranks. options NULL: the defaults. */
hymg_status start_context(const hymg_context_options *options, hymg_context **context);
/* "mpi" or "self" */
const char *start_name(void);
/* Name and version of the MPI library as it runs, "" without MPI. */
void start_library(char text[256]);
/* Collective. The same number of bytes from every rank, in the order of ranks, into `all` on rank
 * 0 (elsewhere not used, may be NULL). False: it failed. */
bool start_gather(const void *mine, int bytes, void *all);
enum { START_NAME = 192 };
/* Collective. Is this the lowest rank of those that give this name? */
bool start_is_first(const char name[START_NAME]);
/* Ends all ranks at once with this exit code: for a failure that other ranks cannot detect
 * otherwise. */
_Noreturn void start_abort(int code);
/* After the context is destroyed. */
void start_end(void);

/* A whole program: calls run between start and end, then checks standard output. Returns the exit
 * status (start.c). */
int start_program(const char *name, int argc, char **argv, int (*run)(int argc, char **argv));
/* For failures after which no rank can continue alone: unless the status is HYMG_OK, ends all ranks
 * with a message. */
void start_require(const char *name, const hymg_context *context, hymg_status status);

#endif
