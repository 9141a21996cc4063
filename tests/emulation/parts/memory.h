/* Allocations: device memory in one arena out of the reach of the host, each with a page after it
 * that faults; what a fault was; the queue of work, which opens the arena; copies. Part of
 * emulation.cpp. */
#ifndef EMULATION_MEMORY_H
#define EMULATION_MEMORY_H

#include "state.h"

#include <sched.h>
#include <unistd.h>

namespace
{

allocation *find(const void *pointer, char **start = nullptr)
{
  char *address = static_cast<char *>(const_cast<void *>(pointer));
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return nullptr;
  auto &[low, found] = *--next;
  if (address >= low + found.bytes && address != low) return nullptr;
  if (start != nullptr) *start = low;
  return &found;
}

bool kept_open()
{
  return number("HYMG_EMULATION_OPEN", 0) != 0;
}

/* Managed memory, where host and kernels may not use it at the same time. */
void reach_managed(bool reach)
{
  if (concurrent()) return;
  for (const auto &[low, a] : allocations)
    if (a.type == cudaMemoryTypeManaged)
      mprotect(a.mapped, a.mapped_bytes, reach ? PROT_READ | PROT_WRITE : PROT_NONE);
}

/* Device memory is in reach between the two; they nest. */
void open_arena()
{
  if (opened++ > 0) return;
  for (const auto &[low, a] : allocations)
    if (a.type == cudaMemoryTypeDevice) mprotect(a.mapped, a.mapped_bytes, PROT_READ | PROT_WRITE);
}

void close_arena()
{
  if (--opened > 0 || kept_open() || arena_used == arena) return;
  mprotect(arena, arena_used - arena, PROT_NONE);
}

/* In a signal handler, but in a process that is about to end. */
void explain_fault(char *at)
{
  char *low = nullptr;
  for (const fiber &f : fibers)
    if (f.guards(at)) fprintf(stderr, "emulation: the stack of a thread overflowed\n");
  for (const auto &[start, a] : allocations)
    if (at >= a.mapped && at < a.mapped + a.mapped_bytes + PAGE && !a.registered) low = start;
  if (low != nullptr || (at >= arena && at < arena + ARENA_BYTES))
    fprintf(stderr, "emulation: %s touched %p, ",
            grid.kernel != nullptr ? "a kernel"
            : opened > 0           ? "a copy"
                                   : "the host (no kernel and no copy runs)",
            static_cast<void *>(at));
  if (low != nullptr)
    fprintf(stderr, "byte %ld of the %zu allocated at %p\n", long(at - low), allocations[low].bytes,
            static_cast<void *>(low));
  else if (at >= arena && at < arena + ARENA_BYTES)
    fprintf(stderr, "device memory that is not allocated (any more)\n");
  if (grid.kernel != nullptr) print_kernel(grid.kernel);
  fflush(stderr);
}

struct sigaction old_segv;

void on_segv(int, siginfo_t *info, void *)
{
  explain_fault(static_cast<char *>(info->si_addr));
  sigaction(SIGSEGV, &old_segv, nullptr); /* the instruction faults again, now for whom it was */
}

void report_alive()
{
  if (number("HYMG_EMULATION_LEAKS", 0) == 0 || emulation_alive() == 0) return;
  fprintf(stderr,
          "emulation: alive at exit: %zu allocations, %zu streams, %zu events, %zu graphs, %zu "
          "instances\n",
          allocations.size(), streams.size(), events.size(), graphs.size(), execs.size());
  _exit(23);
}

void *map(void *where, size_t bytes, int protection)
{
  void *at = mmap(where, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

bool start_up()
{
  if (arena != nullptr) return true;
  arena = arena_used = static_cast<char *>(map(nullptr, ARENA_BYTES, PROT_NONE));
  dynamic_shared = static_cast<char *>(map(nullptr, SHARED_MAX + PAGE, PROT_READ | PROT_WRITE));
  void *signal_stack = map(nullptr, 4 * PAGE, PROT_READ | PROT_WRITE);
  if (arena == nullptr || dynamic_shared == nullptr || signal_stack == nullptr) return false;
  stack_t alternate = {};
  alternate.ss_sp = signal_stack;
  alternate.ss_size = 4 * PAGE;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_segv;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &old_segv);
  atexit(report_alive);
  return true;
}

/* Room in the arena, from where the last was found: what was freed stays out of use for long. */
char *take_from_arena(size_t bytes)
{
  static size_t from;
  for (int round = 0; round < 2; round++, from = 0) {
    for (char *at = arena + from; at + bytes <= arena + ARENA_BYTES;) {
      auto next = allocations.lower_bound(at);
      while (next != allocations.end() && next->second.type != cudaMemoryTypeDevice)
        ++next;
      if (next == allocations.end() || at + bytes <= next->second.mapped) {
        from = at + bytes - arena;
        return at;
      }
      at = next->second.mapped + next->second.mapped_bytes + PAGE;
    }
  }
  return nullptr;
}

size_t used_memory(int device)
{
  size_t used = 0;
  for (const auto &[low, a] : allocations)
    if (a.type != cudaMemoryTypeHost && a.device == device && !a.imported) used += a.mapped_bytes;
  return used;
}

size_t total_memory()
{
  return size_t(number("HYMG_EMULATION_MEMORY", 4096)) << 20;
}

/* A capture of mode global forbids it to all threads, one of mode thread local to its own. */
bool capture_forbids()
{
  for (CUgraph_st *graph : graphs)
    if (graph->capturing && (graph->mode == cudaStreamCaptureModeGlobal ||
                             (graph->mode == cudaStreamCaptureModeThreadLocal &&
                              graph->thread == std::this_thread::get_id()))) {
      graph->invalid = true;
      return true;
    }
  return false;
}

cudaError_t allocate(void **pointer, size_t bytes, cudaMemoryType type)
{
  const guard locked(mutex);
  if (sticky() != cudaSuccess) return answer(lost);
  if (pointer == nullptr) return answer(cudaErrorInvalidValue);
  if (capture_forbids()) return answer(cudaErrorStreamCaptureUnsupported);
  if (fails("malloc") || !start_up()) return answer(cudaErrorMemoryAllocation);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const size_t mapped_bytes = (bytes + PAGE - 1) / PAGE * PAGE;
  const bool on_device = type == cudaMemoryTypeDevice;
  if (type != cudaMemoryTypeHost && used_memory(current_device) + mapped_bytes > total_memory())
    return answer(cudaErrorMemoryAllocation);
  char *mapped = on_device ? take_from_arena(mapped_bytes + PAGE)
                           : static_cast<char *>(map(nullptr, mapped_bytes + PAGE, PROT_NONE));
  if (mapped == nullptr || mprotect(mapped, mapped_bytes, PROT_READ | PROT_WRITE) != 0)
    return answer(cudaErrorMemoryAllocation);
  memset(mapped, 0xff, mapped_bytes);
  if (on_device && mapped + mapped_bytes > arena_used) arena_used = mapped + mapped_bytes;
  if (on_device && opened == 0 && !kept_open()) mprotect(mapped, mapped_bytes, PROT_NONE);
  *pointer = mapped + (mapped_bytes - bytes) / 256 * 256;
  allocations[static_cast<char *>(*pointer)] = {bytes, mapped,         mapped_bytes,
                                                type,  current_device, false};
  if (!queue.empty()) reach_managed(false);
  return cudaSuccess;
}

/* False if the work at hand waits for another process: then it is first again. */
bool try_queue()
{
  if (queue.empty()) return true;
  open_arena();
  reach_managed(true);
  while (!queue.empty() && !stalled) {
    emulated_work work = std::move(queue.front());
    queue.pop_front();
    if (lost == cudaSuccess) work();
    if (stalled) queue.push_front(std::move(work));
  }
  close_arena();
  if (!queue.empty()) reach_managed(false);
  const bool done = !stalled;
  stalled = false;
  static int in_vain;
  if (done)
    in_vain = 0;
  else
    let_others_work(&in_vain);
  return done;
}

void run_queue()
{
  while (!try_queue()) {
  }
}

void remove_allocation(char *low)
{
  const allocation a = allocations[low];
  allocations.erase(low);
  if (a.registered) return;
  if (a.file >= 0) { /* private pages again */
    close(a.file);
    shared_allocations--;
    mmap(a.mapped, a.mapped_bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  } else if (a.type == cudaMemoryTypeDevice) {
    madvise(a.mapped, a.mapped_bytes, MADV_DONTNEED);
    mprotect(a.mapped, a.mapped_bytes, PROT_NONE);
  } else {
    munmap(a.mapped, a.mapped_bytes + PAGE);
  }
}

/* A lost device answers with its error, yet what is given back counts as given back. */
cudaError_t deallocate(void *pointer, bool host)
{
  const guard locked(mutex);
  if (pointer == nullptr) return answer(sticky());
  auto at = allocations.find(static_cast<char *>(pointer));
  if (at == allocations.end() || (at->second.type == cudaMemoryTypeHost) != host ||
      at->second.registered || at->second.imported)
    return answer(cudaErrorInvalidValue);
  if (capture_forbids()) return answer(cudaErrorStreamCaptureUnsupported);
  run_queue();
  remove_allocation(at->first);
  return answer(sticky());
}

/* NULL if work may be put into the stream (and cudaSuccess), else why not */
cudaError_t usable(cudaStream_t stream)
{
  if (sticky() != cudaSuccess) return lost;
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return capture_forbids() ? cudaErrorStreamCaptureImplicit : cudaSuccess;
  if (streams.count(stream) == 0) return cudaErrorInvalidResourceHandle;
  return stream->capture != nullptr && stream->capture->invalid ? cudaErrorStreamCaptureInvalidated
                                                                : cudaSuccess;
}

CUgraph_st *capture_of(cudaStream_t stream)
{
  return streams.count(stream) != 0 ? stream->capture : nullptr;
}

cudaError_t submit(cudaStream_t stream, emulated_work work)
{
  const cudaError_t error = usable(stream);
  if (error != cudaSuccess) return answer(error);
  if (capture_of(stream) != nullptr) {
    stream->capture->nodes.push_back(std::move(work));
    return cudaSuccess;
  }
  queue.push_back(std::move(work));
  reach_managed(false);
  if (number("HYMG_EMULATION_EAGER", 0) != 0 || shared_allocations > 0) try_queue();
  return cudaSuccess;
}

/* once: not until all is done, but until something waits for another process */
cudaError_t wait_for_queue(bool once = false)
{
  if (sticky() != cudaSuccess) return answer(lost);
  if (fails("sync")) {
    lost = cudaErrorLaunchFailure;
    queue.clear();
    reach_managed(true);
    return answer(lost);
  }
  if (once && !try_queue()) return cudaErrorNotReady;
  run_queue();
  return answer(lost);
}

cudaError_t synchronize(cudaStream_t stream, bool once = false)
{
  const guard locked(mutex);
  const cudaError_t error = usable(stream);
  if (error != cudaSuccess) return answer(error);
  if (capture_of(stream) == nullptr) return wait_for_queue(once);
  stream->capture->invalid = true;
  return answer(cudaErrorStreamCaptureUnsupported);
}

/* bytes [pointer, pointer + bytes): within one allocation, or memory of the host that we do not
 * know */
bool reachable(const void *pointer, size_t bytes, bool device_side, bool host_side)
{
  char *low;
  const allocation *a = find(pointer, &low);
  if (a == nullptr) return !device_side && !(pointer >= arena && pointer < arena + ARENA_BYTES);
  if (static_cast<const char *>(pointer) + bytes > low + a->bytes) return false;
  return !(host_side && a->type == cudaMemoryTypeDevice) &&
         !(device_side && a->type == cudaMemoryTypeHost);
}

struct copy_2d {
  char *to;
  const char *from;
  size_t to_pitch, from_pitch, width, height;

  void run() const
  {
    for (size_t j = 0; j < height; j++)
      memmove(to + j * to_pitch, from + j * from_pitch, width);
  }
  bool is_valid(cudaMemcpyKind kind) const
  {
    const size_t rows = height - 1;
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return reachable(to, rows * to_pitch + width, to_device, !any && !to_device) &&
           reachable(from, rows * from_pitch + width, from_device, !any && !from_device);
  }
};

cudaError_t copy(const copy_2d &bricks, cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
  const guard locked(mutex);
  const cudaError_t error = usable(stream);
  if (error != cudaSuccess) return answer(error);
  if (bricks.width == 0 || bricks.height == 0) return cudaSuccess;
  if (bricks.to == nullptr || bricks.from == nullptr || !bricks.is_valid(kind))
    return answer(cudaErrorInvalidValue);
  const cudaError_t submitted = submit(stream, [bricks] { bricks.run(); });
  if (submitted != cudaSuccess || capture_of(stream) != nullptr) return submitted;
  /* to and from pageable memory a copy is done, or staged, when the call returns */
  waits = waits || find(bricks.to) == nullptr || find(bricks.from) == nullptr;
  return waits ? wait_for_queue() : cudaSuccess;
}

cudaError_t set_bytes(void *to, int value, size_t bytes, cudaStream_t stream)
{
  const guard locked(mutex);
  if (bytes > 0 && !reachable(to, bytes, true, false)) return answer(cudaErrorInvalidValue);
  return submit(stream, [to, value, bytes] { memset(to, value, bytes); });
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
  return allocate(pointer, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
  if (bytes == 0 || flags != cudaMemAttachGlobal) return answer(cudaErrorInvalidValue);
  return allocate(pointer, bytes, cudaMemoryTypeManaged);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
  return allocate(pointer, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
  return flags > 7 ? answer(cudaErrorInvalidValue) : allocate(pointer, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
  const cudaError_t error = usable(stream);
  return error != cudaSuccess ? answer(error) : allocate(pointer, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaFree(void *pointer)
{
  return deallocate(pointer, false);
}

cudaError_t cudaFreeHost(void *pointer)
{
  return deallocate(pointer, true);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
  const cudaError_t error = usable(stream);
  return error != cudaSuccess ? answer(error) : deallocate(pointer, false);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned)
{
  const guard locked(mutex);
  if (pointer == nullptr || bytes == 0) return answer(cudaErrorInvalidValue);
  if (find(pointer) != nullptr) return answer(cudaErrorHostMemoryAlreadyRegistered);
  char *at = static_cast<char *>(pointer);
  allocations[at] = {bytes, at, bytes, cudaMemoryTypeHost, current_device, true};
  return answer(sticky());
}

cudaError_t cudaHostUnregister(void *pointer)
{
  const guard locked(mutex);
  auto at = allocations.find(static_cast<char *>(pointer));
  if (at == allocations.end() || !at->second.registered)
    return answer(cudaErrorHostMemoryNotRegistered);
  run_queue();
  remove_allocation(at->first);
  return answer(sticky());
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned)
{
  const allocation *a = find(host);
  if (a == nullptr || a->type != cudaMemoryTypeHost) return answer(cudaErrorInvalidValue);
  *device = host;
  return answer(sticky());
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
  const guard locked(mutex);
  if (device_count() == 0) return answer(cudaErrorNoDevice);
  *total = total_memory();
  *free = *total - min(*total, used_memory(current_device));
  return answer(sticky());
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
  const guard locked(mutex);
  const allocation *a = find(pointer);
  void *address = const_cast<void *>(pointer);
  attributes->type = a == nullptr ? cudaMemoryTypeUnregistered : a->type;
  attributes->device = a == nullptr ? -2 : a->device; /* as CUDA has it */
  attributes->devicePointer = a == nullptr ? nullptr : address;
  attributes->hostPointer = a != nullptr && a->type == cudaMemoryTypeDevice ? nullptr : address;
  return answer(sticky());
}

static cudaError_t check_managed(const void *pointer, size_t bytes, cudaMemLocation location)
{
  char *low;
  const allocation *a = find(pointer, &low);
  if (a == nullptr || a->type != cudaMemoryTypeManaged ||
      static_cast<const char *>(pointer) + bytes > low + a->bytes)
    return cudaErrorInvalidValue;
  if (location.type == cudaMemLocationTypeDevice && location.id >= device_count())
    return cudaErrorInvalidDevice;
  return sticky();
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise,
                          cudaMemLocation location)
{
  const guard locked(mutex);
  return answer(check_managed(pointer, bytes, location));
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
  const guard locked(mutex);
  if (flags != 0) return answer(cudaErrorInvalidValue);
  if (capture_of(stream) != nullptr) return answer(cudaErrorStreamCaptureUnsupported);
  const cudaError_t error = check_managed(pointer, bytes, location);
  return answer(error != cudaSuccess ? error : usable(stream));
}

static copy_2d row(void *to, const void *from, size_t bytes)
{
  return {static_cast<char *>(to), static_cast<const char *>(from), bytes, bytes, bytes, 1};
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
  return copy(row(to, from, bytes), kind, nullptr, true);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
  return copy(row(to, from, bytes), kind, stream, false);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
  if (width > to_pitch || width > from_pitch) return answer(cudaErrorInvalidValue);
  return copy({static_cast<char *>(to), static_cast<const char *>(from), to_pitch, from_pitch,
               width, height},
              kind, stream, false);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
  return set_bytes(to, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
  return set_bytes(to, value, bytes, stream);
}

} // extern "C"

#endif
