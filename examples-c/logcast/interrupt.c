#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t signal_that_came, wants_reload;

/* A byte in it tells of a signal: so one that comes just before a wait ends that wait too. */
static int wake[2] = { -1, -1 };

static void remember(int number)
{
    const int error = errno;
    if (number == SIGHUP)
        wants_reload = 1;
    else
        signal_that_came = number;
    (void)!write(wake[1], "", 1); /* a full pipe wakes as well */
    errno = error;
}

static void catch(int number, int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember;
    action.sa_flags = flags | SA_RESTART; /* only interrupt_wait is to be interrupted */
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void interrupt_catch(void)
{
    if (pipe(wake) == 0) {
        for (int end = 0; end < 2; end++) {
            fcntl(wake[end], F_SETFL, O_NONBLOCK);
            fcntl(wake[end], F_SETFD, FD_CLOEXEC);
        }
    }
    catch(SIGINT, SA_RESETHAND);
    catch(SIGTERM, SA_RESETHAND);
    catch(SIGHUP, 0);
}

int interrupt_signal(void)
{
    return signal_that_came;
}

bool interrupt_takes_reload(void)
{
    if (wants_reload == 0)
        return false;
    wants_reload = 0;
    return true;
}

bool interrupt_wait(int file)
{
    struct pollfd files[] = { { file, POLLIN, 0 }, { wake[0], POLLIN, 0 } };
    char bytes[64];
    while (poll(files, 2, -1) < 0)
        if (errno != EINTR)
            return true; /* the read will tell */
    if (files[1].revents == 0)
        return true;
    while (read(wake[0], bytes, sizeof bytes) > 0) {}
    return false;
}
