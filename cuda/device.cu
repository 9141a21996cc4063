/* The GPU of a context: opened at the first need, its memory, waits and recordings. What CUDA 13
 * changed in its interface is handled here alone. */
#include "device.h"

#include "groups.h"
#include "overlap.h"

#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" hymg_status hymgi_cuda_check(hymg_context *context, cudaError_t error, const char *what)
{
  if (error == cudaSuccess) return HYMG_OK;
  cudaGetLastError(); /* so that it is not reported twice */
  const hymg_status status =
      hymgi_fail(context, error == cudaErrorMemoryAllocation ? HYMG_ENOMEM : HYMG_ECUDA,
                 "CUDA: %s in %s (%s)", cudaGetErrorString(error), what, cudaGetErrorName(error));
  if (context->status == HYMG_OK) context->status = status;
  return status;
}

/* ---- opening and closing ---- */

namespace
{

void close_device(hymgi_device *d)
{
  {
    const hymgi_device_guard guard(d->ordinal);
    if (d->stream) cudaStreamSynchronize(d->stream);
    hymgi_groups_close(d);
    hymgi_overlap_close(d);
    if (d->own_stream) cudaStreamDestroy(d->stream);
    if (d->recorder) cudaStreamDestroy(d->recorder);
    if (d->reduction.words) cudaFree(d->reduction.words);
    if (d->reduction.result) cudaFreeHost(d->reduction.result);
    if (d->waited) cudaFreeHost(d->waited);
  }
  d->context->gpu = NULL;
  free(d);
}

hymg_status find_device(hymg_context *context, int *ordinal)
{
  int count = 0;
  TRY(hymgi_cuda_count(context, &count));
  const int ranks = hymgi_comm_local_size(context->comm);
  *ordinal = context->device;
  if (*ordinal == HYMG_DEVICE_CURRENT || (*ordinal < 0 && ranks == 1))
    return hymgi_cuda_check(context, cudaGetDevice(ordinal), "cudaGetDevice");
  if (*ordinal == HYMG_DEVICE_OWN && ranks > count)
    return hymgi_fail(context, HYMG_EINVAL,
                      "%d ranks on a node want a CUDA device each: there are %d", ranks, count);
  if (*ordinal < 0) {
    /* Made current for good: to put the one before back would start CUDA on it, too, and MPI, which
     * works with whichever device is current at its first call after this one, would take that. */
    *ordinal = hymgi_comm_local_rank(context->comm) % count;
    TRY(hymgi_cuda_check(context, cudaSetDevice(*ordinal), "cudaSetDevice"));
  }
  if (*ordinal < count) return HYMG_OK;
  return hymgi_fail(context, HYMG_EINVAL, "CUDA device %d: there are %d, counted from 0", *ordinal,
                    count);
}

/* For its attributes: all kernels are made for the same devices. */
__global__ void any_kernel() {}

hymg_status fill_device(hymgi_device *d)
{
  hymg_context *const c = d->context;
  const hymgi_device_guard guard(d->ordinal);
  int minor = 0;
  TRY(hymgi_cuda_check(
      c, cudaDeviceGetAttribute(&d->major, cudaDevAttrComputeCapabilityMajor, d->ordinal),
      "cudaDeviceGetAttribute"));
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, d->ordinal);
  cudaDeviceGetAttribute(&d->multiprocessors, cudaDevAttrMultiProcessorCount, d->ordinal);
  cudaDeviceGetAttribute(&d->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->ordinal);
  if (d->major < 8)
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "CUDA device %d has compute capability %d.%d: 8.0 is the least", d->ordinal,
                      d->major, minor);
  cudaFuncAttributes made = {};
  TRY(hymgi_cuda_check(c, cudaFuncGetAttributes(&made, any_kernel), "cudaFuncGetAttributes"));
  if (made.ptxVersion / 10 < d->major) d->major = made.ptxVersion / 10;
  d->stream = c->stream;
  if (!d->stream) { /* waits for the default stream, and that one for it */
    TRY(hymgi_cuda_check(c, cudaStreamCreate(&d->stream), "cudaStreamCreate"));
    d->own_stream = true;
  }
  TRY(hymgi_cuda_check(c, cudaStreamCreateWithFlags(&d->recorder, cudaStreamNonBlocking),
                       "cudaStreamCreateWithFlags"));
  const size_t bytes = (HYMGI_RESULT_WORDS + 1) * sizeof(unsigned long long);
  void *words, *result;
  TRY(hymgi_cuda_check(c, cudaMalloc(&words, bytes), "cudaMalloc"));
  d->reduction.words = (unsigned long long *)words;
  d->reduction.finished = (unsigned *)(d->reduction.words + HYMGI_RESULT_WORDS);
  TRY(hymgi_cuda_check(c, cudaMemset(words, 0, bytes), "cudaMemset"));
  TRY(hymgi_cuda_check(c, cudaMallocHost(&result, HYMGI_RESULTS * bytes), "cudaMallocHost"));
  d->reduction.result = (unsigned long long *)result;
  TRY(hymgi_cuda_check(c, cudaMallocHost(&result, sizeof *d->waited), "cudaMallocHost"));
  d->waited = (unsigned long long *)result;
  *d->waited = 0;
  return hymgi_cuda_check(c, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

} /* namespace */

