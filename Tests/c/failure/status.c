/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "latch.h"

#include <string.h>

#define STATUS_ROW(name, number, text) { name, number, #name, text },
static const struct {
    peal_status status;
    int number;
    const char *name;
    const char *text;
} statuses[] = { PEAL_STATUS_LIST(STATUS_ROW) };

CLAIM("F1", "every status has its number, its name as written in C and its text")
{
    for (size_t i = 0; i < CHECK_COUNT_OF(statuses); i++) {
        check_case(statuses[i].name);
        CHECK_EQUAL(statuses[i].status, statuses[i].number);
        CHECK_TEXT(peal_status_name(statuses[i].status), statuses[i].name);
        CHECK_TEXT(peal_status_text(statuses[i].status), statuses[i].text);
    }
}

CLAIM("F1", "no two statuses share a number")
{
    for (size_t i = 0; i < CHECK_COUNT_OF(statuses); i++)
        for (size_t j = i + 1; j < CHECK_COUNT_OF(statuses); j++)
            CHECK(statuses[i].number != statuses[j].number);
}

CLAIM("F1", "a number that is no status has a name and a text of its own")
{
    static const int numbers[] = { 99, 1000, 0x7fffffff, -99, -1000, -0x7fffffff, -0x7fffffff - 1 };

    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++) {
        CHECK_TEXT(peal_status_name((peal_status)numbers[i]), "PEAL_UNKNOWN_STATUS");
        CHECK_TEXT(peal_status_text((peal_status)numbers[i]), "not a status of this library");
    }
}

CLAIM("F1", "a failure is stored as the thread's last status and sentence")
{
    const peal_center nothing = { 0 };

    peal_clear_failure();
    CHECK_STATUS(peal_center_destroy(nothing), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    CHECK(strlen(peal_last_message()) > 10);
}

CLAIM("F1", "a success does not reset the thread's last failure")
{
    const peal_center nothing = { 0 };
    peal_center center;

    (void)peal_center_destroy(nothing);
    REQUIRE_OK(peal_center_create(&center));
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    CHECK(peal_last_message()[0] != '\0');
    CHECK_OK(peal_center_destroy(center));
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
}

CLAIM("F1", "after the thread's last failure is cleared, its status is PEAL_OK and its sentence empty")
{
    const peal_center nothing = { 0 };

    (void)peal_center_destroy(nothing);
    peal_clear_failure();
    CHECK_OK(peal_last_status());
    CHECK_TEXT(peal_last_message(), "");
    peal_clear_failure();
    CHECK_OK(peal_last_status());
}

CLAIM("F1", "a later failure replaces the thread's earlier one")
{
    const peal_center nothing = { 0 };
    peal_protocol protocol;

    (void)peal_center_destroy(nothing);
    (void)peal_protocol_find(peal_center_default(), "No such protocol", &protocol);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "No such protocol");
}

static void *look_at_fresh_thread(void *context)
{
    (void)context;
    CHECK_OK(peal_last_status());
    CHECK_TEXT(peal_last_message(), "");
    (void)peal_center_destroy(peal_center_default());
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_STATE);
    return NULL;
}

CLAIM("F1", "the last failure is each thread's own, and a new thread has none")
{
    const peal_center nothing = { 0 };

    (void)peal_center_destroy(nothing);
    thread_join(thread_start(look_at_fresh_thread, NULL));
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    /* The new thread may reuse the memory of the finished thread, which must have been cleared. */
    thread_join(thread_start(look_at_fresh_thread, NULL));
}

CLAIM("F1", "a name of thousands of bytes does not overflow the sentence of a failure")
{
    static char name[20000];
    peal_protocol protocol;

    memset(name, 'x', sizeof name - 1);
    CHECK_FAILURE(peal_protocol_find(peal_center_default(), name, &protocol), PEAL_ERROR_NOT_FOUND);
    CHECK(strlen(peal_last_message()) < sizeof name);
}

CLAIM("F1", "a name that is not UTF-8 gives a status and a sentence")
{
    peal_protocol protocol;

    CHECK_FAILURE(peal_protocol_find(peal_center_default(), "\xff\xfe\xc0", &protocol), PEAL_ERROR_ARGUMENT);
}

CLAIM("F1", "the library returns the version of the headers") { CHECK_EQUAL(peal_version(), PEAL_VERSION); }
