/* SPDX-License-Identifier: Apache-2.0
 *
 * nats.c - calls through a bridge beside messages of libnats alone, through a nats-server of its own.
 *
 *     bench-nats [--quick | --calls]
 *
 * A call has an int, a double, a text of 20 bytes and a buffer of 60 bytes, some 100 bytes together. The message of libnats
 * has 100 bytes. Both have one sender and one receiver in this process, with a connection each. They run in turns of
 * 40,000, one after the other. `caller` is the processor time of the sending thread. `end to end` is the time from the first send
 * until the receiver has the last. A ratio is the median of the ratios of all turns.
 *
 * `gather` is a gathering over eight processes beside one request of libnats to one of them, whose answer is sent at once.
 * `scatter` is one message of libnats to all eight, and their eight answers, each sent at once. They alternate in turns of 25,
 * and all times are medians. Each answer is an int. `processor` is the mean time of all processors for one of them, in the
 * caller, the server and the eight processes together.
 *
 * --calls: one turn of calls alone, in one process. valgrind --tool=callgrind counts the instructions of send_bridge and
 * send_libnats, for 80,000 calls each.
 */
#include <nats/nats.h>
#include <peal/completion.h>
#include <peal/nats.h>
#include <peal/peal.h>
#include <peal/queue.h>

#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 40000, TURNS = 15, MESSAGE_SIZE = 100, PORT = 24222 };

#define FEED(METHOD)                \
    METHOD(required, void, on_item, \
        (int number, double ratio, const char *text, const unsigned char *bytes __counted_by(count), size_t count))
PEAL_PROTOCOL(feed, "Feed", FEED);

static char url[64];
static size_t received; /* atomic */
static size_t sent;

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench-nats: %s\n", what);
    exit(1);
}

/* ---- Contenders -------------------------------------------------------------------------------- */

static natsConnection *from_connection, *to_connection;

static void arrived(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    (void)connection;
    (void)subscription;
    (void)closure;
    natsMsg_Destroy(message);
    __atomic_fetch_add(&received, 1, __ATOMIC_RELEASE);
}

static void open_libnats(void)
{
    natsSubscription *subscription = NULL;

    if (natsConnection_ConnectTo(&from_connection, url) != NATS_OK
        || natsConnection_ConnectTo(&to_connection, url) != NATS_OK
        || natsConnection_Subscribe(&subscription, to_connection, "plain", arrived, NULL) != NATS_OK
        || natsConnection_Flush(to_connection) != NATS_OK)
        fail("libnats");
}

static void send_libnats(void)
{
    static const char message[MESSAGE_SIZE];

    for (int i = 0; i < CALLS; i++)
        (void)natsConnection_Publish(from_connection, "plain", message, sizeof message);
}

static struct feed_protocol from_feed, to_feed;

static void count_item(void *self, int number, double ratio, const char *text, const unsigned char *bytes, size_t count)
{
    (void)self, (void)number, (void)ratio, (void)text, (void)bytes, (void)count;
    __atomic_fetch_add(&received, 1, __ATOMIC_RELEASE);
}

static void open_bridges(void)
{
    static const struct feed table = { PEAL_TABLE(feed), .on_item = count_item };
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    peal_center centers[2];
    peal_bridge *from, *to;

    options.url = url;
    if (peal_center_create(&centers[0]) < 0 || peal_center_create(&centers[1]) < 0
        || feed_define(centers[0], &from_feed) < 0 || feed_define(centers[1], &to_feed) < 0
        || feed_observe(&to_feed, NULL, &table, NULL, NULL) < 0 || peal_bridge_create(centers[0], &options, &from) < 0
        || peal_bridge_create(centers[1], &options, &to) < 0 || peal_bridge_export(from, from_feed.protocol, NULL) < 0
        || peal_bridge_import(to, to_feed.protocol, NULL) < 0
        || peal_bridge_wait_for_peers(from, from_feed.protocol, 1, 5000) < 0)
        fail(peal_bridge_last_message());
}

