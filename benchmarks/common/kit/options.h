/* A command line described by a table with a row per option: getopt_long reads it, --help is
 * printed from it, and every error message names the option, what it got and what is allowed.
 * tools/write-manuals makes man pages and completions from what --help prints. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

typedef enum option_kind {
  OPTION_FLAG,    /* bool: set to true */
  OPTION_SET,     /* int or enum: set to low */
  OPTION_LAST,    /* as a flag, and there may be no words beside it */
  OPTION_HELP,    /* likewise; prints the table and ends the program */
  OPTION_VERSION, /* likewise; prints the version */
  OPTION_GROUP,   /* no option: `help` is the heading of those that follow */
  OPTION_INT,     /* int from low to high */
  OPTION_REAL,    /* double from low to high */
  OPTION_WORD,    /* int or enum: the index in `words` */
  OPTION_TEXT,    /* const char * */
  OPTION_CUSTOM   /* handled by `read` */
} option_kind;

typedef struct command_line command_line;
/* option: its name for messages. False after a message. */
typedef bool option_reader(const command_line *c, const char *option, const char *text,
                           void *target);

typedef struct option_row {
  /* argument: in the help what to write for the value: words as they are, the rest in capitals, |
   * between them: "N|auto". NULL: the words of OPTION_WORD, else the option takes no value.
   * help: a sentence's worth, without the range of OPTION_INT and without the default: these are
   * added. Lines are broken where --help needs it. */
  const char *name, *argument, *help;
  option_kind kind;
  void *target;
  double low, high;
  const char *wanted;       /* what a number must be; NULL: derived from low and high */
  const char *const *words; /* ends with NULL */
  option_reader *read;
  char letter; /* or 0 */
  /* in the help: what holds without the option. NULL: the value of OPTION_INT, OPTION_REAL and
   * OPTION_WORD before the command line is read; "": nothing to say */
  const char *otherwise;
} option_row;

/* The last rows of every table. */
#define OPTIONS_HELP_ROWS                                                                          \
  {.help = "Help", .kind = OPTION_GROUP},                                                          \
      {"help", NULL, "print this text and exit", .kind = OPTION_HELP, .letter = 'h'},              \
  {                                                                                                \
    "version", NULL, "print the version and how it was built, and exit", .kind = OPTION_VERSION,   \
                                                                         .letter = 'V'             \
  }

enum { OPTIONS_MOST = 96 };
/* Exit statuses of all programs. */
enum { EXIT_WRONG = 1, EXIT_BAD_INPUT = 2, EXIT_AT_RUN_TIME = 3 };

struct command_line {
  const char *program, *usage; /* usage: the text of --help above the options, in lines of 80 */
  const option_row *rows;
  int count;
  const char *example;             /* a command, and what it does */
  const char *notes;               /* below that, or NULL */
  bool silent;                     /* another rank prints the messages */
  bool strict;                     /* no option twice */
  bool takes_words;                /* arguments that are not options */
  int num_words;                   /* how many there were */
  char **word;                     /* these */
  const char *given[OPTIONS_MOST]; /* by row: its name, or NULL */
};

/* False: the program is to exit with *code. Permutes argv as getopt_long does. */
bool options_read(command_line *c, int argc, char **argv, int *code);
bool options_given(const command_line *c, const char *name);

/* --help and --version (help.c). otherwise: a text for each row, or "". */
enum { OPTIONS_TEXT = 64 };
void options_print_help(const command_line *c, char otherwise[][OPTIONS_TEXT]);
void options_print_version(const char *program);
/* What each option is before the command line is read, for the help. */
void options_remember(const command_line *c, char otherwise[][OPTIONS_TEXT]);
/* Does the option take a value? */
bool options_takes_value(const option_row *row);
/* Names that a mistyped one may have meant: those that it begins, else the nearest (similar.c). */
enum { OPTIONS_SIMILAR = 3 };
int options_similar(const command_line *c, const char *name, const char *found[OPTIONS_SIMILAR]);

/* Print why a command line is refused, on one rank; all return false. */
__attribute__((format(printf, 2, 3))) bool options_refuse(const command_line *c, const char *format,
                                                          ...);
/* "--NAME has no effectWHERE", of the first of these names that is given; true if none is. NULL ends the names. */
bool options_idle(const command_line *c, const char *const *names, const char *where);
/* "OPTION 'TEXT': must be WANTED" */
bool options_unwanted(const command_line *c, const char *option, const char *text,
                      const char *wanted);

/* Building blocks of readers. */
bool options_int(const command_line *c, const char *option, const char *text, int low, int high,
                 int *value);
/* Reads numbers separated by `between`: returns their count, 0 after a message. wanted: what the
 * message asks for if there are none or more than `most`. */
int options_ints(const command_line *c, const char *option, const char *text, char between,
                 const char *wanted, int most, const int range[2], int *value);
/* Index of the word, -1 after a message. */
int options_word(const command_line *c, const char *option, const char *text,
                 const char *const *words);
/* Readers of bool[2]: "fv2" or "fv4" alone. */
option_reader options_read_stencil;

#endif