extern "C" hymg_status hymgi_device_open(hymg_context *context)
{
  if (context->gpu) return HYMG_OK;
  int ordinal = 0;
  TRY(find_device(context, &ordinal));
  hymgi_device *d = (hymgi_device *)calloc(1, sizeof *d);
  if (!d) return hymgi_fail(context, HYMG_ENOMEM, "no memory for a device");
  d->context = context;
  /* as measured on an H200 */
  d->choice = {160 * 160 * 160, 160 * 160 * 160, 80 * 80 * 80,    80 * 80 * 80, 80 * 80 * 80,
               80 * 80 * 80,    INT64_MAX,       160 * 160 * 160, INT64_MAX};
  d->ordinal = ordinal;
  context->gpu = d;
  context->close_gpu = close_device;
  const hymg_status status = fill_device(d);
  if (status != HYMG_OK) close_device(d);
  return status;
}

/* ---- what is there ---- */

extern "C" hymg_status hymgi_cuda_count(hymg_context *context, int *count)
{
  int found = 0;
  const cudaError_t error = cudaGetDeviceCount(&found);
  cudaGetLastError();
  if (error != cudaSuccess || found == 0)
    return hymgi_fail(context, HYMG_EUNSUPPORTED, "no CUDA device: %s",
                      error == cudaSuccess ? "none is there" : cudaGetErrorString(error));
  *count = found;
  return HYMG_OK;
}

extern "C" hymg_status hymgi_cuda_device(hymg_context *context, int ordinal, hymg_device_info *info)
{
  int count = 0;
  TRY(hymgi_cuda_count(context, &count));
  if (ordinal < -1 || ordinal >= count)
    return hymgi_fail(context, HYMG_EINVAL, "CUDA device %d: there are %d, counted from 0", ordinal,
                      count);
  if (ordinal == -1) {
    TRY(hymgi_device_open(context));
    ordinal = context->gpu->ordinal;
  }
  const hymgi_device_guard guard(ordinal);
  cudaDeviceProp properties;
  size_t free_bytes = 0, total = 0;
  TRY(hymgi_cuda_check(context, cudaGetDeviceProperties(&properties, ordinal),
                       "cudaGetDeviceProperties"));
  TRY(hymgi_cuda_check(context, cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo"));
  hymg_device_info i = {};
  i.ordinal = ordinal;
  memcpy(i.name, properties.name, sizeof i.name);
  i.name[sizeof i.name - 1] = '\0';
  i.capability[0] = properties.major, i.capability[1] = properties.minor;
  i.multiprocessors = properties.multiProcessorCount;
  i.memory_bytes = (double)total, i.free_bytes = (double)free_bytes;
  *info = i;
  return HYMG_OK;
}

/* ---- memory ---- */

namespace
{

hymg_status available(hymg_context *context, size_t *bytes)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  size_t total = 0;
  return hymgi_cuda_check(context, cudaMemGetInfo(bytes, &total), "cudaMemGetInfo");
}

hymg_status check_need(hymg_context *context, size_t bytes)
{
  size_t free_bytes = 0, total = 0;
  TRY(hymgi_cuda_check(context, cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo"));
  if (bytes <= free_bytes) return HYMG_OK;
  return hymgi_fail(context, HYMG_ENOMEM, "%.3f GB are needed on the GPU, %.3f of %.3f GB are free",
                    (double)bytes * 1e-9, (double)free_bytes * 1e-9, (double)total * 1e-9);
}

size_t bytes_of(size_t doubles)
{
  return (doubles + HYMGI_GPU_LINE) * sizeof(double);
}

/* What CUDA says of an allocation that failed, as ENOMEM. */
hymg_status refused(hymg_context *context, cudaError_t error, size_t bytes, const char *kind)
{
  cudaGetLastError();
  if (error != cudaErrorMemoryAllocation) return hymgi_cuda_check(context, error, "an allocation");
  return hymgi_fail(context, HYMG_ENOMEM, "%.3f GB of %s memory", (double)bytes * 1e-9, kind);
}

hymg_status alloc_device(hymg_context *context, size_t doubles, double **data)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  void *p = NULL;
  TRY(check_need(context, bytes_of(doubles)));
  const cudaError_t error = cudaMalloc(&p, bytes_of(doubles));
  if (error != cudaSuccess) return refused(context, error, bytes_of(doubles), "device");
  *data = (double *)p;
  return HYMG_OK;
}

hymg_status alloc_managed(hymg_context *context, size_t doubles, double **data)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  void *p = NULL;
  TRY(check_need(context, bytes_of(doubles)));
  const cudaError_t error = cudaMallocManaged(&p, bytes_of(doubles));
  if (error != cudaSuccess) return refused(context, error, bytes_of(doubles), "managed");
  *data = (double *)p;
  return HYMG_OK;
}

hymg_status alloc_pinned(hymg_context *context, size_t doubles, double **data)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  void *p = NULL;
  const cudaError_t error = cudaHostAlloc(&p, bytes_of(doubles), cudaHostAllocMapped);
  if (error != cudaSuccess) return refused(context, error, bytes_of(doubles), "pinned host");
  *data = (double *)p;
  return HYMG_OK;
}

/* Work in flight may use the memory: cudaFree waits for it. */
void release_device(hymg_context *context, double *data, size_t doubles)
{
  (void)doubles;
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaFree(data);
}

void release_pinned(hymg_context *context, double *data, size_t doubles)
{
  (void)doubles;
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaStreamSynchronize(context->gpu->stream);
  cudaFreeHost(data);
}

} /* namespace */

