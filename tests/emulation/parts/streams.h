/* Streams, events and graphs over the one queue. Part of emulation.cpp. */
#ifndef EMULATION_STREAMS_H
#define EMULATION_STREAMS_H

#include "ipc.h"

extern "C" {

/* ---- streams and events ---- */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
  const guard locked(mutex);
  if (sticky() != cudaSuccess) return answer(lost);
  if (device_count() == 0) return answer(cudaErrorNoDevice);
  streams.insert(*stream = new CUstream_st{current_device, nullptr});
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
  return cudaStreamCreate(stream);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int)
{
  return cudaStreamCreate(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
  const guard locked(mutex);
  if (streams.erase(stream) == 0) return answer(cudaErrorInvalidResourceHandle);
  delete stream;
  return answer(sticky());
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
  return synchronize(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
  return synchronize(stream, true);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
  const guard locked(mutex);
  if (events.count(event) == 0) return answer(cudaErrorInvalidResourceHandle);
  const cudaError_t error = usable(stream);
  if (error == cudaSuccess && event->capture != nullptr && streams.count(stream) != 0)
    stream->capture = event->capture;
  return answer(error);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
  const guard locked(mutex);
  if (sticky() != cudaSuccess) return answer(lost);
  const bool timed = (flags & cudaEventDisableTiming) == 0;
  events.insert(*event = new CUevent_st{current_device, timed, false, nullptr, 0});
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
  const guard locked(mutex);
  if (events.count(event) == 0) return answer(cudaErrorInvalidResourceHandle);
  run_queue(); /* it may be about to be recorded */
  events.erase(event);
  delete event;
  return answer(sticky());
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
  const guard locked(mutex);
  if (events.count(event) == 0) return answer(cudaErrorInvalidResourceHandle);
  const cudaError_t error = usable(stream);
  if (error != cudaSuccess) return answer(error);
  event->capture = capture_of(stream);
  if (event->capture != nullptr) return cudaSuccess;
  event->recorded = true;
  return submit(stream, [event] { event->seconds = now(); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
  const guard locked(mutex);
  if (events.count(event) == 0) return answer(cudaErrorInvalidResourceHandle);
  if (event->capture == nullptr) return wait_for_queue();
  event->capture->invalid = true;
  return answer(cudaErrorStreamCaptureUnsupported);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
  return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
  const guard locked(mutex);
  if (events.count(start) == 0 || events.count(end) == 0 || !start->recorded || !end->recorded ||
      !start->timed || !end->timed)
    return answer(cudaErrorInvalidResourceHandle);
  if (!queue.empty()) return cudaErrorNotReady;
  *milliseconds = float(1e3 * (end->seconds - start->seconds));
  return answer(sticky());
}

/* ---- graphs ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
  const guard locked(mutex);
  const cudaError_t error = usable(stream);
  if (error != cudaSuccess) return answer(error);
  if (streams.count(stream) == 0 || stream->capture != nullptr)
    return answer(cudaErrorStreamCaptureUnsupported);
  stream->capture = new CUgraph_st;
  stream->capture->mode = mode;
  stream->capture->capturing = true;
  graphs.insert(stream->capture);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
  const guard locked(mutex);
  if (streams.count(stream) == 0 || stream->capture == nullptr)
    return answer(cudaErrorInvalidValue);
  CUgraph_st *captured = stream->capture;
  for (cudaStream_t joined : streams)
    if (joined->capture == captured) joined->capture = nullptr;
  for (cudaEvent_t event : events)
    if (event->capture == captured) event->capture = nullptr;
  captured->capturing = false;
  *graph = captured;
  if (!captured->invalid) return answer(sticky());
  *graph = nullptr;
  graphs.erase(captured);
  delete captured;
  return answer(cudaErrorStreamCaptureInvalidated);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
  const guard locked(mutex);
  const CUgraph_st *capture = capture_of(stream);
  *status = capture == nullptr ? cudaStreamCaptureStatusNone
            : capture->invalid ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  return answer(sticky());
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
  const guard locked(mutex);
  if (graphs.count(graph) == 0 || nodes != nullptr) return answer(cudaErrorInvalidValue);
  *count = graph->nodes.size();
  return answer(sticky());
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
  const guard locked(mutex);
  if (graphs.count(graph) == 0) return answer(cudaErrorInvalidValue);
  if (sticky() != cudaSuccess) return answer(lost);
  *exec = new CUgraphExec_st{std::make_shared<std::vector<emulated_work>>(graph->nodes)};
  execs.insert(*exec);
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
  return answer(execs.count(exec) == 0 ? cudaErrorInvalidValue : usable(stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
  const guard locked(mutex);
  if (execs.count(exec) == 0) return answer(cudaErrorInvalidValue);
  if (sticky() == cudaSuccess && fails("launch")) return answer(cudaErrorLaunchOutOfResources);
  return submit(stream, [nodes = exec->nodes, at = size_t(0)]() mutable {
    for (; at < nodes->size() && !stalled; at += !stalled)
      (*nodes)[at]();
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
  const guard locked(mutex);
  if (graphs.erase(graph) == 0) return answer(cudaErrorInvalidValue);
  delete graph;
  return answer(sticky());
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
  const guard locked(mutex);
  if (execs.erase(exec) == 0) return answer(cudaErrorInvalidValue);
  delete exec;
  return answer(sticky());
}

} // extern "C"

#endif
