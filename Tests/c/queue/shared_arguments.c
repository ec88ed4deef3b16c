/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments in memory that a counted object keeps alive: waiting calls share it, and copy no texts, buffers and structs.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"

#include <stdlib.h>
#include <string.h>

#define POST(METHOD)                                            \
    METHOD(optional, void, on_text, (const char *text, int n))  \
    METHOD(optional, void, on_note, (const struct note *note))  \
    METHOD(optional, void, on_again, (const char *text), defer) \
    METHOD(optional, int, count, (const char *text), sum)
struct note;
PEAL_PROTOCOL(post, "Post", POST);

/* An object with the memory of the arguments. */
struct memory {
    char text[16];
    struct note *note;
};

static peal_center center;
static struct post_protocol post;
static struct lane lane, other;
static const void *seen[8];
static int seen_count, destroyed, copies;
static peal_invocation again;

static void see(const void *pointer)
{
    if (seen_count < 8)
        seen[seen_count] = pointer;
    seen_count++;
}

static void on_text(void *self, const char *text, int n)
{
    (void)self;
    see(text);
    journal_write("%s%d", text, n);
}

static void on_note(void *self, const struct note *note)
{
    (void)self;
    see(note);
}

static void on_again(void *self, const char *text)
{
    (void)self;
    see(text);
    journal_write("%s", text);
    if (again.id != 0) {
        const peal_invocation invocation = again;
        again.id = 0;
        CHECK_STATUS(peal_invocation_broadcast(invocation, NULL, NULL, NULL), PEAL_DEFERRED);
        CHECK_OK(peal_invocation_destroy(invocation));
    }
}

static int count(void *self, const char *text)
{
    (void)self;
    see(text);
    return 1;
}

static const struct post table = { PEAL_TABLE(post), on_text, on_note, on_again, count };

static void *note_copy(const void *value)
{
    copies++;
    return (void *)(uintptr_t)value;
}

static void note_destroy(void *value) { (void)value; }

static void destroy_memory(void *object)
{
    destroyed++;
    free(object);
}

/* Creates the object, and leaves one share to the caller. */
static peal_reference create_memory(const char *text, struct memory **out_memory)
{
    peal_reference reference = { 0 };

    *out_memory = calloc(1, sizeof **out_memory);
    strcpy((*out_memory)->text, text);
    CHECK_OK(peal_reference_create(*out_memory, destroy_memory, &reference));
    return reference;
}

static void enter(peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    options.flags = PEAL_OBSERVE_ALLOW_DUPLICATE;
    CHECK_OK(post_observe(&post, NULL, &table, &options, NULL));
}

static void open_post(void)
{
    static const struct peal_struct_type type = PEAL_STRUCT_TYPE(note_copy, note_destroy);

    center = open_center();
    CHECK_OK(peal_type_set_copy(center, "struct note", &type));
    CHECK_OK(post_define(center, &post));
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&other, PEAL_QUEUE_PUMPED);
    journal_clear();
    seen_count = destroyed = copies = 0;
}

static void close_post(void)
{
    close_center(center);
    lane_close(&lane);
    lane_close(&other);
}

static struct peal_send_options options_with(peal_reference memory)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;

    options.memory = memory;
    return options;
}

CLAIM("Q11", "calls on queues share the memory that a counted object keeps, until the last of them has ended")
{
    struct memory *memory;
    int n = 1;

    open_post();
    enter(lane.queue);
    enter(lane.queue);
    enter(other.queue);
    const peal_reference reference = create_memory("shared", &memory);
    const struct peal_send_options options = options_with(reference);
    const char *text = memory->text;
    void *arguments[] = { &text, &n };
    CHECK_OK(peal_send_with(post.on_text, arguments, 2, &options, NULL, NULL));
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(destroyed, 0);
    n = 2;
    text = NULL;
    CHECK_EQUAL(pump_all(lane.queue), 2);
    CHECK_EQUAL(destroyed, 0);
    CHECK_EQUAL(pump_all(other.queue), 1);
    CHECK_EQUAL(destroyed, 1);
    CHECK_JOURNAL("shared1 shared1 shared1");
    for (int i = 0; i < 3; i++)
        CHECK_POINTER(seen[i], (void *)memory);
    close_post();
}

