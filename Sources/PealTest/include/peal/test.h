/* SPDX-License-Identifier: Apache-2.0
 *
 * test.h - for tests of programs that use peal: spies that record calls, schedules that run queues in an order that
 * a seed decides, and a check of what remains. They are in a library of their own, libpeal-test. clock.h has a clock for
 * tests.
 *
 *     peal_spy *spy;
 *     CHECK(peal_spy_create(chat.protocol, NULL, 0, NULL, &spy) == PEAL_OK);
 *     start_conversation();
 *     CHECK(peal_spy_wait(spy, "on_message", 2, 1000) == PEAL_OK);
 *     peal_spy_print(spy, text, sizeof text, NULL);
 *     CHECK(strcmp(text, "on_message(room: \"hall\", text: \"hello\")\n"
 *                        "on_message(room: \"hall\", text: \"anybody?\")\n") == 0);
 *     peal_spy_destroy(spy);
 */
#ifndef PEAL_TEST_H
#define PEAL_TEST_H

#include <peal/center.h>
#include <peal/clock.h>
#include <peal/observer.h>
#include <peal/queue.h>

PEAL_BEGIN_DECLARATIONS

/* ---- Spies ------------------------------------------------------------------------------------- */

/* An observer that records each of its calls, with its arguments. Texts, buffers and objects are kept as a queued call
 * keeps them (types.h). If a method has a pointer without a rule, and is not `borrowed`, only the values of its
 * pointers are kept. The pointed-to memory is not kept. */
typedef struct peal_spy peal_spy;

/* Creates a spy. It records from now on.
 *
 * methods, count: the names of the methods that the spy observes, as for peal_observe_handler, *copied*; NULL and 0 for
 *   all that the protocol has now.
 * options: as for peal_observe, *copied*: the priority, the queue and the owner, for example. `destroy` must be NULL,
 *   and the spy cannot be weak. NULL for none.
 * out_spy: filled, NULL on failure; *owned*: end it with peal_spy_destroy.
 * Returns PEAL_OK; otherwise the statuses of peal_observe_handler. Also PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_spy_create(peal_protocol protocol, const char *const *methods, size_t count,
    const struct peal_observe_options *options, peal_spy **out_spy);

/* Removes the spy from its protocol, waits until none of its calls is running, and frees it with its records. Do not
 * call this from a call of the spy.
 *
 * spy: *consumed*; NULL does nothing.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API void peal_spy_destroy(peal_spy *spy);

/* Sets the result that the spy returns from later calls of a method. Initially the result is zero. A policy uses the
 * result of a spy as that of any other observer: a spy that returns false makes `every` false.
 *
 * method: the name of a method that the spy observes.
 * value, size: *copied*; a value of the type of the result, and its size in bytes.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND; PEAL_ERROR_ARGUMENT for a size that is not the result's.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_spy_set_result(peal_spy *spy, const char *method, const void *value, size_t size);

/* Counts the recorded calls.
 *
 * method: a name, or NULL for the calls of all methods.
 * Returns the number; 0 for a method that the spy does not observe.
 * Thread rule: any thread. Since 0.1. */
PEAL_API size_t peal_spy_count_calls(peal_spy *spy, const char *method);

