/* A solver's cycles recorded as graphs, and waiting: where the host has to wait, what was queued so
 * far is launched. */
#include "runtime/device.h"

#include <stdlib.h>
#include <string.h>

struct hymgi_recording {
  hymgi_recording *next;
  const hymgi_attached *owner;
  int key, count, capacity;
  bool spoiled;                         /* its graphs are gone: it is removed when the cycle ends */
  double *pointer[HYMGI_MAX_LEVELS][3]; /* x, y, f of the levels when it began */
  cudaGraphExec_t *segment;             /* NULL: nothing was queued */
};

namespace
{

enum { MAX_RECORDINGS = 16 };

void free_graphs(hymgi_recording *r)
{
  for (int m = 0; m < r->count; m++)
    if (r->segment[m]) cudaGraphExecDestroy(r->segment[m]);
  r->count = 0;
  r->spoiled = true;
}

void free_recording(hymgi_recording *r)
{
  free_graphs(r);
  free(r->segment);
  free(r);
}

/* Removes a solver's recordings (owner NULL: those of all) but the `keep` used last. The one that
 * is being made or played back only loses its graphs. */
void remove_recordings(hymgi_device *d, const hymgi_attached *owner, int keep)
{
  for (hymgi_recording **link = &d->recordings; *link;) {
    hymgi_recording *const r = *link;
    const bool stays = (owner && r->owner != owner) || keep-- > 0;
    if (!stays && r == d->recording) free_graphs(r);
    if (stays || r == d->recording) {
      link = &r->next;
    } else {
      *link = r->next;
      free_recording(r);
    }
  }
}

/* The same once they are no longer running. */
void wait_and_remove(hymgi_hierarchy *h, int keep)
{
  hymgi_device *const d = h->context->gpu;
  int count = 0;
  for (const hymgi_recording *r = d->recordings; r; r = r->next)
    count += r->owner == h->attached;
  if (count <= keep) return;
  const hymgi_device_guard guard(d->ordinal);
  hymgi_device_wait(h->context);
  remove_recordings(d, (const hymgi_attached *)h->attached, keep);
}

void pointers_of(const hymgi_hierarchy *h, double *pointer[HYMGI_MAX_LEVELS][3])
{
  memset(pointer, 0, sizeof(double *[HYMGI_MAX_LEVELS][3]));
  for (int l = 0; l < h->num_levels; l++) {
    const hymgi_level *level = h->level + l;
    pointer[l][0] = level->x, pointer[l][1] = level->y, pointer[l][2] = level->f;
  }
}

bool matches(const hymgi_recording *r, const hymgi_hierarchy *h, int key)
{
  double *now[HYMGI_MAX_LEVELS][3];
  pointers_of(h, now);
  return r->owner == h->attached && r->key == key && memcmp(r->pointer, now, sizeof now) == 0;
}

bool append_segment(hymg_context *context, hymgi_recording *r, cudaGraphExec_t segment)
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
  if (!append_segment(d->context, d->recording, made) || !made) return;
  hymgi_cuda_check(d->context, cudaGraphLaunch(made, d->stream), "a graph's launch");
}

void play_segment(hymgi_device *d)
{
  hymgi_recording *const r = d->recording;
  const int m = d->segment++;
  if (m >= r->count || !r->segment[m] || d->context->status != HYMG_OK) return;
  hymgi_cuda_check(d->context, cudaGraphLaunch(r->segment[m], d->stream), "a graph's launch");
}

/* Launches what was queued so far, or lets those that wait for it know that it failed. */
void flush(hymgi_device *d)
{
  if (d->mode == HYMGI_RECORD) end_segment(d);
  if (d->mode == HYMGI_REPLAY) play_segment(d);
  hymgi_device_abort_peers(d->context);
}

/* The recording for these vectors, moved to the front of the list. */
hymgi_recording *find_recording(hymgi_device *d, const hymgi_hierarchy *h, int key)
{
  for (hymgi_recording **link = &d->recordings; *link; link = &(*link)->next)
    if (matches(*link, h, key)) {
      hymgi_recording *const found = *link;
      *link = found->next;
      found->next = d->recordings;
      return d->recordings = found;
    }
  return NULL;
}

/* A kernel that waited for another GPU aborted. */
void check_peers(hymg_context *context)
{
  volatile unsigned long long *const word = context->gpu->waited;
  const int rank = (int)*word - 1;
  if (rank < 0) return;
  *word = 0;
  if (context->status == HYMG_OK)
    context->status =
        hymgi_fail(context, HYMG_EMPI, "the GPU of rank %d did not send in time", rank);
  hymgi_report_later(context, context->status);
}

/* Waits for what was launched; a kernel that waited for another GPU may have aborted. */
void wait_for_all(hymg_context *context)
{
  hymgi_device *const d = context->gpu;
  hymgi_cuda_check(context, hymgi_device_wait(context), "the work on the GPU");
  /* if an event could not be recorded, the stream has not waited for the side stream */
  if (context->status != HYMG_OK && d->side_stream && !d->groups)
    cudaStreamSynchronize(d->side_stream);
  check_peers(context);
  if (context->status == HYMG_OK) d->peers = NULL; /* nobody waits: all is done */
}

