/* The threads of a block, one at a time: a thread runs until it waits at a barrier, then the next
 * one goes on. A thread that never waits costs a call. Part of emulation.cpp. */
#ifndef EMULATION_BLOCK_H
#define EMULATION_BLOCK_H

#include "switch.h"

#include <deque>
#include <vector>

#include <dlfcn.h>
#include <sched.h>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace
{

constexpr int MAX_THREADS = 1024, MAX_WARPS = MAX_THREADS / 32;
constexpr unsigned long long POISON = ~0ull;

enum class waits { no, at_block, at_shuffle, at_vote };

struct emulated_thread {
  uint3 index;
  fiber *on;
  waits wait;
  unsigned mask;            /* lanes of the warp it waits with */
  unsigned source;          /* lane whose value it wants */
  unsigned long long value; /* what it gave, then what it got */
};

struct emulated_block {
  emulated_thread threads[MAX_THREADS];
  unsigned alive[MAX_WARPS], waiting[MAX_WARPS]; /* lanes not returned; at a warp's barrier */
  int count, started, alive_count, at_barrier, current;
  bool backwards; /* threads in the opposite order */
  const std::function<void()> *run;
  const void *kernel;
};

emulated_block block;
fiber main_fiber;
std::deque<fiber> fibers;  /* all there are: addresses stay */
std::vector<fiber *> idle; /* those that run no thread */
int ready[MAX_THREADS];    /* a ring of threads that may go on */
unsigned ready_from, ready_to;
char *dynamic_shared;

/* "smooth(geom) at prog.c:12" as far as the symbols say */
void print_kernel(const void *kernel)
{
  Dl_info info;
  fprintf(stderr, "emulation:   kernel at %p", kernel);
  if (dladdr(kernel, &info) != 0 && info.dli_fname != nullptr) {
    char command[1024];
    const long offset = static_cast<const char *>(kernel) - static_cast<char *>(info.dli_fbase);
    snprintf(command, sizeof command, "addr2line -Cfpe '%s' 0x%lx >&2", info.dli_fname, offset);
    fprintf(stderr, " = %s + 0x%lx: ", info.dli_fname, offset);
    fflush(stderr);
    if (system(command) != 0) fprintf(stderr, "(no addr2line)\n");
  } else {
    fprintf(stderr, "\n");
  }
}

[[noreturn]] void die_in_kernel(const char *why)
{
  fprintf(stderr, "emulation: %s\n", why);
  print_kernel(block.kernel);
  fprintf(stderr, "emulation:   grid %u %u %u, block %u %u %u; in block %u %u %u\n", gridDim.x,
          gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z, blockIdx.x, blockIdx.y,
          blockIdx.z);
  static const char *const names[] = {"do not wait", "wait at __syncthreads", "wait at a shuffle",
                                      "wait at __syncwarp or a vote"};
  for (int w = 0; w < 4; w++) {
    int number = 0, first = -1;
    for (int t = 0; t < block.count; t++) {
      if ((block.alive[t / 32] >> t % 32 & 1) == 0 || int(block.threads[t].wait) != w) continue;
      if (number++ == 0) first = t;
    }
    if (number > 0)
      fprintf(stderr, "emulation:   %d threads %s, the first is thread %u %u %u\n", number,
              names[w], block.threads[first].index.x, block.threads[first].index.y,
              block.threads[first].index.z);
  }
  fprintf(stderr, "emulation:   %d threads have returned\n", block.count - block.alive_count);
  fflush(stderr);
  abort();
}

void make_ready(int t)
{
  block.threads[t].wait = waits::no;
  if (t != block.current) ready[ready_to++ % MAX_THREADS] = t;
}

bool release_block()
{
  if (block.at_barrier == 0 || block.at_barrier < block.alive_count) return false;
  unsigned long long yes = 0;
  for (int t = 0; t < block.count; t++)
    if (block.threads[t].wait == waits::at_block) yes += block.threads[t].value;
  const unsigned long long all = block.at_barrier;
  block.at_barrier = 0;
  for (int t = 0; t < block.count; t++) {
    if (block.threads[t].wait != waits::at_block) continue;
    block.threads[t].value = yes << 32 | all;
    make_ready(t);
  }
  return true;
}

/* The lanes of `mask` go on once all that have not returned wait at the same kind of barrier. */
bool release_lanes(int warp, unsigned mask, waits kind)
{
  const unsigned lanes = mask & block.alive[warp];
  if (lanes == 0 || (block.waiting[warp] & lanes) != lanes) return false;
  emulated_thread *threads = block.threads + 32 * warp;
  unsigned long long got[32];
  unsigned yes = 0;
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    const emulated_thread &lane = threads[__builtin_ctz(rest)];
    if (lane.mask != mask || lane.wait != kind) return false;
    yes |= (lane.value != 0 ? 1u : 0u) << __builtin_ctz(rest);
    /* undefined on a GPU */
    const bool there = lane.source < 32 && (lanes >> lane.source & 1) != 0;
    got[__builtin_ctz(rest)] = there ? threads[lane.source].value : POISON;
  }
  block.waiting[warp] &= ~lanes;
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    const int t = __builtin_ctz(rest);
    threads[t].value = kind == waits::at_vote ? yes : got[t];
    make_ready(32 * warp + t);
  }
  return true;
}

fiber *new_fiber();

