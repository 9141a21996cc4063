/* Creating contexts. */
#ifndef HYMGI_PROBLEM_CONTEXT_H
#define HYMGI_PROBLEM_CONTEXT_H

#include "comm/context.h"

/* Takes ownership of comm, also on failure. */
hymg_status hymgi_context_create(hymgi_comm *comm, const hymg_context_options *options,
                                 hymg_context **context);

/* EINVAL for invalid options; NULL is valid. */
hymg_status hymgi_context_check(const hymg_context_options *options);

#endif
