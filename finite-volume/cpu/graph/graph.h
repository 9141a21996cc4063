/* Graphs on the host (source/multigrid/pairs.h, graph_setup.h). */
#ifndef HYMGI_CPU_GRAPH_H
#define HYMGI_CPU_GRAPH_H

#include "cpu/cpu.h"
#include "multigrid/graph_setup.h"

/* sweeps.c */
extern const hymgi_graph_ops hymgi_cpu_graphs;
/* setup.c */
extern const hymgi_graph_setup hymgi_cpu_graph_setup;

#endif