extern "C" {
const hymgi_memory hymgi_device_memory = {"device",     false,          true,
                                          alloc_device, release_device, available};
const hymgi_memory hymgi_managed_memory = {"managed",     true,           true,
                                           alloc_managed, release_device, available};
const hymgi_memory hymgi_pinned_memory = {"pinned", true, true, alloc_pinned, release_pinned, NULL};
}

/* Written once, then read by both sides: each keeps a copy. */
extern "C" hymg_status hymgi_device_share(hymg_context *context, void **block, size_t bytes)
{
  if (bytes == 0) return HYMG_OK;
  const hymgi_device_guard guard(context->gpu->ordinal);
  void *shared = NULL;
  const cudaError_t error = cudaMallocManaged(&shared, bytes);
  if (error != cudaSuccess) return refused(context, error, bytes, "managed");
  memcpy(shared, *block, bytes);
#if CUDART_VERSION >= 13000
  cudaMemLocation here = {};
  here.type = cudaMemLocationTypeDevice;
  here.id = context->gpu->ordinal;
  cudaMemAdvise(shared, bytes, cudaMemAdviseSetReadMostly, here);
  cudaMemPrefetchAsync(shared, bytes, here, 0, context->gpu->stream);
#else
  cudaMemAdvise(shared, bytes, cudaMemAdviseSetReadMostly, context->gpu->ordinal);
  cudaMemPrefetchAsync(shared, bytes, context->gpu->ordinal, context->gpu->stream);
#endif
  cudaGetLastError(); /* advice may be refused */
  free(*block);
  *block = shared;
  return HYMG_OK;
}

/* A lost device does not tell whose a block is: then it is taken for shared. */
extern "C" void hymgi_device_unshare(void *block)
{
  cudaPointerAttributes a = {};
  const cudaError_t error = cudaPointerGetAttributes(&a, block);
  cudaGetLastError();
  if (error == cudaSuccess && a.type != cudaMemoryTypeManaged)
    free(block);
  else
    cudaFree(block);
}

/* ---- recordings ---- */

struct hymgi_recording {
  hymgi_recording *next;
  int key, count, capacity;
  bool spoiled;                         /* its graphs are gone: it goes, too, when the cycle ends */
  double *pointer[HYMGI_MAX_LEVELS][3]; /* x, y, f of the levels when it began */
  cudaGraphExec_t *segment;             /* NULL: nothing was queued */
};