static void send_bridge(void)
{
    static unsigned char memory[60];
    const unsigned char *bytes = memory;
    const char *text = "a text of 20 letters";

    for (int i = 0; i < CALLS; i++)
        PEAL_BROADCAST(feed, &from_feed, on_item, i, 0.1, text, bytes, sizeof memory);
}

/* ---- Gathering --------------------------------------------------------------------------------- */

enum { PROCESSES = 8, ROUNDS = 500, TURN_ROUNDS = 25 };

#define JURY(METHOD) METHOD(optional, int, vote, (int number), sum)
PEAL_PROTOCOL(jury, "Jury", JURY);

static int vote(void *self, int number) { return (void)self, number + 1; }

static void echo(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    const int number = 1;

    (void)subscription, (void)closure;
    (void)natsConnection_Publish(connection, natsMsg_GetReply(message), &number, sizeof number);
    natsMsg_Destroy(message);
}

/* A connection that writes each message at once. */
static natsConnection *open_prompt(const char *server)
{
    natsOptions *options = NULL;
    natsConnection *connection = NULL;

    if (natsOptions_Create(&options) != NATS_OK || natsOptions_SetURL(options, server) != NATS_OK
        || natsOptions_SetSendAsap(options, true) != NATS_OK || natsConnection_Connect(&connection, options) != NATS_OK)
        fail("libnats");
    natsOptions_Destroy(options);
    return connection;
}

/* One of the processes that answer. */
static int answer(const char *server)
{
    static const struct jury table = { PEAL_TABLE(jury), .vote = vote };
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct jury_protocol jury;
    peal_bridge *bridge;
    natsConnection *connection = open_prompt(server);
    natsSubscription *subscription = NULL;
    char subject[64];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    options.url = server;
    snprintf(subject, sizeof subject, "echo.%d", (int)getpid());
    if (natsConnection_Subscribe(&subscription, connection, subject, echo, NULL) != NATS_OK
        || natsConnection_Subscribe(&subscription, connection, "echoes", echo, NULL) != NATS_OK
        || natsConnection_Flush(connection) != NATS_OK)
        fail("libnats");
    if (jury_define(peal_center_default(), &jury) < 0 || jury_observe(&jury, NULL, &table, NULL, NULL) < 0
        || peal_bridge_create(peal_center_default(), &options, &bridge) < 0
        || peal_bridge_import(bridge, jury.protocol, NULL) < 0)
        fail(peal_bridge_last_message());
    for (;;)
        pause();
}

static pid_t start_answering(void)
{
    const pid_t process = fork();

    if (process == 0) {
        execl("/proc/self/exe", "bench-nats", "--answer", url, (char *)NULL);
        _exit(127);
    }
    return process;
}

static sem_t gathered;
static size_t answers;

static bool run_at_once(void *context, peal_queue queue) { return (void)context, (void)peal_queue_run(queue), true; }

static void count_answers(void *context, const struct peal_completion_info *info)
{
    (void)context;
    answers = info->completed;
    sem_post(&gathered);
}

static double gather_once(peal_method method, const struct peal_gather_options *options)
{
    const double begin = seconds(CLOCK_MONOTONIC);
    int number = 1;
    void *const arguments[] = { &number };

    if (peal_gather(method, arguments, 1, options, NULL) < 0)
        fail(peal_last_message());
    while (sem_wait(&gathered) != 0)
        continue;
    if (answers != PROCESSES)
        fail("a process has not answered");
    return seconds(CLOCK_MONOTONIC) - begin;
}

static double request_once(const char *subject)
{
    const double begin = seconds(CLOCK_MONOTONIC);
    natsMsg *message = NULL;
    const int number = 1;

    if (natsConnection_Request(&message, from_connection, subject, &number, sizeof number, 5000) != NATS_OK)
        fail("a request of libnats");
    natsMsg_Destroy(message);
    return seconds(CLOCK_MONOTONIC) - begin;
}

