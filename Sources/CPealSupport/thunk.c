#include "CPealSupport/thunk.h"

#include <stddef.h>

#if PEAL_FRAME_SUPPORTED

#include "thunk_code.h"

struct peal_thunk_targets peal_thunk_targets;
uint64_t peal_thunk_selves[BARE];

#if !PEAL_THUNK_HAS_NUMBERS
#define peal_thunk_numbers_code NULL
#define peal_thunk_bare_numbers_code NULL
#endif

void peal_thunks_set_functions(peal_thunk_integers integers, peal_thunk_frame frame, peal_thunk_numbers numbers)
{
    __atomic_store_n(&peal_thunk_targets.integers, integers, __ATOMIC_RELEASE);
    __atomic_store_n(&peal_thunk_targets.frame, frame, __ATOMIC_RELEASE);
    __atomic_store_n(&peal_thunk_targets.numbers, numbers, __ATOMIC_RELEASE);
}

static void (*entry(const char *code, uint32_t index, uint32_t count, uint32_t size))(void)
{
    if (code == NULL || index >= count)
        return NULL;
    return (void (*)(void))(uintptr_t)(code + (size_t)index * size);
}

void (*peal_thunk_of_integers(uint32_t index))(void)
{
    return entry(peal_thunk_integers_code, index, METHODS, PEAL_THUNK_SIZE);
}

void (*peal_thunk_of_numbers(uint32_t index))(void)
{
    return entry(peal_thunk_numbers_code, index, METHODS, PEAL_THUNK_SIZE);
}

void (*peal_thunk_of_frame(uint32_t index))(void)
{
    return entry(peal_thunk_frame_code, index, METHODS, PEAL_THUNK_SIZE);
}

void (*peal_thunk_bare_of_integers(uint32_t index))(void)
{
    return entry(peal_thunk_bare_integers_code, index, BARE, PEAL_THUNK_BARE_SIZE);
}

void (*peal_thunk_bare_of_numbers(uint32_t index))(void)
{
    return entry(peal_thunk_bare_numbers_code, index, BARE, PEAL_THUNK_BARE_SIZE);
}

void (*peal_thunk_bare_of_frame(uint32_t index))(void)
{
    return entry(peal_thunk_bare_frame_code, index, BARE, PEAL_THUNK_SIZE);
}

void peal_thunk_set_bare(uint32_t index, uint64_t id)
{
    __atomic_store_n(&peal_thunk_selves[index], id, __ATOMIC_RELEASE);
}

#else

void peal_thunks_set_functions(peal_thunk_integers integers, peal_thunk_frame frame, peal_thunk_numbers numbers)
{
    (void)integers;
    (void)frame;
    (void)numbers;
}

void (*peal_thunk_of_integers(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_thunk_of_numbers(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_thunk_of_frame(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_thunk_bare_of_integers(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_thunk_bare_of_numbers(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_thunk_bare_of_frame(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void peal_thunk_set_bare(uint32_t index, uint64_t id)
{
    (void)index;
    (void)id;
}

#endif