enum { POLLS = 64 }; /* between two readings of the clock */
#ifndef HYMGI_POLL_SECONDS
#define HYMGI_POLL_SECONDS 1e-3 /* longer work gains nothing */
#endif

/* Polls a result in host memory, which takes 2 to 3 us less than to wait for the stream. */
bool appears(const volatile unsigned long long *result, int count)
{
  const double start = hymgi_seconds();
  for (int m = 0, polls = 1; m < count; polls++) {
    if (result[m] != HYMGI_NO_RESULT)
      m++;
    else if (polls % POLLS == 0 && hymgi_seconds() - start > HYMGI_POLL_SECONDS)
      return false;
  }
  return true;
}

} /* namespace */

extern "C" cudaStream_t hymgi_device_stream(hymgi_device *d)
{
  if (d->on_side_stream) return d->side_stream;
  if (d->mode != HYMGI_RECORD) return d->stream;
  if (!d->capturing) {
    d->capturing = true;
    hymgi_cuda_check(d->context,
                     cudaStreamBeginCapture(d->recorder, cudaStreamCaptureModeThreadLocal),
                     "a cycle's recording");
  }
  return d->recorder;
}

extern "C" cudaError_t hymgi_device_wait(hymg_context *context)
{
  hymgi_device *const d = context->gpu;
  return d->groups ? d->wait_for_groups(context) : cudaStreamSynchronize(d->stream);
}

extern "C" void hymgi_device_abort_peers(hymg_context *context)
{
  hymgi_device *const device = context->gpu;
  hymgi_peer_state *const peers = device->peers;
  if (context->status == HYMG_OK || !peers || peers->notified) return;
  const hymgi_device_guard guard(device->ordinal);
  for (int r = 0; r < peers->num_others; r++)
    cudaMemsetAsync(peers->others[r], 1, sizeof **peers->others, device->stream);
  cudaGetLastError(); /* a lost GPU notifies nobody: the others time out */
  peers->notified = true;
  hymgi_report_later(context, context->status); /* whatever the present call reports */
}

extern "C" void hymgi_device_sync(hymg_context *context)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  flush(context->gpu);
  wait_for_all(context);
}

extern "C" bool hymgi_device_result(hymg_context *context, int count, unsigned long long *words)
{
  hymgi_device *const d = context->gpu;
  const hymgi_device_guard guard(d->ordinal);
  volatile unsigned long long *const result = d->reduction.result; /* the GPU writes it */
  unsigned char *const unread = d->unread + (d->reduction.result - d->results) / HYMGI_RESULT_WORDS;
  flush(d);
  const bool by_itself = unread == d->unread || *unread == 1;
  if (!d->concurrent || d->peers || d->groups || !by_itself || context->status != HYMG_OK ||
      !appears(result, count))
    wait_for_all(context);
  for (int m = 0; m < HYMGI_RESULT_WORDS; m++) {
    if (m < count) words[m] = result[m];
    result[m] = HYMGI_NO_RESULT;
  }
  *unread = 0;
  return context->status == HYMG_OK;
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

/* Times cannot be taken inside a graph. Every combination of fields has its own recordings; a
 * program that keeps making new fields must not fill the memory. */
extern "C" void hymgi_device_begin_cycle(hymgi_hierarchy *h, int key)
{
  hymgi_device *const d = h->context->gpu;
  if (!h->attached || h->profile.on || d->recording || h->context->status != HYMG_OK) return;
  hymgi_recording *r = find_recording(d, h, key);
  d->segment = 0;
  d->recording = r;
  d->mode = HYMGI_REPLAY;
  if (r) return;
  d->mode = HYMGI_DIRECT;
  r = (hymgi_recording *)calloc(1, sizeof *r);
  if (!r) return; /* then nothing is recorded */
  r->owner = (const hymgi_attached *)h->attached;
  r->key = key;
  pointers_of(h, r->pointer);
  r->next = d->recordings;
  d->recordings = d->recording = r;
  wait_and_remove(h, MAX_RECORDINGS);
  d->mode = HYMGI_RECORD;
}

extern "C" void hymgi_device_end_cycle(hymgi_hierarchy *h)
{
  hymgi_device *const d = h->context->gpu;
  hymgi_recording *const r = d->recording; /* the first of the list */
  if (!r) return;
  const hymgi_device_guard guard(d->ordinal);
  flush(d);
  /* a recording may lack what failed */
  const bool keeps = !r->spoiled && (d->mode != HYMGI_RECORD || h->context->status == HYMG_OK);
  d->mode = HYMGI_DIRECT;
  d->recording = NULL;
  if (keeps) return;
  d->recordings = r->next;
  free_recording(r);
}

extern "C" void hymgi_device_forget(hymgi_hierarchy *h)
{
  if (h->attached) wait_and_remove(h, 0);
}

extern "C" void hymgi_device_drop_recordings(hymgi_device *device)
{
  remove_recordings(device, NULL, 0);
}
