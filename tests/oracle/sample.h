/* Random small systems of all kinds, one for each seed and number, and what they are in words. */
#ifndef ORACLE_SAMPLE_H
#define ORACLE_SAMPLE_H

#include "support/support.h"
#include <stdint.h>

/* What a table counts by. */
enum { SAMPLE_BOUNDARY, SAMPLE_SCHEME, SAMPLE_ALPHA, SAMPLE_BETA, SAMPLE_SOURCE, SAMPLE_ASPECTS };

typedef struct sample {
  support_case c;
  double *widths[3]; /* owned; NULL: equal cells */
  hymg_options o;
  bool plain;    /* constant coefficients in a box of equal cells, defaults */
  bool defaults; /* no option differs but an initial guess and path=robust */
  int boxes[3], threads;
  size_t cells;
  double *f, *guess; /* owned; guess NULL: none */
  double scale;      /* of f and of all data */
  const char *kind[SAMPLE_ASPECTS];
  char words[800];
  uint64_t state; /* of the generator */
} sample;

sample sample_of(uint64_t seed, int number);
void sample_free(sample *s);
/* Adds to the words. */
void sample_say(sample *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shared by the two files: numbers that are the same on every machine. */
double sample_real(sample *s, double low, double high);
/* 10 to the power of a random number between the two. */
double sample_power(sample *s, double low, double high);
int sample_below(sample *s, int n);
bool sample_chance(sample *s, double probability);
double *sample_array(size_t n);
/* Of the axis. */
double sample_width(const sample *s, int axis, int i);
/* The parts: coefficients, then f; both need shape, boundaries and widths. */
void sample_coefficients(sample *s);
void sample_source(sample *s);

#endif
