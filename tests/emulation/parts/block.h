/* The threads of a block, one at a time: a thread runs until it waits at a barrier, then the next
 * one goes on. Those of a warp that has met go on at once, while their stacks are in the cache. A thread that never
 * waits costs a call. Blocks run one after the other; those of a
 * cooperative launch take turns, whenever a thread pauses. Part of emulation.cpp. */
#ifndef EMULATION_BLOCK_H
#define EMULATION_BLOCK_H

#include "switch.h"

#include <deque>
#include <memory>
#include <vector>

#include <dlfcn.h>
#include <sched.h>
#include <time.h>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace
{

constexpr int MAX_THREADS = 1024, MAX_WARPS = MAX_THREADS / 32;
constexpr unsigned long long POISON = ~0ull;

enum class waits { no, at_block, at_shuffle, at_vote, at_sum, at_largest };

struct emulated_thread {
  uint3 index;
  fiber *on;
  waits wait;
  bool lets_successors_start;
  unsigned mask;            /* lanes of the warp it waits with */
  unsigned source;          /* lane whose value it wants */
  unsigned long long value; /* what it gave, then what it got */
};

struct emulated_gathering {
  size_t arrived;
  unsigned times;
};

struct emulated_block {
  dim3 shape = dim3(0, 0, 0); /* that the threads have their indices for */
  emulated_thread threads[MAX_THREADS];
  unsigned alive[MAX_WARPS], waiting[MAX_WARPS]; /* lanes not returned; at a warp's barrier */
  int count, started, alive_count, at_barrier, current;
  int ready[MAX_THREADS]; /* a ring of threads that may go on */
  unsigned ready_from, ready_to;
  unsigned soon;               /* lanes of a warp that go on before them */
  int soon_warp, soon_in_turn; /* which; warps in turn that did */
  uint3 index;
  char *dynamic_shared;
};

struct emulated_grid {
  bool backwards;                /* blocks and threads in the opposite order */
  bool together;                 /* blocks take turns */
  void (*run)(const void *call); /* a thread, with these arguments */
  const void *call;
  const void *kernel;
  int in_vain; /* rounds of pauses since something went on */
};

emulated_grid grid;
emulated_gathering gathering;                    /* of the blocks that take turns */
std::vector<emulated_block *> turns;             /* these blocks */
emulated_block only_block, *block = &only_block; /* the one that runs */
fiber main_fiber;
std::deque<fiber> fibers;  /* all there are: addresses stay */
std::vector<fiber *> idle; /* those that run no thread */
char *dynamic_shared;      /* of the only block */

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
  print_kernel(grid.kernel);
  fprintf(stderr, "emulation:   grid %u %u %u, block %u %u %u; in block %u %u %u\n", gridDim.x,
          gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z, blockIdx.x, blockIdx.y,
          blockIdx.z);
  static const char *const names[] = {"do not wait",
                                      "wait at __syncthreads",
                                      "wait at a shuffle",
                                      "wait at __syncwarp or a vote",
                                      "wait at __reduce_add_sync",
                                      "wait at __reduce_max_sync"};
  for (int w = 0; w < int(sizeof names / sizeof *names); w++) {
    int number = 0, first = -1;
    for (int t = 0; t < block->count; t++) {
      if ((block->alive[t / 32] >> t % 32 & 1) == 0 || int(block->threads[t].wait) != w) continue;
      if (number++ == 0) first = t;
    }
    if (number > 0)
      fprintf(stderr, "emulation:   %d threads %s, the first is thread %u %u %u\n", number,
              names[w], block->threads[first].index.x, block->threads[first].index.y,
              block->threads[first].index.z);
  }
  fprintf(stderr, "emulation:   %d threads have returned\n", block->count - block->alive_count);
  fflush(stderr);
  abort();
}

void make_ready(int t)
{
  block->threads[t].wait = waits::no;
  if (t != block->current) block->ready[block->ready_to++ % MAX_THREADS] = t;
}

bool release_block()
{
  if (block->at_barrier == 0 || block->at_barrier < block->alive_count) return false;
  unsigned long long yes = 0;
  for (int t = 0; t < block->count; t++)
    if (block->threads[t].wait == waits::at_block) yes += block->threads[t].value;
  const unsigned long long all = block->at_barrier;
  block->at_barrier = 0;
  grid.in_vain = 0;
  for (int t = 0; t < block->count; t++) {
    if (block->threads[t].wait != waits::at_block) continue;
    block->threads[t].value = yes << 32 | all;
    make_ready(t);
  }
  return true;
}

/* A warp that always went on first could wait for others for ever. */
constexpr int MOST_IN_TURN = 64;

