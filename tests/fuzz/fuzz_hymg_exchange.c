/* The command line of hymg-exchange. */
#define main program_main
#include "exchange/exchange.c"
#undef main

#define PROGRAM "hymg-exchange"
#include "fuzz/reader.h"
