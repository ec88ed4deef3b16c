#include "interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t signal_that_came;

static void remember(int number)
{
    signal_that_came = number;
}

void interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember;
    action.sa_flags = SA_RESETHAND; /* and no SA_RESTART: a blocked read returns */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int interrupt_signal(void)
{
    return signal_that_came;
}