/* Whose turn it is: a thread not yet started, one that may go on, or the end. */
fiber *next_fiber()
{
  if (block.started < block.count) return new_fiber();
  if (ready_from == ready_to) return &main_fiber;
  block.current = ready[ready_from++ % MAX_THREADS];
  if (ready_from + 1 < ready_to) /* the switch after the next one would wait for memory */
    block.threads[ready[(ready_from + 1) % MAX_THREADS]].on->machine.prefetch();
  threadIdx = block.threads[block.current].index;
  return block.threads[block.current].on;
}

/* from the waiting thread t; comes back when its wait is over */
void wait_for_others(int t)
{
  block.threads[t].on = running;
  fiber *next = next_fiber();
  if (next != running) switch_to(next);
}

void finish(int t)
{
  const int warp = t / 32;
  block.current = -1;
  block.alive_count--;
  block.alive[warp] &= ~(1u << t % 32);
  release_block();
  for (int lane = 32 * warp; block.waiting[warp] != 0 && lane < 32 * warp + 32; lane++)
    if ((block.waiting[warp] >> lane % 32 & 1) != 0)
      release_lanes(warp, block.threads[lane].mask, block.threads[lane].wait);
}

void fiber_main()
{
  arrive(nullptr);
  for (;;) {
    while (block.started < block.count) {
      const int k = block.started++, t = block.backwards ? block.count - 1 - k : k;
      block.current = t;
      threadIdx = block.threads[t].index;
      (*block.run)();
      finish(block.current);
    }
    idle.push_back(running);
    switch_to(next_fiber());
  }
}

fiber *new_fiber()
{
  if (idle.empty()) {
    fibers.emplace_back();
    fibers.back().create(fiber_main, int(fibers.size()));
    return &fibers.back();
  }
  fiber *last = idle.back();
  idle.pop_back();
  return last;
}

void number_threads()
{
  block.count = int(blockDim.x * blockDim.y * blockDim.z);
  for (int t = 0; t < block.count; t++) {
    block.threads[t].index.x = t % blockDim.x;
    block.threads[t].index.y = t / blockDim.x % blockDim.y;
    block.threads[t].index.z = t / blockDim.x / blockDim.y;
  }
}

void run_block()
{
  block.started = block.at_barrier = 0;
  block.alive_count = block.count;
  for (int w = 0; 32 * w < block.count; w++) {
    block.alive[w] = block.count >= 32 * w + 32 ? ~0u : (1u << block.count % 32) - 1;
    block.waiting[w] = 0;
  }
  for (int t = 0; t < block.count; t++)
    block.threads[t].wait = waits::no;
  running = &main_fiber;
  switch_to(next_fiber());
  if (block.alive_count > 0) die_in_kernel("a deadlock: every thread of a block waits");
}

void run_grid(const cudaLaunchConfig_t &config, const void *kernel,
              const std::function<void()> &run)
{
  gridDim = config.gridDim;
  blockDim = config.blockDim;
  block.kernel = kernel;
  block.run = &run;
  number_threads();
  const size_t blocks = size_t(gridDim.x) * gridDim.y * gridDim.z;
  for (size_t b = 0; b < blocks; b++) {
    const size_t n = block.backwards ? blocks - 1 - b : b;
    blockIdx.x = unsigned(n % gridDim.x);
    blockIdx.y = unsigned(n / gridDim.x % gridDim.y);
    blockIdx.z = unsigned(n / gridDim.x / gridDim.y);
    memset(dynamic_shared, 0xff, config.dynamicSmemBytes);
    run_block();
  }
  block.kernel = nullptr;
}

unsigned long long collective(waits kind, unsigned mask, unsigned long long value, unsigned source)
{
  const int t = block.current, warp = t / 32;
  emulated_thread &me = block.threads[t];
  me.mask = mask;
  me.value = value;
  me.source = source;
  me.wait = kind;
  if ((mask >> t % 32 & 1) == 0)
    die_in_kernel("a lane calls a warp function without being in its mask");
  block.waiting[warp] |= 1u << t % 32;
  if (!release_lanes(warp, mask, kind)) wait_for_others(t);
  return me.value;
}

} // namespace

int emulation_block_barrier(emulation_vote vote, bool predicate)
{
  const int t = block.current;
  emulated_thread &me = block.threads[t];
  me.wait = waits::at_block;
  me.value = predicate;
  block.at_barrier++;
  if (!release_block()) wait_for_others(t);
  const int yes = int(me.value >> 32), all = int(me.value & 0xffffffffu);
  return vote == EMULATION_COUNT ? yes : vote == EMULATION_AND ? yes == all : yes > 0;
}

unsigned long long emulation_exchange(unsigned mask, unsigned long long value, unsigned source)
{
  return collective(waits::at_shuffle, mask, value, source);
}

unsigned emulation_ballot(unsigned mask, bool predicate)
{
  return unsigned(collective(waits::at_vote, mask, predicate, 0));
}

unsigned emulation_lane()
{
  return block.current % 32;
}

unsigned emulation_active()
{
  return block.alive[block.current / 32];
}

/* What the thread waits for may be another process's. */
void emulation_pause()
{
  const int t = block.current;
  sched_yield();
  ready[ready_to++ % MAX_THREADS] = t;
  wait_for_others(t);
}

void *emulation_dynamic_shared()
{
  return dynamic_shared;
}

#endif
