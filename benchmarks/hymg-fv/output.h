/* The --json file: known to be writable before the work, replaced at the end in one step. */
#ifndef FV_OUTPUT_H
#define FV_OUTPUT_H

#include "hymg-fv/report.h"

/* Creates and removes a file beside it, so that nothing is left behind however the run ends. */
bool fv_output_check(const char *path, fv_error *error);
/* Writes beside it and renames, so that an older file survives a failure. What is not a regular
 * file (a pipe, /dev/stdout) is written to directly. */
bool fv_output_write(const char *path, const fv_report *report, fv_error *error);

#endif