static void count_echo(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    static size_t echoes;

    (void)connection, (void)subscription, (void)closure;
    natsMsg_Destroy(message);
    if (++echoes % PROCESSES == 0)
        sem_post(&gathered);
}

static double scatter_once(natsConnection *connection)
{
    const double begin = seconds(CLOCK_MONOTONIC);
    const int number = 1;

    if (natsConnection_PublishRequest(connection, "echoes", "answers", &number, sizeof number) != NATS_OK)
        fail("a message of libnats");
    while (sem_wait(&gathered) != 0)
        continue;
    return seconds(CLOCK_MONOTONIC) - begin;
}

static double median(double *values, size_t count);

/* The rounds of one kind. */
struct gatherings {
    double times[ROUNDS];
    size_t count;
    double processor; /* seconds of all processes */
};

static double processor_time(const pid_t *processes, pid_t server)
{
    double sum = seconds(CLOCK_PROCESS_CPUTIME_ID);

    for (size_t i = 0; i <= PROCESSES; i++) {
        clockid_t clock;
        if (clock_getcpuclockid(i < PROCESSES ? processes[i] : server, &clock) != 0)
            fail("a process has ended");
        sum += seconds(clock);
    }
    return sum;
}

/* Prints the median and the processor time. Returns the median. */
static double print_gathering(const char *name, struct gatherings *gatherings)
{
    const double time = median(gatherings->times, gatherings->count);

    printf("%-11s %6.1f us   processor %6.1f us", name, time * 1e6,
        gatherings->processor / (double)gatherings->count * 1e6);
    return time;
}

static void measure_gathering(const pid_t *processes, pid_t server, size_t rounds)
{
    static struct gatherings kinds[3];
    natsConnection *connection = open_prompt(url);
    natsSubscription *subscription = NULL;
    struct peal_bridge_options bridge_options = PEAL_BRIDGE_OPTIONS;
    struct peal_queue_options queue_options = PEAL_QUEUE_OPTIONS;
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    struct jury_protocol jury;
    peal_bridge *bridge;
    char subject[64];

    bridge_options.url = url;
    queue_options.kind = PEAL_QUEUE_EXECUTOR;
    queue_options.submit = run_at_once;
    options.done = count_answers;
    options.timeout = 10000;
    sem_init(&gathered, 0, 0);
    snprintf(subject, sizeof subject, "echo.%d", (int)processes[0]);
    if (peal_queue_create(&queue_options, &options.queue) < 0 || jury_define(peal_center_default(), &jury) < 0
        || peal_bridge_create(peal_center_default(), &bridge_options, &bridge) < 0
        || peal_bridge_export(bridge, jury.protocol, NULL) < 0
        || peal_bridge_wait_for_peers(bridge, jury.protocol, PROCESSES, 10000) < 0
        || natsConnection_Subscribe(&subscription, connection, "answers", count_echo, NULL) != NATS_OK
        || natsConnection_Flush(connection) != NATS_OK)
        fail(peal_bridge_last_message());
    for (size_t turn = 0; turn < rounds / TURN_ROUNDS * 3; turn++) {
        struct gatherings *kind = &kinds[turn % 3];
        const double before = processor_time(processes, server);
        for (size_t i = 0; i < TURN_ROUNDS; i++)
            kind->times[kind->count++] = turn % 3 == 0 ? request_once(subject)
                                       : turn % 3 == 1 ? scatter_once(connection)
                                                       : gather_once(jury.vote, &options);
        kind->processor += processor_time(processes, server) - before;
    }
    const double request = print_gathering("request", &kinds[0]);
    printf("\n");
    const double scatter = print_gathering("scatter", &kinds[1]);
    printf("   to request %.2f\n", scatter / request);
    const double gathering = print_gathering("gather", &kinds[2]);
    printf("   to request %.2f   to scatter %.2f\n", gathering / request, gathering / scatter);
}

