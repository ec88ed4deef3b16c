#include "exchange.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "place.h"
#include "text.h"

enum { LIMIT_AFTER_SIGNAL = 5000 /* milliseconds */ };

const char *exchange_refuse_options(const struct options *options, size_t path_count)
{
    if (options->publish != NULL && options->subscribe != NULL)
        return "--publish and --subscribe exclude each other";
    if (options->subscribe != NULL && path_count > 0)
        return "--subscribe reads no other log";
    if (options->publish == NULL && options->subscribe == NULL && (options->realm != NULL || options->name != NULL))
        return "--realm and --name need --publish or --subscribe";
    return NULL;
}

/* ---- Opening ----------------------------------------------------------------------------------- */

static const struct remote_table *load(struct host *host, const char *option)
{
    char path[PLACE_CAPACITY], what[2 * PLACE_CAPACITY];
    void *object = place_beside_executable(path, "logcast-remote.so") ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = object != NULL ? dlsym(object, REMOTE_ENTRY) : NULL;
    if (symbol == NULL) {
        snprintf(what, sizeof what, "needs libpeal-nats: %s", dlerror());
        host_complain(host, option, what);
        return NULL;
    }
    remote_entry *entry;
    memcpy(&entry, &symbol, sizeof entry); /* C has no cast for it; POSIX guarantees equal bytes */
    const struct remote_table *table = entry();
    if (table->size == sizeof *table)
        return table;
    host_complain(host, option, "logcast-remote.so was built for another logcast");
    return NULL;
}

/* Fills the name of this machine in the characters that a server accepts. */
static const char *name_machine(char *name, size_t capacity)
{
    if (gethostname(name, capacity) != 0)
        return "reader";
    name[capacity - 1] = '\0';
    for (char *at = name; *at != '\0'; at++)
        if (*at == '.')
            *at = '-';
    return name;
}

static void take_line(void *self, const struct log_line *line)
{
    struct exchange *exchange = self;
    exchange->source.bytes += line->length + 1;
    pipeline_take(exchange->pipeline, line);
}

/* The first one is reported at once. */
static void refuse(void *self)
{
    struct exchange *exchange = self;
    if (++exchange->refused == 1)
        host_complain(exchange->pipeline->host, "subscribe",
            "a line was refused: it has no source, another name than readers publish, or a newline");
}

static void settle(void *self)
{
    const struct exchange *exchange = self;
    pipeline_settle(exchange->pipeline);
}

/* Lines are taken by the receiver, so this returns none. */
static enum source_result next(struct source *source, const char **text, size_t *length)
{
    struct exchange *exchange = (struct exchange *)source;
    (void)text;
    (void)length;
    if (signals_wait(exchange->table->descriptor(exchange->remote), exchange->signals))
        exchange->table->receive(exchange->remote);
    return SOURCE_PAUSE;
}

bool exchange_open(struct exchange *exchange, struct pipeline *pipeline)
{
    struct host *host = pipeline->host;
    const struct options *options = host->options;
    const char *option = options->publish != NULL ? "publish" : "subscribe";
    char machine[128], sentence[512] = "";
    if (options->publish == NULL && options->subscribe == NULL)
        return true;
    exchange->table = load(host, option);
    if (exchange->table == NULL)
        return false;
    exchange->pipeline = pipeline;
    exchange->signals = pipeline->signals->descriptor;
    exchange->publishes = options->publish != NULL;
    const struct remote_options how = {
        .url = exchange->publishes ? options->publish : options->subscribe,
        .realm = options->realm != NULL ? options->realm : "logcast",
        .name = options->name != NULL ? options->name
              : exchange->publishes   ? name_machine(machine, sizeof machine)
                                      : "collector",
        .interrupt = exchange->signals,
        .center = host->center,
        .receiver = { take_line, refuse, settle, exchange },
    };
    exchange->source.name = how.realm;
    exchange->source.next = next;
    exchange->source.is_remote = true;
    exchange->remote = exchange->publishes ? exchange->table->publish(&how, sentence, sizeof sentence)
                                           : exchange->table->subscribe(&how, sentence, sizeof sentence);
    if (exchange->remote == NULL)
        host_complain(host, option, sentence);
    return exchange->remote != NULL;
}

/* ---- Ending ------------------------------------------------------------------------------------ */

void exchange_finish(struct exchange *exchange)
{
    char what[128];
    if (exchange->remote == NULL || !exchange->publishes)
        return;
    const bool is_by_signal = exchange->pipeline->signals->ended_by != 0;
    const uint64_t lost = exchange->table->finish(exchange->remote, is_by_signal ? LIMIT_AFTER_SIGNAL : PEAL_FOREVER);
    if (lost == 0)
        return;
    snprintf(what, sizeof what, "the server has not stored all lines: up to %s are lost", text_grouped(lost).text);
    host_complain(exchange->pipeline->host, "publish", what);
}

void exchange_close(struct exchange *exchange)
{
    char what[64];
    if (exchange->refused > 1) {
        snprintf(what, sizeof what, "%s lines were refused", text_grouped(exchange->refused).text);
        host_complain(exchange->pipeline->host, "subscribe", what);
    }
    if (exchange->remote != NULL)
        exchange->table->close(exchange->remote);
    exchange->remote = NULL;
}
