/* See sha256.h. */
#include "common/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64 };

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int by)
{
  return x >> by | x << (32 - by);
}

static void schedule(const unsigned char *block, uint32_t w[64])
{
  for (int t = 0; t < 16; t++)
    w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
           (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
  for (int t = 16; t < 64; t++) {
    const uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
}

static void add_block(uint32_t hash[8], const unsigned char *block)
{
  uint32_t w[64], v[8]; /* v: a ... h of the standard */
  schedule(block, w);
  memcpy(v, hash, sizeof v);
  for (int t = 0; t < 64; t++) {
    const uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    const uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    const uint32_t first = v[7] + s1 + choice + constants[t] + w[t];
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first; /* was d */
    v[0] = first + s0 + majority;
  }
  for (int i = 0; i < 8; i++)
    hash[i] += v[i];
}

sha256_text sha256_of(const void *data, size_t bytes)
{
  /* the same of the square roots of the first 8 primes */
  uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const size_t whole = bytes / BLOCK * BLOCK, rest = bytes - whole;
  const uint64_t bits = (uint64_t)bytes * 8;
  unsigned char last[2 * BLOCK] = {0};
  const size_t padded = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
  sha256_text out;
  for (size_t at = 0; at < whole; at += BLOCK)
    add_block(hash, (const unsigned char *)data + at);
  if (rest > 0) memcpy(last, (const unsigned char *)data + whole, rest);
  last[rest] = 0x80;
  for (int i = 0; i < 8; i++)
    last[padded - 1 - (size_t)i] = (unsigned char)(bits >> (8 * i));
  for (size_t at = 0; at < padded; at += BLOCK)
    add_block(hash, last + at);
  for (int i = 0; i < 8; i++)
    snprintf(out.text + 8 * i, 9, "%08x", (unsigned)hash[i]);
  return out;
}
