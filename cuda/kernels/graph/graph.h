/* The graphs of the pairs on the device (source/multigrid/pairs.h): packed graphs in device memory, a node a thread. */
#ifndef HYMGI_KERNELS_GRAPH_H
#define HYMGI_KERNELS_GRAPH_H

#include "runtime/device.h"

extern "C" {
#include "multigrid/graph_setup.h"

/* tail.cu */
int hymgi_cuda_graph_tail_from(const struct hymgi_pairs *pairs);
void hymgi_cuda_graph_tail(struct hymgi_pairs *pairs);

/* sweeps.cu */
extern const hymgi_graph_ops hymgi_cuda_graphs;
/* setup.cu */
extern const hymgi_graph_setup hymgi_cuda_graph_setup;
}

#endif
