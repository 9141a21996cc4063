/* NCCL's grouped sends and receives between processes of one machine: a file in memory has a ring
 * of bytes for each pair of ranks, and a group is work of its stream that is called until its
 * messages have passed. Caught: sizes that differ, two ranks on a device, host memory, a
 * communicator that goes while recordings need it. Part of emulation.cpp. */
#ifndef EMULATION_GROUPS_H
#define EMULATION_GROUPS_H

#include "memory.h"
#include "nccl.h"

#include <atomic>
#include <fcntl.h>

constexpr int MOST_RANKS = 16;
constexpr size_t RING_BYTES = 64 << 10;
constexpr double MEETING_SECONDS = 20;

struct ring {
  std::atomic<size_t> put, taken;
  char data[RING_BYTES];

  size_t write(const char *from, size_t bytes)
  {
    const size_t at = put, n = min(bytes, RING_BYTES - (at - taken));
    for (size_t b = 0; b < n; b++)
      data[(at + b) % RING_BYTES] = from[b];
    put = at + n;
    return n;
  }
  size_t read(char *to, size_t bytes)
  {
    const size_t at = taken, n = min(bytes, put - at);
    for (size_t b = 0; b < n; b++)
      to[b] = data[(at + b) % RING_BYTES];
    taken = at + n;
    return n;
  }
};

/* Fresh pages are 0. */
struct meeting {
  std::atomic<int> arrived, broken;
  int device[MOST_RANKS];
  ring to[]; /* from rank r to rank q: r ranks + q */
};

namespace
{

size_t meeting_bytes(int ranks)
{
  return sizeof(meeting) + size_t(ranks) * size_t(ranks) * sizeof(ring);
}

} // namespace

struct ncclComm {
  meeting *shared;
  int ranks, rank;
  std::atomic<bool> aborted;
  std::atomic<int> groups; /* queued or in recordings */
};

namespace
{

std::set<ncclComm_t> communicators;

/* A message is its length, then its bytes. */
struct group_message {
  bool is_send;
  char *data;
  size_t bytes;
  ring *way;
  size_t length, notified, done;

  bool advance()
  {
    char *const head = reinterpret_cast<char *>(&length);
    if (is_send) {
      length = bytes;
      if (notified < sizeof length)
        notified += way->write(head + notified, sizeof length - notified);
      if (notified == sizeof length) done += way->write(data + done, bytes - done);
    } else {
      if (notified < sizeof length)
        notified += way->read(head + notified, sizeof length - notified);
      if (notified == sizeof length && length != bytes) {
        fprintf(stderr, "emulation: a message of %zu bytes is received as one of %zu\n", length,
                bytes);
        abort();
      }
      if (notified == sizeof length) done += way->read(data + done, bytes - done);
    }
    return notified == sizeof length && done == bytes;
  }
};

struct group_work {
  ncclComm_t comm;
  std::vector<group_message> messages;

