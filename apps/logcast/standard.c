#include "standard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

void standard_guard(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        /* open returns the lowest free descriptor, which is this one. Its mode makes each use of the stream fail. */
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
    signal(SIGPIPE, SIG_IGN);
}

bool standard_flush(void)
{
    const bool failed_before = ferror(stdout) != 0;
    if (fflush(stdout) != 0)
        return false;
    errno = EIO; /* the cause of an earlier failure is unknown */
    return !failed_before;
}
