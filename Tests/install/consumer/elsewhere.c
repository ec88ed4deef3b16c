/* A second file of the program. */
#ifdef USE_PEAL_DL
#include <peal/peal-dl.h>
#else
#include <peal/peal.h>
#endif
#include "program.h"

int broadcast_elsewhere(const struct chat_protocol *chat)
{
    PEAL_BROADCAST(chat, chat, on_text, "one of another file");
    return peal_last_status() == PEAL_OK ? 0 : 1;
}
