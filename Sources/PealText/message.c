/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_SIZE = 1024 };

/* Allocated by the first failure of a thread. A program that loads a library by dlopen has little room for its thread-local
 * variables: glibc keeps 1,664 bytes for those of all such libraries. */
static _Thread_local char *kept;
static pthread_key_t key; /* frees it at the end of the thread */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key_failed;

static void create_key(void) { key_failed = pthread_key_create(&key, free); }

void message_keep(const char *format, va_list arguments)
{
    if (kept == NULL) {
        (void)pthread_once(&once, create_key);
        kept = malloc(MESSAGE_SIZE);
        if (kept == NULL)
            return;
        /* Without the key, the memory of a thread that has ended stays. */
        if (key_failed == 0)
            (void)pthread_setspecific(key, kept);
    }
    vsnprintf(kept, MESSAGE_SIZE, format, arguments);
}

const char *message_last(void) { return kept != NULL ? kept : ""; }
