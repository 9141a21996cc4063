/* SHA-256 as in FIPS 180-4, for the checksums of files. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdio.h>

/* The digest of these bytes in hexadecimal. */
typedef struct sha256_text {
  char text[65];
} sha256_text;
sha256_text sha256_of(const void *data, size_t bytes);

#endif