namespace
{

enum { MAX_RECORDINGS = 16 };

void empty_recording(hymgi_recording *r)
{
  for (int m = 0; m < r->count; m++)
    if (r->segment[m]) cudaGraphExecDestroy(r->segment[m]);
  r->count = 0;
  r->spoiled = true;
}

void free_recording(hymgi_recording *r)
{
  empty_recording(r);
  free(r->segment);
  free(r);
}

void pointers_of(const hymg_solver *solver, double *pointer[HYMGI_MAX_LEVELS][3])
{
  memset(pointer, 0, sizeof(double *[HYMGI_MAX_LEVELS][3]));
  for (int l = 0; l < solver->num_levels; l++) {
    const hymgi_level *level = solver->level + l;
    pointer[l][0] = level->x, pointer[l][1] = level->y, pointer[l][2] = level->f;
  }
}

bool matches(const hymgi_recording *r, const hymg_solver *solver, int key)
{
  double *now[HYMGI_MAX_LEVELS][3];
  pointers_of(solver, now);
  return r->key == key && memcmp(r->pointer, now, sizeof now) == 0;
}

bool append(hymg_context *context, hymgi_recording *r, cudaGraphExec_t segment)
{
  if (r->count == r->capacity) {
    const int capacity = r->capacity ? 2 * r->capacity : 4;
    void *const grown = realloc(r->segment, (size_t)capacity * sizeof *r->segment);
    if (!grown) {
      if (segment) cudaGraphExecDestroy(segment);
      const hymg_status status = hymgi_fail(context, HYMG_ENOMEM, "no memory for a recording");
      if (context->status == HYMG_OK) context->status = status;
      return false;
    }
    r->segment = (cudaGraphExec_t *)grown;
    r->capacity = capacity;
  }
  r->segment[r->count++] = segment;
  return true;
}

/* Ends the capture, keeps its graph and launches it. */
void end_segment(hymgi_device *d)
{
  cudaGraphExec_t made = NULL;
  if (d->capturing) {
    cudaGraph_t graph = NULL;
    d->capturing = false;
    hymgi_cuda_check(d->context, cudaStreamEndCapture(d->recorder, &graph), "a cycle's recording");
    if (graph && d->context->status == HYMG_OK)
      hymgi_cuda_check(d->context, cudaGraphInstantiate(&made, graph, 0), "a cycle's graph");
    if (graph) cudaGraphDestroy(graph);
  }
  if (!append(d->context, d->recording, made) || !made) return;
  hymgi_cuda_check(d->context, cudaGraphLaunch(made, d->stream), "a graph's launch");
}

void play_segment(hymgi_device *d)
{
  hymgi_recording *const r = d->recording;
  const int m = d->segment++;
  if (m >= r->count || !r->segment[m] || d->context->status != HYMG_OK) return;
  hymgi_cuda_check(d->context, cudaGraphLaunch(r->segment[m], d->stream), "a graph's launch");
}

/* What was queued so far is on its way. */
void flush(hymgi_device *d)
{
  if (d->mode == HYMGI_RECORD) end_segment(d);
  if (d->mode == HYMGI_REPLAY) play_segment(d);
}

/* The one that was made for these vectors, now the first of the list. */
hymgi_recording *find_recording(hymgi_attached *kept, const hymg_solver *solver, int key)
{
  for (hymgi_recording **link = &kept->recordings; *link; link = &(*link)->next)
    if (matches(*link, solver, key)) {
      hymgi_recording *const found = *link;
      *link = found->next;
      found->next = kept->recordings;
      return kept->recordings = found;
    }
  return NULL;
}

/* Every pair of fields has its recordings; a program that makes new ones all the time must not
 * fill the memory. */
void drop_oldest(hymgi_device *d, hymgi_attached *kept)
{
  hymgi_recording **link = &kept->recordings;
  for (int m = 0; m < MAX_RECORDINGS && *link; m++)
    link = &(*link)->next;
  if (!*link) return;
  const hymgi_device_guard guard(d->ordinal);
  hymgi_groups_wait(d->context); /* it may be on its way */
  free_recording(*link);
  *link = NULL;
}

/* Times have no place in a graph; messages of MPI end a segment. */
bool can_record(const hymg_solver *solver)
{
  return !solver->profile.on;
}

/* A kernel that waited for another GPU gave up. */
void check_peers(hymg_context *context)
{
  volatile unsigned long long *const word = context->gpu->waited;
  const int rank = (int)*word - 1;
  if (rank < 0) return;
  *word = 0;
  if (context->status == HYMG_OK)
    context->status =
        hymgi_fail(context, HYMG_EMPI, "the GPU of rank %d did not send in time", rank);
}

} /* namespace */

