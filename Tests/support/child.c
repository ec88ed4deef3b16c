/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

bool in_child(bool (*body)(void), unsigned seconds)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(seconds);
        const bool holds = body();
        fflush(stdout);
        _exit(holds ? 0 : 1);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        printf("  the child ended by signal %d%s\n", WTERMSIG(status), WTERMSIG(status) == SIGALRM ? ": it hung" : "");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
