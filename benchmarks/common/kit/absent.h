/* For the files that stand for what a build does not have: a function with its declaration and its only statement. */
#ifndef ABSENT_H
#define ABSENT_H

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define ABSENT(function, statement)                                                                \
  function                                                                                         \
  {                                                                                                \
    statement;                                                                                     \
  }

#endif