/* ---- Turns ------------------------------------------------------------------------------------- */

struct turn {
    double caller; /* seconds */
    double end_to_end;
};

static struct turn run(void (*send)(void))
{
    const double begin = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_THREAD_CPUTIME_ID);
    struct turn turn;

    send();
    turn.caller = seconds(CLOCK_THREAD_CPUTIME_ID) - processor;
    sent += CALLS;
    while (__atomic_load_n(&received, __ATOMIC_ACQUIRE) < sent) {
        if (seconds(CLOCK_MONOTONIC) - begin > 30)
            fail("calls were lost");
        sched_yield();
    }
    turn.end_to_end = seconds(CLOCK_MONOTONIC) - begin;
    return turn;
}

static int compare(const void *one, const void *other)
{
    return (*(const double *)one > *(const double *)other) - (*(const double *)one < *(const double *)other);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static void print(const char *name, double *plain, double *bridge, double *ratios, size_t turns)
{
    const double ratio = median(ratios, turns), smallest = ratios[0], greatest = ratios[turns - 1];
    const double plain_time = median(plain, turns), bridge_time = median(bridge, turns);

    printf("%-11s libnats %6.0f ns   bridge %6.0f ns   ratio %.2f (%.2f to %.2f)\n", name, plain_time / CALLS * 1e9,
        bridge_time / CALLS * 1e9, ratio, smallest, greatest);
}

static void measure(size_t turns)
{
    double callers[2][TURNS], ends[2][TURNS], caller_ratios[TURNS], end_ratios[TURNS];

    (void)run(send_libnats);
    (void)run(send_bridge);
    for (size_t i = 0; i < turns; i++) {
        const struct turn plain = run(send_libnats), bridge = run(send_bridge);
        callers[0][i] = plain.caller;
        callers[1][i] = bridge.caller;
        ends[0][i] = plain.end_to_end;
        ends[1][i] = bridge.end_to_end;
        caller_ratios[i] = bridge.caller / plain.caller;
        end_ratios[i] = bridge.end_to_end / plain.end_to_end;
    }
    print("caller", callers[0], callers[1], caller_ratios, turns);
    print("end to end", ends[0], ends[1], end_ratios, turns);
}

static pid_t start_server(void)
{
    const int port = PORT + (int)(getpid() % 1000);
    char text[16];
    const pid_t process = fork();

    snprintf(text, sizeof text, "%d", port);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", text, "-l", "/dev/null", (char *)NULL);
        execl("/usr/sbin/nats-server", "nats-server", "-a", "127.0.0.1", "-p", text, "-l", "/dev/null", (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 500; i++) {
        natsConnection *connection = NULL;
        const struct timespec time = { 0, 10000000 };
        if (natsConnection_ConnectTo(&connection, url) == NATS_OK) {
            natsConnection_Destroy(connection);
            return process;
        }
        nanosleep(&time, NULL);
    }
    fail("nats-server does not answer");
    return 0;
}

static void measure_gathering_with_processes(pid_t server, size_t rounds)
{
    pid_t processes[PROCESSES];

    for (size_t i = 0; i < PROCESSES; i++)
        processes[i] = start_answering();
    measure_gathering(processes, server, rounds);
    for (size_t i = 0; i < PROCESSES; i++) {
        kill(processes[i], SIGKILL);
        waitpid(processes[i], NULL, 0);
    }
}

int main(int count, char **words)
{
    if (count > 2 && strcmp(words[1], "--answer") == 0)
        return answer(words[2]);
    const bool is_calls = count > 1 && strcmp(words[1], "--calls") == 0;
    const bool is_quick = is_calls || (count > 1 && strcmp(words[1], "--quick") == 0);
    const pid_t server = start_server();

    open_libnats();
    open_bridges();
    if (!is_calls)
        measure_gathering_with_processes(server, is_quick ? TURN_ROUNDS : ROUNDS);
    measure(is_quick ? 1 : TURNS);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    return 0;
}