extern "C" cudaStream_t hymgi_device_stream(hymgi_device *d)
{
  if (d->is_aside) return d->aside;
  if (d->mode != HYMGI_RECORD) return d->stream;
  if (!d->capturing) {
    d->capturing = true;
    hymgi_cuda_check(d->context,
                     cudaStreamBeginCapture(d->recorder, cudaStreamCaptureModeThreadLocal),
                     "a cycle's recording");
  }
  return d->recorder;
}

extern "C" void hymgi_device_sync(hymg_context *context)
{
  hymgi_device *d = context->gpu;
  const hymgi_device_guard guard(d->ordinal);
  flush(d);
  hymgi_cuda_check(context, hymgi_groups_wait(context), "the work on the GPU");
  check_peers(context);
}

extern "C" void hymgi_device_direct(hymg_context *context, bool on)
{
  hymgi_device *d = context->gpu;
  const hymgi_device_guard guard(d->ordinal);
  if (!d->recording) return;
  if (on) {
    flush(d);
    d->suspended = d->mode;
    d->mode = HYMGI_DIRECT;
  } else {
    d->mode = d->suspended;
  }
}

extern "C" void hymgi_device_begin_cycle(hymg_solver *solver, int key)
{
  hymg_context *context = solver->op->grid->context;
  hymgi_device *d = context->gpu;
  hymgi_attached *kept = (hymgi_attached *)solver->attached;
  if (!kept || !can_record(solver) || d->recording || context->status != HYMG_OK) return;
  hymgi_recording *r = find_recording(kept, solver, key);
  d->segment = 0;
  d->recording = r;
  d->mode = HYMGI_REPLAY;
  if (r) return;
  d->mode = HYMGI_DIRECT;
  r = (hymgi_recording *)calloc(1, sizeof *r);
  if (!r) return; /* then every launch is made anew */
  r->key = key;
  pointers_of(solver, r->pointer);
  r->next = kept->recordings;
  kept->recordings = r;
  drop_oldest(d, kept);
  d->recording = r;
  d->mode = HYMGI_RECORD;
}

extern "C" void hymgi_device_end_cycle(hymg_solver *solver)
{
  hymg_context *context = solver->op->grid->context;
  hymgi_device *d = context->gpu;
  hymgi_attached *kept = (hymgi_attached *)solver->attached;
  if (!d->recording) return;
  const hymgi_device_guard guard(d->ordinal);
  flush(d);
  const bool recorded = d->mode == HYMGI_RECORD;
  d->mode = HYMGI_DIRECT;
  d->recording = NULL;
  hymgi_recording *const r = kept->recordings;                  /* the one at hand is the first */
  if (r->spoiled || (recorded && context->status != HYMG_OK)) { /* it may lack what failed */
    kept->recordings = r->next;
    free_recording(r);
  }
}

extern "C" void hymgi_device_forget(hymg_solver *solver)
{
  hymgi_attached *kept = (hymgi_attached *)solver->attached;
  hymg_context *context = solver->op->grid->context;
  if (!kept || !kept->recordings) return;
  const hymgi_device_guard guard(context->gpu->ordinal);
  hymgi_groups_wait(context);
  while (kept->recordings) {
    hymgi_recording *const r = kept->recordings;
    kept->recordings = r->next;
    free_recording(r);
  }
}

extern "C" void hymgi_device_attach(hymgi_device *device, hymgi_attached *kept)
{
  kept->next = device->attached;
  device->attached = kept;
}

extern "C" void hymgi_device_detach(hymgi_device *device, hymgi_attached *kept)
{
  hymgi_attached **link = &device->attached;
  while (*link != kept)
    link = &(*link)->next;
  *link = kept->next;
}

extern "C" void hymgi_device_drop_recordings(hymgi_device *device)
{
  for (hymgi_attached *kept = device->attached; kept; kept = kept->next)
    for (hymgi_recording **link = &kept->recordings; *link;) {
      hymgi_recording *const r = *link;
      if (r == device->recording) {
        empty_recording(r);
        link = &r->next;
      } else {
        *link = r->next;
        free_recording(r);
      }
    }
}

/* ---- ranges for a profiler ---- */

extern "C" void hymgi_device_begin_range(const hymgi_level *level, const char *verb)
{
  char name[64];
  snprintf(name, sizeof name, "%d %s", level->index, verb);
  nvtxRangePushA(name);
}

extern "C" void hymgi_device_end_range(void)
{
  nvtxRangePop();
}
