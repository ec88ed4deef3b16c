/* The service "storage": kept lines in an SQLite database, a thousand to a transaction. peal creates
 * it when the first line is to be stored, and again after a session has ended: without a kept line
 * there is no database.
 *
 * It writes on a queue: the host continues reading, and waits when the queue is full. Its other work
 * runs on the host's thread, after all waiting calls: so two threads use the connection, but never at
 * once. */
#ifndef STORAGE_H
#define STORAGE_H

#include <peal/peal.h>
#include <stdbool.h>

struct database;

struct storage_totals {
    uint64_t rows, transactions; /* committed */
};

/* Its state with and without a database: the service's context. */
struct storage {
    peal_center center;
    const char *path;
    peal_queue queue;
    int64_t run;        /* of this process: rows of other runs may be replaced, its own are not */
    bool is_new_source; /* the next line is the first one of a source */
    bool is_stream;     /* a source that cannot be read again: rows are added */
    uint64_t offset;    /* added to a line's number: how many rows the source has from before */
    bool has_stopped;   /* after an error: nothing is stored any more */
    struct storage_totals totals;
    struct database *database; /* the instance; NULL while there is none */
    /* Called after a reported error; no more lines follow. On the thread of the error. */
    void (*stopped)(struct storage *storage);
};

/* Registers the service.
 *
 * release: called with the storage when the service is gone, also when registering fails. */
peal_status storage_register(struct storage *storage, void (*release)(void *storage));

/* Waits until all that was stored is written, and commits it. */
void storage_commit(struct storage *storage);

#endif
