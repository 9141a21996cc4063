/* The results that the studies published. */
#ifndef STENCIL_PUBLISHED_H
#define STENCIL_PUBLISHED_H

#include "stencils/cpu/stencil.h"

/* For a kernel of a case on a GPU at some order; NULL: none published. */
const char *stencil_published(const stencil_job *job, const char *kernel);

#endif