/* The lane that goes on at once is none of these. */
void lanes_ready(int warp, unsigned lanes)
{
  if (block->soon != 0 || block->soon_in_turn >= MOST_IN_TURN) {
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1)
      make_ready(32 * warp + __builtin_ctz(rest));
    return;
  }
  block->soon_in_turn++;
  block->soon = lanes;
  block->soon_warp = warp;
  if (block->current >= 0 && block->current / 32 == warp)
    block->soon &= ~(1u << block->current % 32);
}

/* The lanes of `mask` go on once all that have not returned wait at the same kind of barrier. */
bool release_lanes(int warp, unsigned mask, waits kind)
{
  const unsigned lanes = mask & block->alive[warp];
  if (lanes == 0 || (block->waiting[warp] & lanes) != lanes) return false;
  emulated_thread *threads = block->threads + 32 * warp;
  unsigned long long got[32], all = 0;
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    const emulated_thread &lane = threads[l];
    if (lane.mask != mask || lane.wait != kind) return false;
    if (kind == waits::at_vote)
      all |= (lane.value != 0 ? 1ull : 0ull) << l;
    else if (kind == waits::at_sum)
      all += lane.value;
    else if (kind == waits::at_largest)
      all = lane.value > all ? lane.value : all;
    else /* undefined on a GPU */
      got[l] =
          lane.source < 32 && (lanes >> lane.source & 1) != 0 ? threads[lane.source].value : POISON;
  }
  block->waiting[warp] &= ~lanes;
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    threads[l].value = kind == waits::at_shuffle ? got[l] : all;
  }
  lanes_ready(warp, lanes);
  return true;
}

/* Called again and again, in_vain times until now: another process may need the core for long. */
void let_others_work(int *in_vain)
{
  const timespec while_they_do = {0, 50000};
  if (++*in_vain < 50)
    sched_yield();
  else
    nanosleep(&while_they_do, nullptr);
}

fiber *new_fiber();

/* Whose turn it is: one of a warp that has met, a thread not yet started, one that may go on, or the end. */
fiber *next_fiber()
{
  if (block->soon != 0) {
    block->current = 32 * block->soon_warp + __builtin_ctz(block->soon);
    block->soon &= block->soon - 1;
    threadIdx = block->threads[block->current].index;
    return block->threads[block->current].on;
  }
  block->soon_in_turn = 0;
  if (block->started < block->count) return new_fiber();
  if (block->ready_from == block->ready_to) return &main_fiber;
  block->current = block->ready[block->ready_from++ % MAX_THREADS];
  if (block->ready_from + 1 <
      block->ready_to) /* the switch after the next one would wait for memory */
    block->threads[block->ready[(block->ready_from + 1) % MAX_THREADS]].on->machine.prefetch();
  threadIdx = block->threads[block->current].index;
  return block->threads[block->current].on;
}

/* from the waiting thread t; comes back when its wait is over */
void wait_for_others(int t)
{
  block->threads[t].on = running;
  fiber *next = next_fiber();
  if (next != running) switch_to(next);
}

void finish(int t)
{
  const int warp = t / 32;
  block->current = -1;
  block->alive_count--;
  block->alive[warp] &= ~(1u << t % 32);
  release_block();
  for (int lane = 32 * warp; block->waiting[warp] != 0 && lane < 32 * warp + 32; lane++)
    if ((block->waiting[warp] >> lane % 32 & 1) != 0)
      release_lanes(warp, block->threads[lane].mask, block->threads[lane].wait);
}

