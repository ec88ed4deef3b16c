/* The program of docs/tutorial-c.md. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAT(METHOD)                                                        \
    METHOD(required, void, on_message, (const char *who, const char *text)) \
    METHOD(optional, bool, may_enter, (const char *who), every)
PEAL_PROTOCOL(chat, "Chat", CHAT);

/* Ends the program with peal's sentence if a function has failed. */
static void must(peal_status status)
{
    if (status < 0) {
        fprintf(stderr, "%s\n", peal_last_message());
        exit(1);
    }
}

static void print_message(void *self, const char *who, const char *text)
{
    printf("%s reads: %s says %s\n", (const char *)self, who, text);
}

static const struct chat reader = { PEAL_TABLE(chat), .on_message = print_message };

static bool let_in(void *self, const char *who)
{
    printf("%s is asked about %s\n", (const char *)self, who);
    return strcmp(who, "Mallory") != 0;
}

static const struct chat doorman = {
    PEAL_TABLE(chat), .on_message = print_message, .may_enter = let_in,
};

static void free_reader(void *target)
{
    printf("%s is freed\n", (const char *)target);
    free(target);
}

static char *new_reader(const char *name)
{
    char *reader_name = malloc(strlen(name) + 1);
    if (reader_name == NULL)
        exit(1);
    return strcpy(reader_name, name);
}

#define ARCHIVE(METHOD) METHOD(required, size_t, count, (void))
PEAL_PROTOCOL(archive, "Archive", ARCHIVE);

static void *open_archive(struct peal_creation *creation)
{
    printf("the %s opens\n", creation->service);
    return calloc(1, sizeof(size_t)); /* NULL would report a failure */
}

static void close_archive(void *self)
{
    printf("the archive closes\n");
    free(self);
}

static size_t count_messages(void *self)
{
    return *(size_t *)self;
}

static void keep_message(void *self, const char *who, const char *text)
{
    (void)who, (void)text;
    *(size_t *)self += 1;
}

static const struct archive archive_table = { PEAL_TABLE(archive), .count = count_messages };
static const struct chat archive_hears = { PEAL_TABLE(chat), .on_message = keep_message };

/* A real plugin would be loaded with dlopen. It need not use owners. */
static void start_plugin(const struct chat_protocol *chat)
{
    must(chat_observe(chat, "a bot", &reader, NULL, NULL));
}

int main(void)
{
    const peal_center center = peal_center_default();
    struct chat_protocol chat;
    must(chat_define(center, &chat));

    peal_observation ann;
    must(chat_observe(&chat, "Ann", &reader, NULL, &ann));
    must(chat_observe(&chat, "Bob", &reader, NULL, NULL));

    PEAL_BROADCAST(chat, &chat, on_message, "Eve", "hello");

    peal_observation cid;
    bool may_enter;
    must(chat_observe(&chat, "Cid", &doorman, NULL, &cid));
    must(peal_ask(chat.may_enter, &may_enter, "Mallory"));
    printf("Mallory %s\n", may_enter ? "comes in" : "stays outside");

    must(peal_observation_remove(ann));
    must(peal_observation_remove(cid));

    struct peal_observe_options owned = PEAL_OBSERVE_OPTIONS;
    peal_observation dan;
    owned.destroy = free_reader;
    must(chat_observe(&chat, new_reader("Dan"), &reader, &owned, &dan));
    must(peal_observation_remove(dan));

    struct peal_observe_options weakly = PEAL_OBSERVE_OPTIONS;
    char *eve = new_reader("Eve");
    must(peal_reference_create(eve, free_reader, &weakly.reference)); /* this program's reference to Eve */
    must(chat_observe(&chat, eve, &reader, &weakly, NULL));
    PEAL_BROADCAST(chat, &chat, on_message, "Dan", "are you there?");
    must(peal_reference_release(weakly.reference)); /* Eve is destroyed, because no other reference is left */
    PEAL_BROADCAST(chat, &chat, on_message, "Dan", "and now?");
    must(peal_protocol_remove_observations(chat.protocol, NULL)); /* also removes Bob */

    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options later = PEAL_OBSERVE_OPTIONS;
    peal_queue queue;
    must(peal_queue_create(&pumped, &queue));
    later.queue = queue;
    must(chat_observe(&chat, "Fay", &reader, &later, NULL));

    char text[] = "lunch?";
    PEAL_BROADCAST(chat, &chat, on_message, "Gus", text);
    strcpy(text, "?!?!?!"); /* Fay has a copy */
    printf("Fay has not read it yet\n");
    must(peal_queue_pump(queue, 0, NULL));
    must(peal_protocol_remove_observations(chat.protocol, NULL));

    const struct peal_provision provides[] = {
        { "Archive", &archive_table }, { "Chat", &archive_hears }, { NULL, NULL },
    };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("archive");
    struct archive_protocol archives;
    must(archive_define(center, &archives));
    description.provides = provides;
    description.create = open_archive;
    description.destroy = close_archive;
    must(peal_service_register(center, &description, NULL));
    printf("the archive is known, and not open\n");

    /* The archive also observes, so that the first message creates it. */
    must(peal_observe_service(chat.protocol, "archive", NULL, NULL));
    PEAL_BROADCAST(chat, &chat, on_message, "Gus", "remember this");

    struct archive_use archive = PEAL_SERVICE(archive, center);
    if (archive.self == NULL)
        must(peal_last_status());
    printf("%zu message is kept\n", archive.table->count(archive.self));
    must(peal_use_release(archive.use));
    must(peal_session_end(center, NULL));        /* a log-out */
    must(peal_protocol_remove_observations(chat.protocol, NULL)); /* otherwise the next message would create it again */

    peal_owner plugin;
    must(peal_owner_create("bots", &plugin));
    must(peal_owner_enter(plugin)); /* this thread's registrations now belong to the plugin */
    start_plugin(&chat);
    must(peal_owner_leave());
    PEAL_BROADCAST(chat, &chat, on_message, "Gus", "any bots?");
    if (peal_owner_retire(plugin, 1000) == PEAL_OK) /* waits up to a second for running calls */
        printf("the plugin may be unloaded\n");
    must(peal_queue_destroy(queue));
    return 0;
}
