/* What a terminal is shown beside the output proper: a line that is rewritten, and colours. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Is this a terminal that can clear a line? Not with TERM=dumb or without TERM. */
bool terminal_is(FILE *stream);
/* Are colours wanted there? Not if NO_COLOR is set and not empty. */
bool terminal_has_colours(FILE *stream);
/* Is the file of this name where standard output goes? */
bool terminal_is_stdout(const char *name);
/* Replaces the line that was shown last; "" clears it. Text that is too long for a line is cut. */
void terminal_show(FILE *stream, const char *text);

#endif
