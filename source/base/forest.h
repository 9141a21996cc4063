/* Sets that grow together: each member has a parent, in the end the smallest of its set. */
#ifndef HYMGI_BASE_FOREST_H
#define HYMGI_BASE_FOREST_H

#include <stdint.h>

static inline int64_t hymgi_root_of(int64_t *parent, int64_t member)
{
  while (parent[member] != member) {
    parent[member] = parent[parent[member]];
    member = parent[member];
  }
  return member;
}

static inline void hymgi_join(int64_t *parent, int64_t a, int64_t b)
{
  a = hymgi_root_of(parent, a), b = hymgi_root_of(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

#endif
