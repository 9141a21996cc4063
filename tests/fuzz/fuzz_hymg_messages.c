/* The command line of hymg-messages. */
#define main program_main
#include "exchange/messages.c"
#undef main

#define PROGRAM "hymg-messages"
#include "fuzz/reader.h"
