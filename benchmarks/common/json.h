/* The result as one JSON object, schema hymg-fv/1: with Jansson (json.c) or without
 * (json_absent.c). */
#ifndef JSON_H
#define JSON_H

#include "hymg-fv/report.h"
#include <stdio.h>

/* The missing package by name, or NULL if JSON can be written. */
const char *json_missing(void);
/* False: out of memory or a failed write. */
bool json_write(const fv_report *report, FILE *file);

#endif
