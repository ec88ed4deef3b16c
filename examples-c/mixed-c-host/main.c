/* A program in C that loads a plugin written in Swift. Both use one center. */
#include "talk.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(peal_status status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "mixed-c-host: %s: %s\n", what, peal_last_message());
    exit(1);
}

/* ---- A service of C. ---- */

static const char *full_name(void *self, const char *name)
{
    (void)self;
    return strcmp(name, "Ann") == 0 ? "Ann Archer" : NULL;
}

static const struct directory directory_table = { PEAL_TABLE(directory), .full_name = full_name };

/* ---- Broadcasts of Swift that C observes. ---- */

static void print_warning(void *self, const char *name, int32_t warnings)
{
    (void)self;
    printf("C:     %s is warned, %d so far\n", name, (int)warnings);
}

static const struct moderator printer = { PEAL_TABLE(moderator), .on_warning = print_warning };

/* ---- The plugin. ---- */

struct plugin {
    void *library;
    peal_owner owner;
    talk_plugin_stop_function stop;
};

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "mixed-c-host: %s\n", dlerror());
        exit(1);
    }
    return found;
}

static struct plugin load(const char *path, peal_center center)
{
    struct plugin plugin = { dlopen(path, RTLD_NOW | RTLD_LOCAL), { 0 }, NULL };
    talk_plugin_start_function start;
    peal_status status;
    if (plugin.library == NULL) {
        fprintf(stderr, "mixed-c-host: %s\n", dlerror());
        exit(1);
    }
    *(void **)&start = symbol(plugin.library, "talk_plugin_start");
    *(void **)&plugin.stop = symbol(plugin.library, "talk_plugin_stop");
    must(peal_owner_create("plugin", &plugin.owner), "the owner");
    must(peal_owner_enter(plugin.owner), "the owner");
    status = start(center);
    must(peal_owner_leave(), "the owner");
    must(status, "the plugin's start");
    return plugin;
}

/* Ends the plugin: none of its code is called afterwards. The code itself stays loaded, because the Swift runtime
 * cannot remove it. */
static void end(struct plugin *plugin)
{
    plugin->stop();
    if (peal_owner_retire(plugin->owner, PEAL_FOREVER) == PEAL_OK)
        dlclose(plugin->library);
}

int main(int argc, char **argv)
{
    static char self;
    peal_center center = peal_center_default();
    struct chat_protocol chat;
    struct moderator_protocol moderator;
    struct peal_provision provides[] = { { "Directory", &directory_table }, { NULL, NULL } };
    struct peal_service_description service = PEAL_SERVICE_DESCRIPTION("directory");
    struct statistics_use statistics;
    struct plugin plugin;

    service.provides = provides;
    service.context = &self;
    must(chat_define(center, &chat), "Chat");
    must(moderator_define(center, &moderator), "Moderator");
    must(directory_define(center, NULL), "Directory");
    must(statistics_define(center, NULL), "Statistics");
    must(moderator_observe(&moderator, &self, &printer, NULL, NULL), "Moderator");
    must(peal_service_register(center, &service, NULL), "the directory");

    plugin = load(argc > 1 ? argv[1] : "./plugin.so", center);
    PEAL_BROADCAST(chat, &chat, on_message, "Ann", "good morning");
    PEAL_BROADCAST(chat, &chat, on_message, "Bob", "GOOD MORNING");

    statistics = PEAL_SERVICE(statistics, center);
    if (statistics.self != NULL) {
        printf("C:     %zu words were said\n", statistics.table->words(statistics.self));
        peal_use_release(statistics.use);
    }

    end(&plugin);
    PEAL_BROADCAST(chat, &chat, on_message, "Bob", "ANYBODY?");
    statistics = PEAL_SERVICE(statistics, center);
    printf("C:     %s\n", statistics.self == NULL ? "the statistics have ended" : "the statistics still count");
    return 0;
}
