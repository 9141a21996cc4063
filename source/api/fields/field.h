/* What fields and solvers share. */
#ifndef HYMGI_API_FIELD_H
#define HYMGI_API_FIELD_H

#include "hierarchy/build.h"

/* Global extent of the entries of a field. */
void hymgi_field_extent(const hymg_field *field, int extent[3]);
/* field_data.c: the user's brick. EINVAL: NULL, negative counts. */
hymg_status hymgi_brick_of(hymg_context *context, const int low[3], const int count[3],
                           const ptrdiff_t stride[3], const void *data, hymgi_user_brick *brick);
/* Can the data of a field be used as a vector of the level? */
bool hymgi_in_place(const hymgi_level *level, const hymg_field *field);

#endif
