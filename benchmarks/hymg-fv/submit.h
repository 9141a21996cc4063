/* --submit FOLDER: the record, the log, the description of the machine and their checksums. All is
 * written into FOLDER.new, which takes the folder's name when everything is in it, so that a folder
 * with that name is always whole. Rank 0 alone calls these. */
#ifndef FV_SUBMIT_H
#define FV_SUBMIT_H

#include "common/kit/rows.h"
#include "hymg-fv/report.h"

typedef struct fv_submission {
  char folder[OUTPUT_PATH], beside[OUTPUT_PATH + 8];
  int out;    /* the program's standard output */
  int log;    /* log.txt, which stands for it meanwhile */
  long shown; /* bytes of the log that were passed on */
  bool lost;  /* some of them could not be */
} fv_submission;

/* Makes FOLDER.new and begins the log. NULL, or why it cannot: the folder must not exist or be
 * empty. */
const char *fv_submission_begin(fv_submission *s, const char *folder);
/* Passes on to standard output what was printed since the last call. */
void fv_submission_show(fv_submission *s);
/* Ends the log; with a report writes the other files, without one removes FOLDER.new. False after a
 * message; what was written is then in FOLDER.new. */
bool fv_submission_end(fv_submission *s, const fv_report *report);

#endif
