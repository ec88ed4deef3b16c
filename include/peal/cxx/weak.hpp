/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/weak.hpp - peal_weak_type over std::weak_ptr. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_WEAK_HPP
#define PEAL_CXX_WEAK_HPP

#include "error.hpp"

#include <memory>
#include <new>

/* A function that is rarely called, and is not inlined. */
#define PEAL_CXX_RARE __attribute__((noinline, cold))

namespace peal
{
namespace detail
{

/* A shared pointer that keeps the target of a weak observer alive during its call. */
struct kept_target {
    const void *reference;
    alignas(std::shared_ptr<void>) unsigned char storage[sizeof(std::shared_ptr<void>)];

    std::shared_ptr<void> &pointer() noexcept
    {
        return *std::launder(reinterpret_cast<std::shared_ptr<void> *>(storage));
    }
};
/* The element below the first one of every thread's stack. No reference equals its own. */
inline kept_target bottom_of_kept_targets = {};

/* The targets that the calls of one thread keep alive. Calls nest on a thread, so they are a stack, which is short. It has
 * no destructor, because the last calls of a thread may follow the destructors of its variables. */
struct kept_targets {
    enum { near = 8 };
    kept_target *next; /* past the last element */
    kept_target *end;  /* past the memory. It equals `next` before the first call of a thread. */
    kept_target *more; /* memory for all elements, while `few` is too small */
    kept_target few[near + 1]; /* The first element is a bottom, too. */

    template <class T> bool push(std::weak_ptr<T> &reference) noexcept
    {
        if (next == end && !grow())
            return false;
        ::new (next->storage) std::shared_ptr<void>(reference.lock());
        if (next->pointer() == nullptr)
            return drop_null();
        next->reference = &reference;
        next++;
        return true;
    }
    /* Returns true if the innermost call for which peal has retained a target is one for this reference. That call
     * encloses the code that runs now, so the target stays alive. */
    bool keeps(const void *reference) const noexcept { return next[-1].reference == reference; }
    void pop(const void *reference) noexcept
    {
        kept_target *const last = next - 1;
        if (last->reference != reference) {
            pop_other(reference);
            return;
        }
        next = last;
        /* The destructor of the target may call other observers, which use this element. The pointer that remains in the
         * element is empty, so its destructor would do nothing. */
        const std::shared_ptr<void> object = std::move(last->pointer());
        if (more != nullptr)
            shrink();
    }

private:
    kept_target *first() noexcept { return (more != nullptr ? more : few) + 1; }
    /* These are not inlined, because push and pop would save registers for them. */
    /* Moves the elements to memory of twice the size. The first memory of a thread is `few`. */
    PEAL_CXX_RARE bool grow() noexcept
    {
        if (end == &bottom_of_kept_targets + 1) {
            next = few + 1;
            end = few + near + 1;
            return true;
        }
        const std::size_t count = static_cast<std::size_t>(next - first());
        kept_target *const wider = new (std::nothrow) kept_target[2 * count + 1];
        if (wider == nullptr)
            return false;
        wider[0].reference = nullptr;
        for (std::size_t i = 0; i < count; i++) {
            kept_target &old = first()[i];
            wider[i + 1].reference = old.reference;
            ::new (wider[i + 1].storage) std::shared_ptr<void>(std::move(old.pointer()));
        }
        delete[] more;
        more = wider;
        next = wider + 1 + count;
        end = wider + 1 + 2 * count;
        return true;
    }
    /* Frees the larger memory once no element is left. */
    PEAL_CXX_RARE void shrink() noexcept
    {
        if (next != more + 1)
            return;
        delete[] more;
        more = nullptr;
        next = few + 1;
        end = few + near + 1;
    }
    /* Removes an element that is not the last one. Does nothing if there is none with this reference. */
    PEAL_CXX_RARE void pop_other(const void *reference) noexcept
    {
        /* Before the first call of a thread there are no elements. */
        for (kept_target *one = end == &bottom_of_kept_targets + 1 ? first() : next; one != first();) {
            if ((--one)->reference != reference)
                continue;
            const std::shared_ptr<void> object = std::move(one->pointer());
            for (; one + 1 != next; one++) {
                one[0].reference = one[1].reference;
                one[0].pointer() = std::move(one[1].pointer());
            }
            next--;
            if (more != nullptr)
                shrink();
            return;
        }
    }
    /* Destroys a null pointer after the last element. It may share the ownership of an object. */
    PEAL_CXX_RARE bool drop_null() noexcept
    {
        next->pointer().~shared_ptr();
        return false;
    }
};
inline thread_local kept_targets kept_by_thread = { &bottom_of_kept_targets + 1, &bottom_of_kept_targets + 1, nullptr,
    {} };

/* peal_weak_type over std::weak_ptr. `reference` is a std::weak_ptr<T>. */
template <class T> struct weak_functions {
    static bool retain(void *reference) noexcept
    {
        return kept_by_thread.push(*static_cast<std::weak_ptr<T> *>(reference));
    }
    static void release(void *reference, void *) noexcept { kept_by_thread.pop(reference); }
    static constexpr peal_weak_type type = { retain, release };
};

/* Removes the observer whose function runs, because its target is dead. The failure of a removal that another thread has
 * already made is no failure of the broadcast. */
PEAL_CXX_RARE inline void remove_dead_observer() noexcept
{
    const bool was_fine = peal_last_status() == PEAL_OK;
    peal_call_info call = PEAL_CALL_INFO;
    if (peal_call_get_current(&call) >= 0)
        (void)peal_observation_remove(call.observation);
    if (was_fine)
        peal_clear_failure();
}

/* Keeps the target of an observer alive during a call of its function. Only a weak target needs that, and only in a
 * broadcast that has called no hook (PEAL_OBSERVE_RETAINS). */
template <class Target> struct call_of_target {
    explicit call_of_target(const Target &) noexcept {}
    static constexpr bool is_alive() noexcept { return true; }
};
template <class T> class call_of_weak_target
{
    std::shared_ptr<T> object_;
    const bool is_kept_;

public:
    explicit call_of_weak_target(const std::weak_ptr<T> &held) noexcept : is_kept_(kept_by_thread.keeps(&held))
    {
        if (!is_kept_)
            object_ = held.lock();
    }
    bool is_alive() const noexcept { return is_kept_ || object_ != nullptr; }
};

} // namespace detail
} // namespace peal

#undef PEAL_CXX_RARE

#endif
