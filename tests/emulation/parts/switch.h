/* Stacks that can be left and gone on with: a switch saves the registers that a call preserves on
 * the stack it leaves and takes them from the one it goes to. Own code for x86-64 and aarch64,
 * ucontext elsewhere. The address sanitizer is told. */
#ifndef EMULATION_SWITCH_H
#define EMULATION_SWITCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATION_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATION_ASAN 1
#endif
#endif
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif
#ifdef EMULATION_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace
{

#ifdef EMULATION_ASAN
constexpr size_t STACK_BYTES = 512 << 10; /* red zones take room */
#else
constexpr size_t STACK_BYTES = 128 << 10;
#endif
constexpr size_t PAGE = 64 << 10; /* the largest there is */

#if defined(__x86_64__) || defined(__aarch64__)
extern "C" __attribute__((visibility("hidden"))) void emulation_switch(void **leave, void *enter);
#ifdef __x86_64__
constexpr int SAVED_WORDS = 7, ENTRY_WORD = 6;
asm(R"(
        .text
        .globl emulation_switch
        .hidden emulation_switch
        .type emulation_switch, @function
emulation_switch:
        pushq %rbp
        pushq %rbx
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        movq %rsp, (%rdi)
        movq %rsi, %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbx
        popq %rbp
        ret
        .size emulation_switch, .-emulation_switch
)");
#else
constexpr int SAVED_WORDS = 20, ENTRY_WORD = 11;
asm(R"(
        .text
        .globl emulation_switch
        .hidden emulation_switch
        .type emulation_switch, %function
emulation_switch:
        sub sp, sp, #160
        stp x19, x20, [sp, #0]
        stp x21, x22, [sp, #16]
        stp x23, x24, [sp, #32]
        stp x25, x26, [sp, #48]
        stp x27, x28, [sp, #64]
        stp x29, x30, [sp, #80]
        stp d8, d9, [sp, #96]
        stp d10, d11, [sp, #112]
        stp d12, d13, [sp, #128]
        stp d14, d15, [sp, #144]
        mov x9, sp
        str x9, [x0]
        mov sp, x1
        ldp x19, x20, [sp, #0]
        ldp x21, x22, [sp, #16]
        ldp x23, x24, [sp, #32]
        ldp x25, x26, [sp, #48]
        ldp x27, x28, [sp, #64]
        ldp x29, x30, [sp, #80]
        ldp d8, d9, [sp, #96]
        ldp d10, d11, [sp, #112]
        ldp d12, d13, [sp, #128]
        ldp d14, d15, [sp, #144]
        add sp, sp, #160
        ret
        .size emulation_switch, .-emulation_switch
)");
#endif

struct machine_context {
  void *pointer = nullptr;

  void prepare(char *top, void (*entry)())
  {
    /* a function expects the stack as a call leaves it: x86-64 has pushed the return address */
    void **words = reinterpret_cast<void **>(top) - (SAVED_WORDS + 2 - SAVED_WORDS % 2);
    for (int i = 0; i < SAVED_WORDS; i++)
      words[i] = nullptr;
    words[ENTRY_WORD] = reinterpret_cast<void *>(entry);
    words[SAVED_WORDS] = nullptr;
    pointer = words;
  }
  void go(machine_context &to)
  {
    emulation_switch(&pointer, to.pointer);
  }
  void prefetch() const
  {
    __builtin_prefetch(pointer);
    __builtin_prefetch(static_cast<char *>(pointer) + 64);
  }
};

#else
struct machine_context {
  ucontext_t context;

  void prepare(char *top, void (*entry)())
  {
    getcontext(&context);
    context.uc_stack.ss_sp = top - STACK_BYTES / 2;
    context.uc_stack.ss_size = STACK_BYTES / 2;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
  }
  void go(machine_context &to)
  {
    swapcontext(&context, &to.context);
  }
  void prefetch() const {}
};
#endif

/* A stack with a page below it that faults; without memory of its own: the one we came on. */
struct fiber {
  machine_context machine;
  char *low = nullptr;
  const void *sanitizer_low = nullptr;
  size_t sanitizer_bytes = 0;
  void *sanitizer_fake = nullptr;

  /* number: staggers the tops, which else all fall into the same cache lines */
  void create(void (*entry)(), int number)
  {
    low = static_cast<char *>(mmap(nullptr, STACK_BYTES + PAGE, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (low == MAP_FAILED || mprotect(low, PAGE, PROT_NONE) != 0) {
      fprintf(stderr, "emulation: no memory for the stack of a thread\n");
      abort();
    }
    sanitizer_low = low + PAGE;
    sanitizer_bytes = STACK_BYTES;
    machine.prepare(low + PAGE + STACK_BYTES - number % 61 * 1088, entry);
  }
  bool guards(const char *address) const
  {
    return low != nullptr && address >= low && address < low + PAGE;
  }
};

fiber *running; /* the one whose stack we are on */
fiber *came_from;

/* the first words of whoever a switch went to */
void arrive(void *fake)
{
#ifdef EMULATION_ASAN
  __sanitizer_finish_switch_fiber(fake, &came_from->sanitizer_low, &came_from->sanitizer_bytes);
#else
  (void)fake;
#endif
}

void switch_to(fiber *to)
{
  fiber *self = running;
  came_from = self;
  running = to;
#ifdef EMULATION_ASAN
  __sanitizer_start_switch_fiber(&self->sanitizer_fake, to->sanitizer_low, to->sanitizer_bytes);
#endif
  self->machine.go(to->machine);
  arrive(self->sanitizer_fake);
}

} // namespace

#endif