/* Waits until `count` calls have been recorded. The last of them wakes the caller, so no test needs to sleep.
 *
 * method: a name, or NULL for the calls of all methods.
 * count: the number of calls, which includes the calls that are recorded already.
 * timeout: how long to wait, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_ERROR_TIMEOUT; PEAL_ERROR_NOT_FOUND for a method that the spy does not observe.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_spy_wait(peal_spy *spy, const char *method, size_t count, uint32_t timeout);

/* Reads an argument of a recorded call.
 *
 * method: the name of the method.
 * call: the index among the recorded calls of this method, from 0.
 * parameter: the name of the parameter.
 * out_value, size: filled; a value of the parameter's type, and its size in bytes. Memory that the value points to
 *   is *borrowed until* the records are cleared.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND for another method or parameter, or a call that was not recorded;
 * PEAL_ERROR_ARGUMENT for a size that is not the parameter's.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_spy_get_argument(
    peal_spy *spy, const char *method, size_t call, const char *parameter, void *out_value, size_t size);

/* Prints the recorded calls, one line each, in the order in which they were made:
 *
 *     on_message(room: "hall", text: "hello")
 *     on_color(color: RED, point: { x: 1, y: 2.5 })
 *
 * Texts, buffers, structures and names of enumerators are written out. Pointers without a rule, functions
 * and handles are printed as their types, so that the text is the same in each run. A value that an enum does not name
 * is printed as a number.
 *
 * buffer: filled with at most `capacity` bytes, the ending zero included; NULL when capacity is 0.
 * out_length: filled with the length of the whole text, in bytes, without the zero; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when the text was cut; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_spy_print(peal_spy *spy, char *buffer, size_t capacity, size_t *out_length);

/* Frees the records. The spy continues to record, and counts from zero.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API void peal_spy_clear(peal_spy *spy);

/* ---- Schedules --------------------------------------------------------------------------------- */

/* Queues that run on one thread, one call at a time. Before each call a generator of random numbers chooses the
 * queue. The same seed gives the same order, so a test can try a thousand orders and repeat the one that failed. Each
 * queue keeps its own order, as serial queues do. */
typedef struct peal_schedule peal_schedule;

/* Creates a schedule without queues.
 *
 * out_schedule: filled, NULL on failure; *owned*: end it with peal_schedule_destroy.
 * Returns PEAL_OK; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_schedule_create(uint64_t seed, peal_schedule **out_schedule);

/* Ends the queues of a schedule, with their observers, and frees it. Do not call this from a call of its queues.
 *
 * schedule: *consumed*; NULL does nothing.
 * Thread rule: any thread. Since 0.1. */
PEAL_API void peal_schedule_destroy(peal_schedule *schedule);

/* Creates a queue that the schedule runs. A test passes it to the code under test, where the program would pass a
 * serial queue.
 *
 * options: *copied*; NULL for an unbounded queue. The kind must be PEAL_QUEUE_PUMPED.
 * out_queue: filled, zero on failure; it ends with the schedule.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT for another kind; otherwise the statuses of peal_queue_create.
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_schedule_add_queue(
    peal_schedule *schedule, const struct peal_queue_options *options, peal_queue *out_queue);

/* Runs calls until none waits, including calls that are enqueued meanwhile, and firings of timers that are due. Paused
 * queues do not run.
 *
 * limit: the greatest number of calls; 0: no limit. Without a limit, two observers that notify each other run forever.
 * out_calls: filled with the number of calls; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when calls still wait.
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API peal_status peal_schedule_run(peal_schedule *schedule, size_t limit, size_t *out_calls);

/* ---- The end of a test ------------------------------------------------------------------------- */

/* Runs the calls that wait on the serial queues of the process, and those on its pumped queues, until no call waits.
 * It runs what these calls enqueue too, and timers that are due. Paused queues do not run. The main queue and the queues of
 * executors are left to the program.
 *
 * timeout: how long this may take, by the system's clock, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_ERROR_TIMEOUT when calls still run or wait; PEAL_ERROR_WOULD_DEADLOCK as peal_clock_advance.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_test_drain(uint32_t timeout);

/* Counts the objects that a test has left: the observers and services of a center, without those of peal, and the calls
 * that wait on the queues of the process. Drain the queues first.
 *
 *     protocol Chat: 2 observers
 *     service store: 1 use
 *     queue: 3 waiting calls
 *
 * buffer, capacity: filled with such lines, cut to fit, and an ending zero; NULL and 0 for none. It is empty when nothing
 *   is left.
 * Returns the number of observers, services and calls; 0 for a center that has ended, unless calls wait.
 * Thread rule: any thread. Since 0.1. */
PEAL_API size_t peal_test_check_leaks(peal_center center, char *buffer, size_t capacity);

PEAL_END_DECLARATIONS

#endif
