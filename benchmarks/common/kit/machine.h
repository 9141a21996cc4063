/* The system: host, processor, memory, date; and whether standard output could be written. */
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
/* The first line of a file that begins so, without that and without its end. False: errno says why. */
bool fv_find_line(const char *path, const char *beginning, char *line, int size);

/* What a description of the host has besides; 0 or "" where it cannot be found. */
typedef struct fv_host {
  char os[160];        /* distribution and version of the kernel */
  char gpu_driver[64]; /* version of NVIDIA's */
  int sockets;
  int cores;    /* physical ones: a core with two threads counts once */
  double cache; /* bytes of all caches of the last level together */
  int numa_nodes;
  int network_cards; /* physical ones, not ports; -1: unknown */
} fv_host;

fv_host fv_host_info(void);
/* Of a folder as /sys: its NUMA nodes, 0 if unknown; its network cards, of Ethernet and InfiniBand. */
int fv_numa_nodes(const char *sys);
int fv_network_cards(const char *sys);

/* Where this process may run. */
typedef struct fv_binding {
  unsigned char processors[128]; /* a bit each */
  int count;                     /* 0: unknown */
  char proc_bind[48],
      places[48]; /* OMP_PROC_BIND and OMP_PLACES of the environment, "" if not set */
} fv_binding;

fv_binding fv_binding_info(void);
/* Memory that programs may still take without paging, 0 if unknown. */
double fv_available_bytes(void);
/* Peak memory of this process in bytes. */
double fv_peak_bytes(void);
/* n doubles on large pages if possible, as the library's fields are; NULL: no memory. The caller frees. */
double *fv_large_pages(size_t n);

/* Called first. False after a message if standard output is closed: the next file opened would take
 * its descriptor. */
bool fv_stdout_begin(const char *program);
/* Called last; returns the exit status: 3 after a message if not all output could be written. */
int fv_stdout_end(const char *program, int code);
#endif
