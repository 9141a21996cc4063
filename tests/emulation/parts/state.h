/* What there is: handles, settings of the environment, failures. Part of emulation.cpp. */
#ifndef EMULATION_STATE_H
#define EMULATION_STATE_H

#include "cuda_runtime.h"
#undef __noinline__ /* the name of an attribute in the headers that follow */

#include "block.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include <signal.h>
#include <time.h>

typedef std::function<void()> emulated_work;

struct CUgraph_st {
  std::vector<emulated_work> nodes;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread = std::this_thread::get_id(); /* that began the capture */
  bool invalid = false, capturing = false;
};
struct CUgraphExec_st {
  std::shared_ptr<std::vector<emulated_work>> nodes;
};
struct CUstream_st {
  int device;
  CUgraph_st *capture;
};
struct CUevent_st {
  int device;
  bool timed, recorded;
  CUgraph_st *capture; /* where it was recorded, if that is a capture */
  double seconds;
};

namespace
{

struct allocation {
  size_t bytes;        /* as asked for */
  char *mapped;        /* from here ... */
  size_t mapped_bytes; /* ... so much, then a page that faults */
  cudaMemoryType type;
  int device;
  bool registered;       /* the user's own memory */
  int file = -1;         /* where its pages are, if other processes may map them */
  bool imported = false; /* another process's */
};

/* as many as have stacks for the threads of a cooperative launch */
constexpr int MULTIPROCESSORS = 32;
constexpr size_t ARENA_BYTES = size_t(16) << 30, SHARED_MAX = 227 << 10, SHARED_PLAIN = 48 << 10;

std::recursive_mutex mutex;
typedef std::lock_guard<std::recursive_mutex> guard;
std::map<char *, allocation> allocations;
std::set<cudaStream_t> streams;
std::set<cudaEvent_t> events;
std::set<cudaGraph_t> graphs;
std::set<cudaGraphExec_t> execs;
std::map<const void *, size_t> shared_limits;
std::deque<emulated_work> queue;
bool stalled; /* said by work that is to be called again: it waits for another process */
char *arena, *arena_used; /* device memory; up to where it was ever used */
int opened;
int shared_allocations; /* handed out or imported */
cudaError_t last_error, lost;
thread_local int current_device;

struct {
  std::string spec, what;
  long at = 0, count = 0;
} failure;

struct {
  size_t early, early_over_others;
  bool others_queued; /* kernels that may not start early */
} starts;

const char *setting(const char *name)
{
  const char *value = getenv(name);
  return value == nullptr ? "" : value;
}

long number(const char *name, long otherwise)
{
  const char *value = setting(name);
  return *value == 0 ? otherwise : atol(value);
}

double now()
{
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

cudaError_t answer(cudaError_t error)
{
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

/* Is this the call that HYMG_EMULATION_FAIL means? */
bool fails(const char *what)
{
  const char *spec = setting("HYMG_EMULATION_FAIL");
  if (failure.spec != spec) {
    failure.spec = spec;
    const size_t colon = failure.spec.find(':');
    failure.what = failure.spec.substr(0, colon);
    failure.at = colon == std::string::npos ? 0 : atol(spec + colon + 1);
    failure.count = 0;
    lost = last_error = cudaSuccess;
  }
  return failure.what == what && ++failure.count == failure.at;
}

/* the error that a lost device answers everything with */
cudaError_t sticky()
{
  fails("");
  return lost;
}

bool concurrent()
{
  return number("HYMG_EMULATION_CONCURRENT", 1) != 0;
}

int device_count()
{
  return int(number("HYMG_EMULATION_DEVICES", 1));
}

} // namespace

#endif