void fiber_main()
{
  arrive(nullptr);
  for (;;) {
    while (block->soon == 0 && block->started < block->count) {
      const int k = block->started++, t = grid.backwards ? block->count - 1 - k : k;
      block->current = t;
      block->threads[t].lets_successors_start = false;
      threadIdx = block->threads[t].index;
      grid.run(grid.call);
      finish(block->current);
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

/* In the block at hand; a block that ended has left none waiting. */
void number_threads()
{
  emulated_thread *t = block->threads;
  for (unsigned k = 0; k < blockDim.z; k++)
    for (unsigned j = 0; j < blockDim.y; j++)
      for (unsigned i = 0; i < blockDim.x; i++, t++)
        t->index = {i, j, k}, t->wait = waits::no;
  block->shape = blockDim;
}

void begin_block(size_t n, char *shared, size_t shared_bytes)
{
  block->count = int(blockDim.x * blockDim.y * blockDim.z);
  block->started = block->at_barrier = 0;
  block->ready_from = block->ready_to = 0;
  block->soon = 0;
  block->soon_in_turn = 0;
  block->alive_count = block->count;
  if (block->shape.x != blockDim.x || block->shape.y != blockDim.y || block->shape.z != blockDim.z)
    number_threads();
  for (int w = 0; 32 * w < block->count; w++) {
    block->alive[w] = block->count >= 32 * w + 32 ? ~0u : (1u << block->count % 32) - 1;
    block->waiting[w] = 0;
  }
  block->index.x = unsigned(n % gridDim.x);
  block->index.y = unsigned(n / gridDim.x % gridDim.y);
  block->index.z = unsigned(n / gridDim.x / gridDim.y);
  block->dynamic_shared = shared;
  memset(shared, 0xff, shared_bytes);
}

/* Until all its threads have returned or, in a cooperative launch, one pauses. */
void run_block()
{
  blockIdx = block->index;
  running = &main_fiber;
  switch_to(next_fiber());
  const bool paused = grid.together && (block->soon != 0 || block->ready_from != block->ready_to);
  if (block->alive_count > 0 && !paused) die_in_kernel("a deadlock: every thread of a block waits");
}

void run_together(size_t blocks, size_t shared_bytes)
{
  constexpr size_t LINE = 128;
  static std::vector<std::unique_ptr<emulated_block>> all; /* kept for the next launch */
  std::vector<char> shared(blocks * (shared_bytes + 2 * LINE) + LINE);
  char *next = shared.data() + (LINE - reinterpret_cast<uintptr_t>(shared.data()) % LINE);
  for (size_t b = 0; b < blocks; b++) {
    if (b == all.size()) all.push_back(std::make_unique<emulated_block>());
    block = all[b].get();
    begin_block(b, next, shared_bytes);
    turns.push_back(block);
    next += (shared_bytes + LINE - 1) / LINE * LINE;
  }
  for (size_t left = blocks; left > 0;)
    for (size_t m = 0; m < blocks; m++) {
      block = all[grid.backwards ? blocks - 1 - m : m].get();
      if (block->alive_count == 0) continue;
      run_block();
      left -= block->alive_count == 0;
    }
  block = &only_block;
  turns.clear();
}

void run_grid(const cudaLaunchConfig_t &config, const void *kernel, bool together,
              void (*run)(const void *call), const void *call)
{
  gridDim = config.gridDim;
  blockDim = config.blockDim;
  grid.kernel = kernel;
  grid.in_vain = 0;
  grid.run = run;
  grid.call = call;
  grid.together = together;
  const size_t blocks = size_t(gridDim.x) * gridDim.y * gridDim.z;
  if (together) run_together(blocks, config.dynamicSmemBytes);
  for (size_t b = 0; b < blocks && !together; b++) {
    begin_block(grid.backwards ? blocks - 1 - b : b, dynamic_shared, config.dynamicSmemBytes);
    run_block();
  }
  grid.kernel = nullptr;
}

unsigned long long collective(waits kind, unsigned mask, unsigned long long value, unsigned source)
{
  const int t = block->current, warp = t / 32;
  emulated_thread &me = block->threads[t];
  me.mask = mask;
  me.value = value;
  me.source = source;
  me.wait = kind;
  if ((mask >> t % 32 & 1) == 0)
    die_in_kernel("a lane calls a warp function without being in its mask");
  block->waiting[warp] |= 1u << t % 32;
  if (!release_lanes(warp, mask, kind)) wait_for_others(t);
  me.wait = waits::no;
  return me.value;
}

} // namespace

int emulation_block_barrier(emulation_vote vote, bool predicate)
{
  const int t = block->current;
  emulated_thread &me = block->threads[t];
  me.wait = waits::at_block;
  me.value = predicate;
  block->at_barrier++;
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

unsigned emulation_sum(unsigned mask, unsigned value)
{
  return unsigned(collective(waits::at_sum, mask, value, 0));
}

unsigned emulation_largest(unsigned mask, unsigned value)
{
  return unsigned(collective(waits::at_largest, mask, value, 0));
}

unsigned emulation_lane()
{
  return block->current % 32;
}

unsigned emulation_active()
{
  return block->alive[block->current / 32];
}

/* What the thread waits for may be another process's, or another block's: the core is given away once for all
 * threads of the block. */
void emulation_pause()
{
  static int pauses;
  const int t = block->current;
  if (++pauses >= block->alive_count) {
    pauses = 0;
    let_others_work(&grid.in_vain);
  }
  block->ready[block->ready_to++ % MAX_THREADS] = t;
  if (!grid.together) {
    wait_for_others(t);
    return;
  }
  block->threads[t].on = running;
  switch_to(block->started < block->count ? next_fiber() : &main_fiber);
}

void emulation_lets_successors_start()
{
  block->threads[block->current].lets_successors_start = true;
}

void emulation_before_successors()
{
  if (block->threads[block->current].lets_successors_start)
    die_in_kernel("what the next kernel reads at its start is written after it may have started");
}

void *emulation_dynamic_shared()
{
  return block->dynamic_shared;
}

void *emulation_shared_of(unsigned number)
{
  return turns.at(number)->dynamic_shared;
}

void emulation_meet_blocks()
{
  const unsigned times = gathering.times;
  if (++gathering.arrived == turns.size() * size_t(block->count)) {
    gathering.arrived = 0;
    gathering.times++;
  }
  while (gathering.times == times)
    emulation_pause();
}

#endif
