/* Announces to the thread sanitizer how the Swift runtime orders threads. The runtime is not instrumented. Without this
 * library each last release of an object, each array that is changed in place and each contended Mutex would be
 * reported as a race.
 *
 * LD_PRELOAD must load it before all other libraries. It need not be sanitized itself (docs/building.md).
 *
 * It is not written in Swift, because it implements the functions of Swift's reference counts. It announces their
 * effects: a release is ordered before later releases of the same object, and before a thread that finds itself the
 * only owner. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define UNSEEN __attribute__((no_sanitize("thread")))
/* Methods of Swift receive `self` in a register of its own. */
#define SWIFT_METHOD __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* Instrumented code calls the functions that the executable defines instead of the runtime's. */
#define RUNTIME(name) ((__typeof__(&name))runtime_function(#name))

UNSEEN static void *runtime_function(const char *name)
{
    void *const function = dlsym(RTLD_NEXT, name);
    if (function == NULL)
        abort(); /* an unknown version of the runtime */
    return function;
}

/* The programs that the sanitizer starts, such as the symbolizer, are not sanitized, so they cannot load this library. */
__attribute__((constructor)) UNSEEN static void keep_to_this_process(void) { unsetenv("LD_PRELOAD"); }

/* ---- Reference counts ------------------------------------------------------------------------------ */

size_t swift_retainCount(void *object);
void swift_release(void *object);
void swift_release_n(void *object, uint32_t count);
void swift_bridgeObjectRelease(void *object);
bool swift_isUniquelyReferenced_native(void *object);
bool swift_isUniquelyReferenced_nonNull_native(void *object);

/* These functions are found at their first use, because libraries call them before the executable's constructors. */
static _Atomic(__typeof__(&swift_release_n)) count_down_found;
static _Atomic(__typeof__(&swift_isUniquelyReferenced_native)) is_alone_found;

UNSEEN static void count_down(void *object, uint32_t count)
{
    __typeof__(&swift_release_n) function = count_down_found;
    if (function == NULL)
        count_down_found = function = RUNTIME(swift_release_n);
    function(object, count);
}

UNSEEN static bool is_alone(void *object)
{
    __typeof__(&swift_isUniquelyReferenced_native) function = is_alone_found;
    if (function == NULL)
        is_alone_found = function = RUNTIME(swift_isUniquelyReferenced_native);
    return function(object);
}

/* A lock for each announcement and its decrement. Without it the last release could miss another thread's announcement.
 * The last release runs `deinit`, and holds no lock meanwhile. */
static atomic_flag locks[1024];

UNSEEN void swift_release_n(void *object, uint32_t count)
{
    if ((intptr_t)object <= 0) /* NULL, or an object without a count */
        return;
    atomic_flag *const lock = &locks[(uintptr_t)object >> 4 & 1023];
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        ;
    __tsan_release(object);
    const bool is_last = swift_retainCount(object) <= count;
    if (!is_last)
        count_down(object, count);
    atomic_flag_clear_explicit(lock, memory_order_release);
    if (is_last) {
        __tsan_acquire(object);
        count_down(object, count);
    }
}

UNSEEN void swift_release(void *object) { swift_release_n(object, 1); }

/* The upper bits are the kind of the object. Without Objective-C they are zero in objects of Swift. */
UNSEEN void swift_bridgeObjectRelease(void *object)
{
    if ((uintptr_t)object >> 56 == 0)
        swift_release_n(object, 1);
    else
        RUNTIME(swift_bridgeObjectRelease)(object);
}

UNSEEN bool swift_isUniquelyReferenced_native(void *object)
{
    const bool alone = is_alone(object);
    if (alone)
        __tsan_acquire(object);
    return alone;
}

UNSEEN bool swift_isUniquelyReferenced_nonNull_native(void *object)
{
    return swift_isUniquelyReferenced_native(object);
}

/* ---- Mutex. Instrumented atomics acquire and release it unless a thread waits. This is the slow path. -------- */

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT_METHOD void lock_function(uint32_t thread, SWIFT_SELF void *mutex);
typedef SWIFT_METHOD void unlock_function(SWIFT_SELF void *mutex);

SWIFT_METHOD void lock_slow(uint32_t thread, SWIFT_SELF void *mutex) __asm__(LOCK_SLOW);
UNSEEN SWIFT_METHOD void lock_slow(uint32_t thread, SWIFT_SELF void *mutex)
{
    ((lock_function *)runtime_function(LOCK_SLOW))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT_METHOD void unlock_slow(SWIFT_SELF void *mutex) __asm__(UNLOCK_SLOW);
UNSEEN SWIFT_METHOD void unlock_slow(SWIFT_SELF void *mutex)
{
    __tsan_release(mutex);
    ((unlock_function *)runtime_function(UNLOCK_SLOW))(mutex);
}
