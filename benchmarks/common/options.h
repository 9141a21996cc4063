/* A command line as a table with a row for each option: getopt_long reads it, --help is printed from it, and every
 * refusal names the option, what it got and what it may be. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

typedef enum option_kind {
  OPTION_FLAG,  /* bool: becomes true */
  OPTION_SET,   /* int or enum: becomes low */
  OPTION_LAST,  /* as a flag, and nothing after it is read */
  OPTION_HELP,  /* prints the table and ends the program */
  OPTION_INT,   /* int from low to high */
  OPTION_REAL,  /* double from low to high */
  OPTION_WORD,  /* int or enum: the place in `words` */
  OPTION_TEXT,  /* const char * */
  OPTION_CUSTOM /* as `read` does it */
} option_kind;

typedef struct command_line command_line;
/* option: as messages name it. False after a message. */
typedef bool option_reader(const command_line *c, const char *option, const char *text,
                           void *target);

typedef struct option_row {
  const char *name, *argument, *help; /* argument NULL: takes none; help NULL: an alias */
  option_kind kind;
  void *target;
  double low, high;
  const char *wanted;       /* what a number must be; NULL: said by low and high */
  const char *const *words; /* NULL at the end */
  option_reader *read;
  char letter; /* or 0 */
} option_row;

enum { OPTIONS_MOST = 64 };
/* Exit statuses of all programs. */
enum { EXIT_WRONG = 1, EXIT_BAD_INPUT = 2, EXIT_AT_RUN_TIME = 3 };

struct command_line {
  const char *program, *usage; /* usage: all of --help above the options */
  const option_row *rows;
  int count;
  int column;                      /* of the help texts */
  const char *notes;               /* below them, or NULL */
  bool silent;                     /* another rank speaks */
  bool strict;                     /* no option twice; messages without getopt's */
  bool takes_words;                /* arguments that are no options */
  int num_words;                   /* how many there were */
  char **word;                     /* these */
  const char *given[OPTIONS_MOST]; /* by row: its name, or NULL */
};

/* False: the program ends with *code. argv is permuted as getopt_long does. */
bool options_read(command_line *c, int argc, char **argv, int *code);
bool options_given(const command_line *c, const char *name);

/* Say why a command line is refused, on one rank; all return false. */
__attribute__((format(printf, 2, 3))) bool options_refuse(const command_line *c, const char *format,
                                                          ...);
/* "OPTION 'TEXT': must be WANTED" */
bool options_unwanted(const command_line *c, const char *option, const char *text,
                      const char *wanted);

/* What readers are made from. */
bool options_int(const command_line *c, const char *option, const char *text, int low, int high,
                 int *value);
/* Numbers with `between` between them: how many, 0 after a message. wanted: what is said of more than `most`, or of
 * none. */
int options_ints(const command_line *c, const char *option, const char *text, char between,
                 const char *wanted, int most, const int range[2], int *value);
/* The word's place, -1 after a message. */
int options_word(const command_line *c, const char *option, const char *text,
                 const char *const *words);
/* Readers of bool[2]: "fv2" or "fv4" alone. */
option_reader options_read_stencil;

#endif
