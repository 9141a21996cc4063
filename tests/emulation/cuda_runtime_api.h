/* The part of the CUDA runtime that this library uses, for C and C++, as emulation.cpp has it:
 * names, signatures and values are CUDA 13's. */
#ifndef EMULATION_CUDA_RUNTIME_API_H
#define EMULATION_CUDA_RUNTIME_API_H

#include <stddef.h>

#define CUDART_VERSION 13000

#ifdef __cplusplus
#define EMULATION_DEFAULT(value) = value
extern "C" {
#else
#define EMULATION_DEFAULT(value)
#endif

#define EMULATION_ERRORS(X)                                                                        \
  X(cudaSuccess, 0, "no error")                                                                    \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                  \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                 \
  X(cudaErrorInitializationError, 3, "initialization error")                                       \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                            \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                      \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime")       \
  X(cudaErrorDevicesUnavailable, 46, "CUDA-capable devices are busy or unavailable")               \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                  \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                         \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for this device")          \
  X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")                         \
  X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                                      \
  X(cudaErrorUnsupportedPtxVersion, 222, "the PTX was compiled with an unsupported toolchain")     \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                \
  X(cudaErrorNotReady, 600, "device not ready")                                                    \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                      \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                 \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                        \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "memory is already registered")                     \
  X(cudaErrorHostMemoryNotRegistered, 713, "memory is not registered")                             \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                     \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")              \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                         \
  X(cudaErrorNotSupported, 801, "operation not supported")                                         \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")    \
  X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous capture error")    \
  X(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on one")   \
  X(cudaErrorUnknown, 999, "unknown error")

typedef enum cudaError {
#define EMULATION_ENUM(name, value, text) name = value,
  EMULATION_ERRORS(EMULATION_ENUM)
#undef EMULATION_ENUM
} cudaError_t;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef void (*cudaHostFn_t)(void *data);
#define cudaStreamLegacy    ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

typedef struct uint3 {
  unsigned x, y, z;
} uint3;

typedef struct dim3 {
  unsigned x, y, z;
#ifdef __cplusplus
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
#endif
} dim3;

#define CUDA_IPC_HANDLE_SIZE 64
typedef struct cudaIpcMemHandle_st {
  char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcMemHandle_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};

enum {
  cudaHostAllocDefault = 0,
  cudaHostAllocPortable = 1,
  cudaHostAllocMapped = 2,
  cudaHostAllocWriteCombined = 4,
  cudaHostRegisterDefault = 0,
  cudaMemAttachGlobal = 1,
  cudaMemAttachHost = 2,
  cudaIpcMemLazyEnablePeerAccess = 1,
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventBlockingSync = 1,
  cudaEventDisableTiming = 2,
  cudaCpuDeviceId = -1
};

enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged
};

struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void *devicePointer;
  void *hostPointer;
};

enum cudaMemLocationType {
  cudaMemLocationTypeInvalid,
  cudaMemLocationTypeDevice,
  cudaMemLocationTypeHost,
  cudaMemLocationTypeHostNuma,
  cudaMemLocationTypeHostNumaCurrent
};

struct cudaMemLocation {
  enum cudaMemLocationType type;
  int id;
};

enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy
};

typedef struct cudaUUID {
  char bytes[16];
} cudaUUID_t;

struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, sharedMemPerMultiprocessor;
  size_t sharedMemPerBlockOptin;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
  int regsPerMultiprocessor, l2CacheSize, persistingL2CacheMaxSize, memoryBusWidth;
  int integrated, canMapHostMemory, concurrentKernels, ECCEnabled, asyncEngineCount;
  int unifiedAddressing, managedMemory, concurrentManagedAccess, pageableMemoryAccess;
  int directManagedMemAccessFromHost, hostNativeAtomicSupported, cooperativeLaunch;
  int pciBusID, pciDeviceID, pciDomainID, clusterLaunch;
};

/* the value, and the property that has it */
#define EMULATION_ATTRIBUTES(X)                                                                    \
  X(cudaDevAttrMaxThreadsPerBlock, 1, maxThreadsPerBlock)                                          \
  X(cudaDevAttrMaxSharedMemoryPerBlock, 8, sharedMemPerBlock)                                      \
  X(cudaDevAttrWarpSize, 10, warpSize)                                                             \
  X(cudaDevAttrMultiProcessorCount, 16, multiProcessorCount)                                       \
  X(cudaDevAttrPciBusId, 33, pciBusID)                                                             \
  X(cudaDevAttrPciDeviceId, 34, pciDeviceID)                                                       \
  X(cudaDevAttrGlobalMemoryBusWidth, 37, memoryBusWidth)                                           \
  X(cudaDevAttrL2CacheSize, 38, l2CacheSize)                                                       \
  X(cudaDevAttrMaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor)                       \
  X(cudaDevAttrPciDomainId, 50, pciDomainID)                                                       \
  X(cudaDevAttrComputeCapabilityMajor, 75, major)                                                  \
  X(cudaDevAttrComputeCapabilityMinor, 76, minor)                                                  \
  X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor)                   \
  X(cudaDevAttrManagedMemory, 83, managedMemory)                                                   \
  X(cudaDevAttrPageableMemoryAccess, 88, pageableMemoryAccess)                                     \
  X(cudaDevAttrConcurrentManagedAccess, 89, concurrentManagedAccess)                               \
  X(cudaDevAttrCooperativeLaunch, 95, cooperativeLaunch)                                           \
  X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin)

enum cudaDeviceAttr {
#define EMULATION_ENUM(name, value, property) name = value,
  EMULATION_ATTRIBUTES(EMULATION_ENUM)
#undef EMULATION_ENUM
};

struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};

enum cudaSharedCarveout { cudaSharedmemCarveoutMaxL1 = 0 };

typedef enum cudaLaunchAttributeID {
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8
} cudaLaunchAttributeID;

typedef union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative;
  int priority;
  int programmaticStreamSerializationAllowed;
  struct {
    unsigned x, y, z;
  } clusterDim;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
} cudaLaunchConfig_t;

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated
};

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceSynchronize(void);

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes,
                              unsigned flags EMULATION_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream EMULATION_DEFAULT(NULL));

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer);
cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *pointer);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream EMULATION_DEFAULT(NULL));
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream EMULATION_DEFAULT(NULL));
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
                            cudaStream_t stream EMULATION_DEFAULT(NULL));

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags EMULATION_DEFAULT(0));
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream EMULATION_DEFAULT(NULL));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags EMULATION_DEFAULT(0));
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
/* HYMG_EMULATION_CLUSTERS=0: none */
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel,
                                           const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared);

/* What is alive: allocations, streams, events, graphs and their instances. */
size_t emulation_alive(void);
/* Launches of kernels that may start before their predecessors end: all so far, and those queued behind a
 * kernel that may not. */
void emulation_early_starts(size_t *all, size_t *over_others);
/* Does queued work as far as it does not wait for another process. */
void emulation_progress(void);

#ifdef __cplusplus
}
#endif

#endif
