/* SPDX-License-Identifier: Apache-2.0
 *
 * Publisher, subscriber and server are killed at random while durable calls cross. PEAL_NATS_KILLS=100 kills each of them a
 * hundred times, with 100,000 calls. The publisher and the subscriber are this program with PEAL_NATS_ROLE.
 */
#include "latch.h"
#include "party.h"
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FLUSH_EVERY = 500, MARK_SIZE = sizeof(uint64_t) };

/* ---- The two roles ----------------------------------------------------------------------------- */

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    if (value == NULL)
        _exit(2);
    return value;
}

static int open_file(const char *name, int flags)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", setting("PEAL_NATS_FOLDER"), name);
    const int descriptor = open(path, flags | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0)
        _exit(2);
    return descriptor;
}

/* The server may be killed now. So each step is tried until it succeeds. */
static void pause_shortly(void)
{
    const struct timespec time = { 0, 20000000 };

    nanosleep(&time, NULL);
}

static peal_bridge *open_bridge(peal_center center)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    peal_bridge *bridge = NULL;

    options.url = setting("PEAL_NATS_URL");
    options.realm = "kills";
    options.application = "collector";
    while (peal_bridge_create(center, &options, &bridge) < 0)
        pause_shortly();
    return bridge;
}

/* Broadcasts the numbers after its mark, which it moves after the server has stored a part. */
static void publish(void)
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;
    const uint64_t total = strtoull(setting("PEAL_NATS_TOTAL"), NULL, 10);
    const int file = open_file("mark", O_RDWR);
    struct chat_protocol chat;
    uint64_t mark = 0;

    if (pread(file, &mark, MARK_SIZE, 0) < 0 || chat_define(peal_center_default(), &chat) < 0)
        _exit(2);
    peal_bridge *bridge = open_bridge(peal_center_default());
    options.durable = true;
    options.identity = "publisher";
    options.next_number = mark + 1;
    while (peal_bridge_export(bridge, chat.protocol, &options) < 0)
        pause_shortly();
    while (mark < total) {
        for (int i = 0; i < FLUSH_EVERY && mark < total; i++)
            PEAL_BROADCAST(chat, &chat, on_message, (int32_t)++mark, "durable");
        if (peal_bridge_flush(bridge, PEAL_FOREVER) != PEAL_OK || pwrite(file, &mark, MARK_SIZE, 0) != MARK_SIZE)
            _exit(3);
    }
    _exit(0);
}

struct collector {
    int file;
    uint64_t last; /* the greatest number in the file */
};

/* Writes the number of each call that the file does not have. */
static void collect(void *self, int32_t number, const char *text)
{
    struct collector *collector = self;
    struct peal_imported_call call = { .size = sizeof call };

    (void)text;
    if (peal_imported_call_get_current(&call) < 0 || call.number != (uint64_t)number)
        _exit(4);
    if (call.number <= collector->last)
        return;
    if (write(collector->file, &call.number, MARK_SIZE) != MARK_SIZE)
        _exit(5);
    collector->last = call.number;
}

static void subscribe(void)
{
    static const struct chat table = { PEAL_TABLE(chat), .on_message = collect };
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct collector collector = { open_file("effects", O_RDWR | O_APPEND), 0 };
    struct chat_protocol chat;
    struct stat state;

    if (fstat(collector.file, &state) < 0 || state.st_size % MARK_SIZE != 0
        || (state.st_size > 0
            && pread(collector.file, &collector.last, MARK_SIZE, state.st_size - MARK_SIZE) != MARK_SIZE)
        || chat_define(peal_center_default(), &chat) < 0 || chat_observe(&chat, &collector, &table, NULL, NULL) < 0)
        _exit(2);
    peal_bridge *bridge = open_bridge(peal_center_default());
    options.durable = true;
    while (peal_bridge_import(bridge, chat.protocol, &options) < 0)
        pause_shortly();
    for (;;)
        pause();
}

__attribute__((constructor)) static void play_role(void)
{
    const char *role = getenv("PEAL_NATS_ROLE");

    if (role == NULL)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (strcmp(role, "publish") == 0)
        publish();
    else
        subscribe();
}

/* ---- The claim --------------------------------------------------------------------------------- */

enum victim { PUBLISHER, SUBSCRIBER, SERVER, VICTIMS };

struct play {
    struct server server;
    unsigned kills[VICTIMS];
    char folder[64];
    pid_t publisher; /* 0: it has published everything */
    pid_t subscriber;
    uint64_t total;
};

static pid_t start_role(const char *role)
{
    const pid_t process = fork();

    if (process < 0)
        check_give_up("no process", __FILE__, __LINE__);
    if (process == 0) {
        setenv("PEAL_NATS_ROLE", role, 1);
        execl("/proc/self/exe", "nats-kills", (char *)NULL);
        _exit(127);
    }
    return process;
}

