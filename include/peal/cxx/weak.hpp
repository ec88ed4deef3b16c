/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/weak.hpp - peal_weak_type over std::weak_ptr. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_WEAK_HPP
#define PEAL_CXX_WEAK_HPP

#include "error.hpp"

#include <memory>
#include <new>

namespace peal
{
namespace detail
{

/* A weak target: what keeps the object during a call. Calls nest on a thread, so a short stack does; it has
 * no destructor, since the last calls of a thread may come after those of its variables. */
struct kept_object {
    const void *reference;
    alignas(std::shared_ptr<void>) unsigned char storage[sizeof(std::shared_ptr<void>)];

    std::shared_ptr<void> &pointer() noexcept
    {
        return *std::launder(reinterpret_cast<std::shared_ptr<void> *>(storage));
    }
};
struct kept_objects {
    enum { near = 8 };
    std::size_t count;
    kept_object *more; /* room for all, once `near` were not enough */
    std::size_t capacity;
    kept_object few[near];

    kept_object &at(std::size_t index) noexcept { return more != nullptr ? more[index] : few[index]; }
    template <class T> bool push(std::weak_ptr<T> &reference) noexcept;
    void pop(const void *reference) noexcept;
    void pop_other(const void *reference) noexcept;
    bool grow() noexcept;
};
inline thread_local kept_objects kept_by_thread = {};

inline bool kept_objects::grow() noexcept
{
    const std::size_t wider = (more != nullptr ? capacity : std::size_t(near)) * 2;
    kept_object *const room = new (std::nothrow) kept_object[wider];
    if (room == nullptr)
        return false;
    for (std::size_t i = 0; i < count; i++) {
        room[i].reference = at(i).reference;
        ::new (room[i].storage) std::shared_ptr<void>(std::move(at(i).pointer()));
        at(i).pointer().~shared_ptr();
    }
    delete[] more;
    more = room;
    capacity = wider;
    return true;
}

template <class T> bool kept_objects::push(std::weak_ptr<T> &reference) noexcept
{
    if (count == (more != nullptr ? capacity : std::size_t(near)) && !grow())
        return false;
    std::shared_ptr<void> object = reference.lock();
    if (object == nullptr)
        return false;
    kept_object &room = at(count);
    ::new (room.storage) std::shared_ptr<void>(std::move(object));
    room.reference = &reference;
    count++;
    return true;
}

inline void kept_objects::pop(const void *reference) noexcept
{
    if (more != nullptr || count == 0 || few[count - 1].reference != reference) {
        pop_other(reference);
        return;
    }
    kept_object &last = few[--count];
    /* Its destructor may call other observers, which take its place here. */
    const std::shared_ptr<void> object = std::move(last.pointer());
    last.pointer().~shared_ptr();
}

inline void kept_objects::pop_other(const void *reference) noexcept
{
    for (std::size_t i = count; i-- > 0;) {
        if (at(i).reference != reference)
            continue;
        const std::shared_ptr<void> object = std::move(at(i).pointer());
        for (; i + 1 < count; i++) {
            at(i).reference = at(i + 1).reference;
            at(i).pointer() = std::move(at(i + 1).pointer());
        }
        at(--count).pointer().~shared_ptr();
        if (count == 0 && more != nullptr) {
            delete[] more;
            more = nullptr;
        }
        return;
    }
}

/* peal_weak_type over std::weak_ptr. `reference` is a std::weak_ptr<T>. */
template <class T> struct weak_functions {
    static bool retain(void *reference) noexcept
    {
        return kept_by_thread.push(*static_cast<std::weak_ptr<T> *>(reference));
    }
    static void release(void *reference, void *) noexcept { kept_by_thread.pop(reference); }
    static constexpr peal_weak_type type = { retain, release };
};

} // namespace detail
} // namespace peal

#endif
