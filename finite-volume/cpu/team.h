/* team.c: how many threads a level gets. */
#ifndef HYMGI_CPU_TEAM_H
#define HYMGI_CPU_TEAM_H

#include "multigrid/level.h"

/* Number of threads that pays off for a level at present: one below some thousand cells. */
int hymgi_cpu_threads(const hymgi_level *level);

/* The number of threads if no other program uses the cores, so an upper bound: what is allocated for so many suits all
 * teams. */
int hymgi_cpu_most_threads(const hymgi_level *level);

/* Runs `part` on so many threads, each of which takes its share (host_share); `part` asks cpu.h, not OpenMP, for its
 * number and its team. One thread alone starts no team, which would take as long as a few rows of cells, also where
 * other threads solve other systems. */
void hymgi_cpu_share_out(hymg_context *context, int threads, void (*part)(void *user), void *user);

/* To be called where a level operation begins, every some milliseconds or more often: adapts the context's team to what
 * other programs leave of the cores. */
void hymgi_cpu_watch(hymg_context *context);

#endif
