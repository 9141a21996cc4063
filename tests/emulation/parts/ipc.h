/* Device memory that other processes map: an allocation that is handed out moves into a file in
 * memory, at the same address, which others open through the file system of processes. Work of a
 * process that shares memory runs at once: what it waits for may be another process's. Part of
 * emulation.cpp. */
#ifndef EMULATION_IPC_H
#define EMULATION_IPC_H

#include "memory.h"

#include <fcntl.h>
#include <unistd.h>

namespace
{

struct handle_content {
  long process;
  int file, device;
  size_t bytes, mapped_bytes;
};
static_assert(sizeof(handle_content) <= sizeof(cudaIpcMemHandle_t), "room in a handle");

/* The pages of an allocation, now those of the file. */
bool replace_pages(const allocation &a, int file)
{
  const int reach = opened > 0 || kept_open() ? PROT_READ | PROT_WRITE : PROT_NONE;
  return mmap(a.mapped, a.mapped_bytes, reach, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

bool move_to_file(allocation &a)
{
  const int file = memfd_create("emulated device memory", MFD_CLOEXEC);
  if (file < 0) return false;
  run_queue();
  open_arena();
  const bool copied = ftruncate(file, off_t(a.mapped_bytes)) == 0 &&
                      write(file, a.mapped, a.mapped_bytes) == ssize_t(a.mapped_bytes);
  close_arena();
  if (!copied || !replace_pages(a, file)) {
    close(file);
    return false;
  }
  a.file = file;
  shared_allocations++;
  return true;
}

/* The path to another device, as HYMG_EMULATION_PEER has it. */
bool peers_allowed()
{
  return number("HYMG_EMULATION_PEER", 1) != 0;
}

} // namespace

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
  const guard locked(mutex);
  auto at = allocations.find(static_cast<char *>(pointer));
  if (at == allocations.end() || at->second.type != cudaMemoryTypeDevice || at->second.imported)
    return answer(cudaErrorInvalidValue);
  allocation &a = at->second;
  if (a.file < 0 && !move_to_file(a)) return answer(cudaErrorMemoryAllocation);
  const handle_content content = {long(getpid()), a.file, a.device, a.bytes, a.mapped_bytes};
  memset(handle, 0, sizeof *handle);
  memcpy(handle, &content, sizeof content);
  return answer(sticky());
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned flags)
{
  const guard locked(mutex);
  handle_content content;
  char path[64];
  memcpy(&content, &handle, sizeof content);
  if (flags != cudaIpcMemLazyEnablePeerAccess) return answer(cudaErrorInvalidValue);
  if (content.process == getpid()) return answer(cudaErrorInvalidResourceHandle);
  if (!peers_allowed() || fails("map")) return answer(cudaErrorNotSupported);
  if (!start_up()) return answer(cudaErrorMemoryAllocation);
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", content.process, content.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return answer(cudaErrorInvalidResourceHandle);
  allocation a = {content.bytes,        take_from_arena(content.mapped_bytes + PAGE),
                  content.mapped_bytes, cudaMemoryTypeDevice,
                  current_device,       false};
  a.file = file;
  a.imported = true;
  if (a.mapped == nullptr || !replace_pages(a, file)) {
    close(file);
    return answer(cudaErrorMemoryAllocation);
  }
  if (a.mapped + a.mapped_bytes > arena_used) arena_used = a.mapped + a.mapped_bytes;
  *pointer = a.mapped + (a.mapped_bytes - a.bytes) / 256 * 256;
  allocations[static_cast<char *>(*pointer)] = a;
  shared_allocations++;
  return answer(sticky());
}

cudaError_t cudaIpcCloseMemHandle(void *pointer)
{
  const guard locked(mutex);
  auto at = allocations.find(static_cast<char *>(pointer));
  if (at == allocations.end() || !at->second.imported) return answer(cudaErrorInvalidValue);
  run_queue();
  remove_allocation(at->first);
  return answer(sticky());
}

} // extern "C"

#endif
