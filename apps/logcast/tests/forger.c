/* forger URL: publishes calls of LogStore that no reader publishes, and a line after them, in the realm "forged". */
#include <peal/nats.h>
#include <stdio.h>
#include <string.h>

#include "log_sink.h"

static void store(
    const struct log_store_protocol *stores, const char *source, uint64_t number, const char *text, size_t length)
{
    PEAL_BROADCAST(log_store, stores, store, source, number, text, length);
}

int main(int argc, char **argv)
{
    static const char two[] = "one\nbank.1.1:log\t9\ttwo";
    static const char *const controls[] = { "\x1b[2J", "carriage\r", "deletion\x7f", "\xc2\x9b", "\x9b" };
    struct peal_bridge_options how = PEAL_BRIDGE_OPTIONS;
    struct peal_export_options durably = PEAL_EXPORT_OPTIONS;
    struct log_store_protocol stores;
    peal_center center;
    peal_bridge *bridge;
    how.url = argc > 1 ? argv[1] : NULL;
    how.realm = "forged";
    durably.durable = true;
    if (peal_center_create(&center) < 0 || log_store_define(center, &stores) < 0
        || peal_bridge_create(center, &how, &bridge) < 0 || peal_bridge_export(bridge, stores.protocol, &durably) < 0) {
        fprintf(stderr, "%s\n", peal_bridge_last_message());
        return 1;
    }
    store(&stores, NULL, 1, "null", 4);
    store(&stores, "", 1, "none", 4);
    store(&stores, "web.1.1:log\nbank.1.1:log\t9\tthree\nweb.1.1:log", 1, "newline", 7);
    store(&stores, "web.1.1:log\t1", 1, "tab", 3);
    store(&stores, "web.1.1:\x1b[2J", 1, "escape", 6);
    store(&stores, "web.1.1:log", 1, two, sizeof two - 1);
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        store(&stores, "web.1.1:log", 1, controls[i], strlen(controls[i]));
    store(&stores, "web.1.1:log", 1, "zer\0", 4);
    store(&stores, "web.1.1:log", 0, "zero", 4);
    store(&stores, "web.1.1:log", (uint64_t)INT64_MAX + 1, "last", 4);
    store(&stores, "web.1.1:log", 2, "genuine", 7);
    store(&stores, "web.1.1:log", 3, NULL, 0);
    const bool is_stored = peal_bridge_flush(bridge, 10000) == PEAL_OK;
    peal_bridge_destroy(bridge);
    (void)peal_center_destroy(center);
    return is_stored ? 0 : 1;
}
