/* The barriers that one thread executes for all threads of the process.
 *
 * Not Swift: it cannot make system calls.
 *
 * membarrier(2) makes every running thread execute a full barrier, so the other threads need none (McKenney's asymmetric
 * barriers, as in liburcu). Where the kernel has no membarrier, the writer removes the write permission of a page of
 * memory. The kernel then interrupts every processor that runs a thread of the process (as in folly and in the Java
 * virtual machine). Where the hardware changes permissions without such an interrupt, the writer runs on each processor
 * once.
 */
#ifndef CPEAL_FENCE_H
#define CPEAL_FENCE_H

/* The writer's half of the ordering. Every thread that loads after the fence sees the stores that this thread made
 * before it. This thread, after the fence, sees every hazard that another thread stored before it. While no other
 * thread has a record, or all others rest, that costs a barrier of the processor alone. */
void peal_thread_writer_fence(void);

/* The same, without a lock, for a thread that waits for one. */
void peal_thread_lock_fence(void);

/* Registers the process for membarrier, once. The first record of a thread and the first fence call it. */
void peal_fence_set_up(void);
/* In the child of a fork: registers the process again. */
void peal_fence_forked(void);

#endif
