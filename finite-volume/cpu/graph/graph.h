/* Graphs on the host (source/multigrid/pairs.h). */
#ifndef HYMGI_CPU_GRAPH_H
#define HYMGI_CPU_GRAPH_H

#include "cpu/cpu.h"
#include "multigrid/pairs.h"

/* An array of so many numbers, at least one; NULL: no memory, and *ok is false then. */
void *hymgi_cpu_graph_array(size_t count, size_t size, bool *ok);
hymg_status hymgi_cpu_graph_status(hymg_context *context, bool ok, int nodes);

/* finest.c */
void hymgi_cpu_graph_couplings(const hymgi_level *level, double *const high[3], double *excess);
hymg_status hymgi_cpu_graph_finest(const hymgi_level *level, double *const high[3],
                                   const double *excess, hymgi_graph *graph);
/* match.c */
hymg_status hymgi_cpu_graph_match(hymg_context *context, int threads, hymgi_graph *graph, bool all,
                                  int *nodes);
/* coarsen.c */
hymg_status hymgi_cpu_graph_coarsen(hymg_context *context, int threads, hymgi_graph *fine,
                                    int nodes, hymgi_graph *coarse);
/* rows.c */
hymg_status hymgi_cpu_graph_pack(hymg_context *context, int threads, hymgi_graph *fine,
                                 hymgi_graph *graph);
/* sweeps.c */
extern const hymgi_graph_setup hymgi_cpu_graph_setup;
extern const hymgi_graph_ops hymgi_cpu_graphs;

#endif