  ~group_work()
  {
    comm->groups--;
  }
  void run()
  {
    stalled = false;
    for (group_message &m : messages)
      if (!comm->aborted && !m.advance()) stalled = true;
    stalled = stalled && !comm->aborted;
    if (stalled) return;
    for (group_message &m : messages) /* a recording calls again */
      m.notified = m.done = 0;
  }
};

struct {
  int depth;
  ncclResult_t error;
  cudaStream_t stream;
  ncclComm_t comm;
  std::vector<group_message> messages;
} group;

bool all_arrive(meeting *m, int count)
{
  const double start = now();
  m->arrived++;
  while (m->arrived < count && m->broken == 0 && now() - start < MEETING_SECONDS)
    sched_yield();
  return m->arrived >= count && m->broken == 0;
}

meeting *enter_meeting(const char *name, int ranks)
{
  const int file = shm_open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  void *at = MAP_FAILED;
  if (ftruncate(file, off_t(meeting_bytes(ranks))) == 0)
    at = mmap(nullptr, meeting_bytes(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return at == MAP_FAILED ? nullptr : static_cast<meeting *>(at);
}

bool devices_differ(const meeting *m, int ranks)
{
  for (int r = 0; r < ranks; r++)
    for (int q = 0; q < r; q++)
      if (m->device[q] == m->device[r]) return false;
  return true;
}

ncclResult_t add_message(bool is_send, void *data, size_t count, ncclDataType_t type, int rank,
                         ncclComm_t comm, cudaStream_t stream)
{
  const guard locked(mutex);
  if (group.depth == 0 || communicators.count(comm) == 0 || type != ncclDouble || rank < 0 ||
      rank >= comm->ranks || rank == comm->rank || !reachable(data, 8 * count, true, false) ||
      (group.comm != nullptr && (group.comm != comm || group.stream != stream))) {
    group.error = ncclInvalidArgument;
    return ncclInvalidArgument;
  }
  ring *const way = comm->shared->to +
                    (is_send ? comm->rank * comm->ranks + rank : rank * comm->ranks + comm->rank);
  group.comm = comm;
  group.stream = stream;
  group.messages.push_back({is_send, static_cast<char *>(data), 8 * count, way, 0, 0, 0});
  return ncclSuccess;
}

/* The real one waits for ever for recordings to go, and ends work by itself if aborted. */
void let_go(ncclComm_t comm, const char *how)
{
  const double start = now();
  while (comm->groups > 0) {
    if (now() - start > MEETING_SECONDS) {
      fprintf(stderr, "emulation: %s waits for work or recordings that nobody ends\n", how);
      abort();
    }
    usleep(1000);
  }
  const guard locked(mutex);
  communicators.erase(comm);
  munmap(comm->shared, meeting_bytes(comm->ranks));
  delete comm;
}

} // namespace

extern "C" {

ncclResult_t ncclGetVersion(int *version)
{
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
  static int count;
  *id = {};
  snprintf(id->internal, sizeof id->internal, "/emulated-nccl-%ld-%d", long(getpid()), ++count);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
  if (ranks < 1 || ranks > MOST_RANKS || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  meeting *const m = enter_meeting(id.internal, ranks);
  if (m == nullptr) return ncclSystemError;
  ncclResult_t result = ncclSuccess;
  m->device[rank] = int(1000 * number("HYMG_EMULATION_HOST", 0)) + current_device;
  if (fails("nccl")) {
    m->broken = 1;
    result = ncclSystemError;
  } else if (!all_arrive(m, ranks)) {
    result = ncclRemoteError;
  } else if (!devices_differ(m, ranks)) {
    result = ncclInvalidUsage;
  } else if (!all_arrive(m, 2 * ranks)) {
    result = ncclRemoteError;
  }
  shm_unlink(id.internal);
  if (result != ncclSuccess) {
    munmap(m, meeting_bytes(ranks));
    return result;
  }
  const guard locked(mutex);
  *comm = new ncclComm{m, ranks, rank, {false}, {0}};
  communicators.insert(*comm);
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
  if (communicators.count(comm) == 0) return ncclInvalidArgument;
  run_queue();
  let_go(comm, "ncclCommDestroy");
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
  if (communicators.count(comm) == 0) return ncclInvalidArgument;
  comm->aborted = true;
  let_go(comm, "ncclCommAbort");
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
  const guard locked(mutex);
  if (communicators.count(comm) == 0) return ncclInvalidArgument;
  *error = fails("async") ? ncclRemoteError : ncclSuccess;
  return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result)
{
  static const char *const text[] = {"no error",
                                     "unhandled cuda error",
                                     "unhandled system error",
                                     "internal error",
                                     "invalid argument",
                                     "invalid usage",
                                     "remote process exited or there was a network error",
                                     "NCCL operation in progress"};
  return result >= ncclSuccess && result <= ncclInProgress ? text[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t)
{
  return "";
}

ncclResult_t ncclSend(const void *data, size_t count, ncclDataType_t type, int rank,
                      ncclComm_t comm, cudaStream_t stream)
{
  return add_message(true, const_cast<void *>(data), count, type, rank, comm, stream);
}

ncclResult_t ncclRecv(void *data, size_t count, ncclDataType_t type, int rank, ncclComm_t comm,
                      cudaStream_t stream)
{
  return add_message(false, data, count, type, rank, comm, stream);
}

ncclResult_t ncclGroupStart(void)
{
  const guard locked(mutex);
  if (group.depth++ == 0) {
    group.error = ncclSuccess;
    group.comm = nullptr;
    group.messages.clear();
  }
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
  const guard locked(mutex);
  if (group.depth == 0) return ncclInvalidUsage;
  if (--group.depth > 0 || group.messages.empty() || group.error != ncclSuccess) return group.error;
  if (streams.count(group.stream) != 0 && group.stream->device != current_device)
    return ncclInvalidUsage;
  group.comm->groups++;
  const std::shared_ptr<group_work> work(new group_work{group.comm, group.messages});
  return submit(group.stream, [work] { work->run(); }) == cudaSuccess ? ncclSuccess
                                                                      : ncclUnhandledCudaError;
}

} // extern "C"

#endif