static void end_role(pid_t process)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

/* The number of the last call that the server is known to have stored. */
static uint64_t mark_of(const struct play *play)
{
    char path[256];
    uint64_t mark = 0;

    snprintf(path, sizeof path, "%s/mark", play->folder);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fread(&mark, MARK_SIZE, 1, file) != 1)
        mark = 0;
    fclose(file);
    return mark;
}

static uint64_t effects_of(const struct play *play)
{
    char path[256];
    struct stat state;

    snprintf(path, sizeof path, "%s/effects", play->folder);
    return stat(path, &state) == 0 ? (uint64_t)state.st_size / MARK_SIZE : 0;
}

/* Notes that the publisher has finished. Returns false if a role has failed. */
static bool look_after(struct play *play)
{
    int state = 0;

    if (play->publisher != 0 && waitpid(play->publisher, &state, WNOHANG) == play->publisher) {
        play->publisher = 0;
        if (!CHECK_EQUAL(state, 0))
            return false;
    }
    return CHECK_EQUAL(waitpid(play->subscriber, &state, WNOHANG), 0);
}

static void kill_one(struct play *play, enum victim victim)
{
    if (victim == PUBLISHER && play->publisher != 0) {
        end_role(play->publisher);
        play->publisher = start_role("publish");
    } else if (victim == SUBSCRIBER) {
        end_role(play->subscriber);
        play->subscriber = start_role("subscribe");
    } else if (victim == SERVER) {
        server_kill(&play->server);
        server_restart(&play->server);
    } else {
        return;
    }
    play->kills[victim]++;
}

/* Waits until a count has reached a goal. A restart of all three under load takes a while, so the time limit is for each
 * hundred. */
static void wait_for(struct play *play, uint64_t (*count)(const struct play *play), uint64_t goal)
{
    while (count(play) < goal) {
        const uint64_t next = count(play) + 100 < goal ? count(play) + 100 : goal;
        WAIT_UNTIL(count(play) >= next);
        if (!look_after(play))
            check_give_up("a role has failed", __FILE__, __LINE__);
    }
}

static void check_effects(const struct play *play)
{
    char path[256];
    uint64_t number = 0, expected = 0, wrong = 0;

    snprintf(path, sizeof path, "%s/effects", play->folder);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    while (fread(&number, MARK_SIZE, 1, file) == 1) {
        if (number != ++expected)
            wrong++;
    }
    fclose(file);
    CHECK_EQUAL(expected, play->total);
    CHECK_EQUAL(wrong, 0);
}

CLAIM("N13", "while publisher, subscriber and server are killed at random, no durable call is lost, made twice or out of order")
{
    const char *wish = getenv("PEAL_NATS_KILLS");
    const unsigned kills = wish != NULL ? (unsigned)strtoul(wish, NULL, 10) : 2;
    struct play play = { .folder = "/tmp/peal-kills-XXXXXX", .total = wish != NULL ? 100000 : 6000 };
    unsigned seed = wish != NULL ? (unsigned)getpid() : 7;
    unsigned order = 0;
    char total[32], command[128];

    check_allow_seconds(60 + 10 * kills);
    printf("seed %u\n", seed);
    REQUIRE(mkdtemp(play.folder) != NULL);
    server_start(&play.server, NULL);
    snprintf(total, sizeof total, "%llu", (unsigned long long)play.total);
    setenv("PEAL_NATS_FOLDER", play.folder, 1);
    setenv("PEAL_NATS_URL", play.server.url, 1);
    setenv("PEAL_NATS_TOTAL", total, 1);
    play.subscriber = start_role("subscribe");
    play.publisher = start_role("publish");
    /* Each round kills the three in a random order, each in its part of the publisher's calls. */
    for (unsigned i = 0; i < VICTIMS * kills; i++) {
        const uint64_t part = play.total / (VICTIMS * kills + 1);
        const unsigned first = i % VICTIMS == 0 ? (unsigned)rand_r(&seed) % VICTIMS : order;
        order = first;
        wait_for(&play, mark_of, part * i + (uint64_t)rand_r(&seed) % part);
        kill_one(&play, (enum victim)((first + i) % VICTIMS));
    }
    printf("killed: publisher %u, subscriber %u, server %u times\n", play.kills[PUBLISHER], play.kills[SUBSCRIBER],
        play.kills[SERVER]);
    CHECK_EQUAL(play.kills[PUBLISHER] + play.kills[SUBSCRIBER] + play.kills[SERVER], VICTIMS * kills);
    wait_for(&play, effects_of, play.total);
    WAIT_UNTIL(look_after(&play) && play.publisher == 0);
    end_role(play.subscriber);
    check_effects(&play);
    server_stop(&play.server);
    snprintf(command, sizeof command, "rm -r %s", play.folder);
    CHECK_EQUAL(system(command), 0);
}
