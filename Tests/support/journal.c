/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[8192];

void journal_clear(void)
{
    pthread_mutex_lock(&lock);
    text[0] = '\0';
    pthread_mutex_unlock(&lock);
}

void journal_write(const char *format, ...)
{
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    length = strlen(text);
    if (length > 0 && length + 1 < sizeof text)
        text[length++] = ' ';
    vsnprintf(text + length, sizeof text - length, format, arguments);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

bool journal_has(const char *part)
{
    bool has;

    pthread_mutex_lock(&lock);
    has = strstr(text, part) != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}

const char *journal_text(void)
{
    static __thread char copy[sizeof text];

    pthread_mutex_lock(&lock);
    memcpy(copy, text, sizeof copy);
    pthread_mutex_unlock(&lock);
    return copy;
}
