/* The protocol of a program whose Swift is generated. */
#ifndef CHAT_H
#define CHAT_H

#include <peal/peal.h>

#define CHAT(METHOD)                                                                   \
    METHOD(optional, void, on_message, (const char *room, const char *_Nullable text)) \
    METHOD(optional, void, on_samples, (const float *__counted_by(n) samples, size_t n))
PEAL_PROTOCOL(chat, "Chat", CHAT);

#endif
