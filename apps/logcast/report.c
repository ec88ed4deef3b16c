#include "report.h"

#include "text.h"

void report_reading(const char *name, const struct log_reading *reading)
{
    printf("%s: %s lines, %s\n", name, text_grouped(reading->read).text, text_bytes(reading->bytes).text);
    printf(
        "    kept %s, dropped %s", text_grouped(reading->kept).text, text_grouped(reading->read - reading->kept).text);
    if (reading->cut > 0)
        printf(", cut short %s", text_grouped(reading->cut).text);
    printf("\n    %s", text_duration(reading->nanoseconds).text);
    if (reading->nanoseconds > 0)
        printf(", %s lines a second",
            text_grouped((uint64_t)((double)reading->read * 1e9 / (double)reading->nanoseconds)).text);
    printf("\n");
}

void report_sinks(struct host *host)
{
    struct roster *roster = &host->roster;
    for (size_t i = 0; i <= roster->count; i++) {
        const struct roster_entry *entry = i < roster->count ? &roster->entries[i] : &roster->others;
        PEAL_EACH(log_sink, &host->sinks, report, each) {
            if (roster_find(roster, each.target) != entry)
                continue;
            printf("\n%s\n", entry->name);
            each.table->report(each.target, stdout);
        }
    }
}

void report_idle(const struct plugins *plugins)
{
    size_t count = 0;
    for (size_t i = 0; i < plugins->count; i++)
        if (plugins->known[i].object != NULL && plugins->known[i].started == LOG_START_IDLE)
            printf("%s%s", count++ == 0 ? "\nidle without options: " : ", ", plugins->known[i].name);
    if (count > 0)
        printf("\n");
}

void report_reloads(const struct plugins *plugins)
{
    bool is_first = true;
    for (size_t i = 0; i < plugins->count; i++) {
        const struct plugin *plugin = &plugins->known[i];
        if (plugin->reload_nanoseconds == 0)
            continue;
        printf("%s    %-12s %12s times in %s", is_first ? "\nreloads\n" : "", plugin->name,
            text_grouped(plugin->reloads).text, text_duration(plugin->reload_nanoseconds).text);
        if (plugin->reloads_along > 0)
            printf(", and %s with what it needs", text_grouped(plugin->reloads_along).text);
        printf("\n");
        is_first = false;
    }
}

/* Prints a part of the whole, and subtracts it from the rest. */
static void report_share(const char *name, uint64_t part, uint64_t whole, uint64_t *rest)
{
    printf("    %-12s %12s %5.1f %%\n", name, text_duration(part).text,
        whole == 0 ? 0.0 : (double)part * 100 / (double)whole);
    *rest -= part < *rest ? part : *rest;
}

void report_time(const struct host *host, const struct plugins *plugins, uint64_t nanoseconds)
{
    const struct roster *roster = &host->roster;
    uint64_t rest = nanoseconds, reloads = 0;
    printf("\ntime\n");
    for (size_t i = 0; i < plugins->count; i++)
        reloads += plugins->known[i].reload_nanoseconds;
    for (size_t i = 0; i < roster->count; i++)
        report_share(roster->entries[i].name, roster->entries[i].nanoseconds, nanoseconds, &rest);
    if (roster->others.nanoseconds > 0)
        report_share(roster->others.name, roster->others.nanoseconds, nanoseconds, &rest);
    if (roster->stores.nanoseconds > 0)
        report_share(roster->stores.name, roster->stores.nanoseconds, nanoseconds, &rest);
    if (roster->fields.nanoseconds > 0)
        report_share(roster->fields.name, roster->fields.nanoseconds, nanoseconds, &rest);
    if (reloads > 0)
        report_share("(reloads)", reloads, nanoseconds, &rest);
    report_share("(host)", rest, nanoseconds, &rest);
}

void report_plugins(const struct plugins *plugins)
{
    for (size_t i = 0; i < plugins->count; i++) {
        const struct log_plugin *table = plugins->known[i].table;
        printf("%s: %s\n", table->name, table->about != NULL ? table->about : "");
        for (const char *const *need = table->needs; need != NULL && *need != NULL; need++)
            printf("%s%s", need == table->needs ? "    needs " : ", ", *need);
        printf("%s", table->needs != NULL ? "\n" : "");
        for (const struct log_option_help *help = table->options; help && help->key; help++) {
            char option[128];
            snprintf(option, sizeof option, "--%s.%s %s", table->name, help->key, help->value);
            printf("    %-28s %s\n", option, help->help);
        }
    }
}
