/* terminal PROGRAM [ARGUMENT]...: runs a program whose standard error is a terminal, and prints the output of
 * that terminal. Exits as the program does. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char buffer[4096];
    ssize_t count;
    int status;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (argc < 2 || terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        return 2;
    const pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        const int far_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
        const int nowhere = open("/dev/null", O_WRONLY);
        if (far_end < 0 || nowhere < 0 || dup2(far_end, STDERR_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
            _exit(2);
        execv(argv[1], argv + 1);
        _exit(2);
    }
    /* On Linux a read fails once the other side is closed. */
    while ((count = read(terminal, buffer, sizeof buffer)) > 0) {
        fwrite(buffer, 1, (size_t)count, stdout);
        fflush(stdout);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 2;
    return WEXITSTATUS(status);
}
