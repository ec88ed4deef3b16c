/* Included after the headers of peal. */
#define CHAT(METHOD)                                    \
    METHOD(required, void, on_text, (const char *text)) \
    METHOD(optional, int, weigh, (int factor), sum)
PEAL_PROTOCOL(chat, "Chat", CHAT);

#ifdef __cplusplus
extern "C"
#endif
    int broadcast_elsewhere(const struct chat_protocol *chat);
