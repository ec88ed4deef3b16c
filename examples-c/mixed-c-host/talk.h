/* What the program and its plugin have in common: the protocols, and how a plugin is started and stopped. */
#ifndef TALK_H
#define TALK_H

#include <peal/peal.h>

/* Somebody has said something. The program broadcasts it. */
#define CHAT(METHOD) METHOD(required, void, on_message, (const char *name, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

/* Somebody is too loud. The plugin broadcasts it. */
#define MODERATOR(METHOD) METHOD(required, void, on_warning, (const char *name, int32_t warnings))
PEAL_PROTOCOL(moderator, "Moderator", MODERATOR);

/* A service of the program. What it returns is its own, for good; NULL where it knows nobody of the name. */
#define DIRECTORY(METHOD) METHOD(required, const char *, full_name, (const char *name))
PEAL_PROTOCOL(directory, "Directory", DIRECTORY);

/* A service of the plugin. */
#define STATISTICS(METHOD) METHOD(required, size_t, words, (void))
PEAL_PROTOCOL(statistics, "Statistics", STATISTICS);

/* A plugin exports these, as "talk_plugin_start" and "talk_plugin_stop". What it registers belongs to the
 * caller's owner, too. */
typedef peal_status (*talk_plugin_start_function)(peal_center center);
typedef void (*talk_plugin_stop_function)(void);

#endif
