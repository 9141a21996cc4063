/* Direct access to the GPU for tests/gpu: user memory, resources in use, launches that fail. A call
 * that CUDA refuses ends the program. */
#ifndef SUPPORT_GPU_H
#define SUPPORT_GPU_H

#include "hymg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device memory of NaNs. */
double *support_gpu_alloc(size_t doubles);
void support_gpu_free(double *data);
/* Between any two memories; done when it returns. */
void support_gpu_copy(double *to, const double *from, size_t doubles);
/* Queued; host memory must be pinned. */
void support_gpu_copy_on(struct CUstream_st *stream, double *to, const double *from,
                         size_t doubles);
double *support_gpu_pinned(size_t doubles);
void support_gpu_free_pinned(double *data);

/* Without the order of the default stream. */
struct CUstream_st *support_gpu_stream(void);
void support_gpu_wait(struct CUstream_st *stream);
void support_gpu_stream_end(struct CUstream_st *stream);

int support_gpu_current(void); /* device */
void support_gpu_make_current(int device);

/* Bytes in use on the device, by all; waits for it. */
size_t support_gpu_used(void);
size_t support_gpu_total(void);
/* Allocations, streams, events and graphs alive: the emulation counts them, on a GPU it is 0. */
size_t support_gpu_alive(void);
/* Launches that may start before their predecessors end: all so far, and those queued behind one that may
 * not. The emulation counts them, on a GPU they are 0. */
void support_gpu_early_starts(size_t *all, size_t *over_others);
/* The nth launch from now on fails (after it was made, as a late error does); 0: none does. The
 * context's device must be open. */
void support_gpu_fail_launch(hymg_context *context, int nth);
/* How many launches are left until that one. */
int support_gpu_launches_left(const hymg_context *context);
/* Is a cycle being recorded, with something in it that is not yet on its way? */
bool support_gpu_records(const hymg_context *context);
/* Has a sweep been cut into parts, so that there is a second stream? */
bool support_gpu_has_aside(const hymg_context *context);
/* Sets HYMG_EMULATION_NAME, or removes it (NULL): tests/emulation/emulation.cpp says what it does.
 * */
void support_gpu_emulate(const char *name, const char *value);

#ifdef __cplusplus
}
#endif
#endif
