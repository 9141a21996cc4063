/* Checks that the CPU has the instructions that the library was compiled for. */
#ifndef HYMGI_BASE_CPU_H
#define HYMGI_BASE_CPU_H

#include <stdbool.h>

/* Has this CPU, and the operating system for it, all instruction sets that the compiler could use? */
bool hymgi_cpu_has_all(void);

#endif
