/* The service "storage": stores kept lines in an SQLite database, in transactions of a thousand lines. peal creates
 * its instance when the first line is to be stored, also after a session has ended. So there is no database
 * without a kept line.
 *
 * It writes on a queue. The host continues to read, and waits when the queue is full. The service's other work
 * runs on the host's thread, after all waiting calls, or on the thread of `peal send`. A lock guards the connection. */
#ifndef STORAGE_H
#define STORAGE_H

#include <peal/peal.h>
#include <pthread.h>
#include <stdbool.h>

struct database;

struct storage_totals {
    uint64_t rows, transactions; /* committed */
};

/* The service's context, which exists with and without a database. */
struct storage {
    peal_center center;
    const char *path;
    peal_queue queue;
    int64_t run;        /* identifies this process: rows of other runs may be replaced, its own are not */
    bool is_new_source; /* the next line is the first one of a source */
    bool is_stream;     /* the source cannot be read again, so its rows are added */
    bool is_remote;     /* the source and the number identify a line, which may arrive again */
    uint64_t offset;    /* number of earlier rows of the source, added to a line's number */
    pthread_mutex_t lock; /* of the members below, which the queue uses */
    bool has_stopped;     /* after an error no line is stored */
    struct storage_totals totals;
    struct database *database; /* the instance, or NULL */
    /* Called on the thread of an error, after its report. No line is stored afterwards. */
    void (*stopped)(struct storage *storage);
};

/* Registers the service.
 *
 * release: called with the storage when the service has ended, also if the registration fails. */
peal_status storage_register(struct storage *storage, void (*release)(void *storage));

/* Waits until all waiting lines have been written, and commits them. */
void storage_commit(struct storage *storage);

#endif
