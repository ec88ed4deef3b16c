#include "entry.h"

#include <stddef.h>

#if PEAL_FRAME_SUPPORTED

#include "entry_code.h"

struct peal_entry_ways peal_entry_ways;
uint64_t peal_entry_selves[BARE];

#if !PEAL_ENTRY_HAS_NUMBERS
#define peal_entry_numbers_code NULL
#define peal_entry_bare_numbers_code NULL
#endif

void peal_entries_lead_to(
    peal_entry_integers integers, peal_entry_frame frame, peal_entry_numbers numbers)
{
    __atomic_store_n(&peal_entry_ways.integers, integers, __ATOMIC_RELEASE);
    __atomic_store_n(&peal_entry_ways.frame, frame, __ATOMIC_RELEASE);
    __atomic_store_n(&peal_entry_ways.numbers, numbers, __ATOMIC_RELEASE);
}

static void (*entry(const char *code, uint32_t index, uint32_t count, uint32_t size))(void)
{
    const char *at = code + (size_t)index * size;
    return code != NULL && index < count ? (void (*)(void))(uintptr_t)at : NULL;
}

void (*peal_entry_of_integers(uint32_t index))(void)
{
    return entry(peal_entry_integers_code, index, METHODS, PEAL_ENTRY_SIZE);
}

void (*peal_entry_of_numbers(uint32_t index))(void)
{
    return entry(peal_entry_numbers_code, index, METHODS, PEAL_ENTRY_SIZE);
}

void (*peal_entry_of_frame(uint32_t index))(void)
{
    return entry(peal_entry_frame_code, index, METHODS, PEAL_ENTRY_SIZE);
}

void (*peal_entry_bare_of_integers(uint32_t index))(void)
{
    return entry(peal_entry_bare_integers_code, index, BARE, PEAL_ENTRY_BARE_SIZE);
}

void (*peal_entry_bare_of_numbers(uint32_t index))(void)
{
    return entry(peal_entry_bare_numbers_code, index, BARE, PEAL_ENTRY_BARE_SIZE);
}

void (*peal_entry_bare_of_frame(uint32_t index))(void)
{
    return entry(peal_entry_bare_frame_code, index, BARE, PEAL_ENTRY_SIZE);
}

void peal_entry_set_bare(uint32_t index, uint64_t number)
{
    __atomic_store_n(&peal_entry_selves[index], number, __ATOMIC_RELEASE);
}

#else

void peal_entries_lead_to(
    peal_entry_integers integers, peal_entry_frame frame, peal_entry_numbers numbers)
{
    (void)integers;
    (void)frame;
    (void)numbers;
}

void (*peal_entry_of_integers(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_entry_of_numbers(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_entry_of_frame(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_entry_bare_of_integers(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_entry_bare_of_numbers(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void (*peal_entry_bare_of_frame(uint32_t index))(void)
{
    (void)index;
    return NULL;
}

void peal_entry_set_bare(uint32_t index, uint64_t number)
{
    (void)index;
    (void)number;
}

#endif