CLAIM("Q11", "structs of a type with a copy function are shared too, and not copied")
{
    struct memory *memory;

    open_post();
    enter(lane.queue);
    const peal_reference reference = create_memory("", &memory);
    struct peal_send_options options = options_with(reference);
    const struct note *note = (const struct note *)(const void *)memory;
    void *arguments[] = { &note };
    CHECK_OK(peal_send_with(post.on_note, arguments, 1, &options, NULL, NULL));
    CHECK_EQUAL(copies, 0);
    options.memory.id = 0;
    CHECK_OK(peal_send_with(post.on_note, arguments, 1, &options, NULL, NULL));
    CHECK_EQUAL(copies, 1);
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(pump_all(lane.queue), 2);
    CHECK_EQUAL(destroyed, 1);
    CHECK_POINTER(seen[0], (const void *)note);
    close_post();
}

CLAIM("Q11", "calls that are dropped or refused release their shares")
{
    struct memory *memory;
    int n = 1;

    open_post();
    struct lane full;
    lane_open_bounded(&full, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    enter(full.queue);
    const peal_reference reference = create_memory("full", &memory);
    const struct peal_send_options options = options_with(reference);
    const char *text = memory->text;
    void *arguments[] = { &text, &n };
    CHECK_OK(peal_send_with(post.on_text, arguments, 2, &options, NULL, NULL));
    CHECK_STATUS(peal_send_with(post.on_text, arguments, 2, &options, NULL, NULL), PEAL_REJECTED);
    CHECK_EQUAL((int)peal_reference_count(reference), 2);
    CHECK_OK(peal_reference_release(reference));
    lane_close(&full);
    CHECK_EQUAL(destroyed, 1);
    close_post();
}

CLAIM("Q11", "without a queue the options make no difference, and a dead object is refused")
{
    struct memory *memory;
    int n = 1, sum = 0;

    open_post();
    const peal_queue none = { 0 };
    enter(none);
    const peal_reference reference = create_memory("now", &memory);
    const struct peal_send_options options = options_with(reference);
    const char *text = memory->text;
    void *arguments[] = { &text, &n };
    CHECK_OK(peal_send_with(post.on_text, arguments, 2, &options, NULL, NULL));
    CHECK_OK(peal_send_with(post.count, arguments, 1, &options, &sum, NULL));
    CHECK_EQUAL(sum, 1);
    CHECK_EQUAL((int)peal_reference_count(reference), 1);
    CHECK_OK(peal_reference_release(reference));
    text = "dead";
    CHECK_FAILURE(peal_send_with(post.on_text, arguments, 2, &options, NULL, NULL), PEAL_ERROR_HANDLE);
    CHECK_JOURNAL("now1");
    close_post();
}

CLAIM("Q11", "the queues of each broadcast of an invocation share its retained arguments, also after its end")
{
    char text[] = "kept";
    const char *pointer = text;
    int n = 1;
    void *arguments[] = { &pointer, &n };
    peal_invocation invocation;

    open_post();
    enter(lane.queue);
    enter(other.queue);
    CHECK_OK(peal_invocation_create_with(post.on_text, arguments, 2, &invocation));
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    text[0] = '?';
    CHECK_OK(peal_invocation_broadcast(invocation, NULL, NULL, NULL));
    CHECK_OK(peal_invocation_broadcast(invocation, NULL, NULL, NULL));
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_EQUAL(pump_all(lane.queue), 2);
    CHECK_EQUAL(pump_all(other.queue), 2);
    CHECK_JOURNAL("kept1 kept1 kept1 kept1");
    for (int i = 1; i < 4; i++)
        CHECK_POINTER(seen[i], seen[0]);
    close_post();
}

CLAIM("Q11", "a deferred call of an invocation shares its retained arguments, and passes them on to queues")
{
    const char *text = "later";
    void *arguments[] = { &text };
    const peal_queue none = { 0 };

    open_post();
    enter(none);
    enter(lane.queue);
    CHECK_OK(peal_invocation_create_with(post.on_again, arguments, 1, &again));
    CHECK_OK(peal_invocation_retain_arguments(again));
    text = "first";
    CHECK_OK(peal_send(post.on_again, arguments, 1, NULL, NULL));
    CHECK_JOURNAL("first later");
    CHECK_EQUAL(pump_all(lane.queue), 2);
    CHECK_JOURNAL("first later");
    CHECK_EQUAL(seen_count, 4);
    CHECK_POINTER(seen[3], seen[1]);
    close_post();
}
