/* The interface of the program and its plugin: the protocols, and how a plugin is started and stopped. */
#ifndef TALK_H
#define TALK_H

#include <peal/peal.h>

/* A new sentence of a speaker. The program broadcasts it. */
#define CHAT(METHOD) METHOD(required, void, on_message, (const char *name, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

/* A warning that a speaker is too loud. The plugin broadcasts it. */
#define MODERATOR(METHOD) METHOD(required, void, on_warning, (const char *name, int32_t warnings))
PEAL_PROTOCOL(moderator, "Moderator", MODERATOR);

/* A service of the program. It owns the returned string permanently; NULL for an unknown name. */
#define DIRECTORY(METHOD) METHOD(required, const char *, full_name, (const char *name))
PEAL_PROTOCOL(directory, "Directory", DIRECTORY);

/* A service of the plugin. */
#define STATISTICS(METHOD) METHOD(required, size_t, words, (void))
PEAL_PROTOCOL(statistics, "Statistics", STATISTICS);

/* A plugin exports these, as "talk_plugin_start" and "talk_plugin_stop". Its registrations belong to the caller's
 * owner, too. */
typedef peal_status (*talk_plugin_start_function)(peal_center center);
typedef void (*talk_plugin_stop_function)(void);

#endif
