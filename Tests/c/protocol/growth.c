/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <string.h>

/* One protocol as two versions of a program define it. */
#define SINK_1(METHOD)                              \
    METHOD(required, void, on_line, (const char *)) \
    METHOD(optional, void, on_flush, (void))
PEAL_PROTOCOL(sink_1, "Sink", SINK_1);

#define SINK_2(METHOD) \
    SINK_1(METHOD)     \
    METHOD(optional, void, on_rotate, (int n), since(2))
PEAL_PROTOCOL(sink_2, "Sink", SINK_2);

#define SINK_3(METHOD) \
    SINK_2(METHOD)     \
    METHOD(required, void, on_seal, (int n), since(3))
PEAL_PROTOCOL(sink_3, "Sink", SINK_3);

static void line(void *self, const char *text) { journal_write("%s.line(%s)", (char *)self, text); }
static void rotate(void *self, int n) { journal_write("%s.rotate(%d)", (char *)self, n); }
static void seal(void *self, int n) { journal_write("%s.seal(%d)", (char *)self, n); }

static const struct sink_1 table_1 = { PEAL_TABLE(sink_1), .on_line = line };
static const struct sink_2 table_2 = { PEAL_TABLE(sink_2), .on_line = line, .on_rotate = rotate };
static const struct sink_3 table_3 = { PEAL_TABLE(sink_3), .on_line = line, .on_rotate = rotate, .on_seal = seal };

static char a[] = "A";
static char b[] = "B";
static char c[] = "C";

CLAIM("P6", "a definition with methods appended that have a later `since` makes the protocol grow")
{
    const peal_center center = open_center();
    struct sink_1_protocol old;
    struct sink_2_protocol grown;
    uint32_t version = 0;

    REQUIRE_OK(sink_1_define(center, &old));
    CHECK_OK(peal_protocol_version(old.protocol, &version));
    CHECK_EQUAL(version, 1);
    REQUIRE_OK(sink_2_define(center, &grown));
    CHECK_EQUAL(grown.protocol.id, old.protocol.id);
    CHECK_EQUAL(grown.on_line.id, old.on_line.id);
    CHECK_OK(peal_protocol_version(old.protocol, &version));
    CHECK_EQUAL(version, 2);
    close_center(center);
}

CLAIM("P6", "a definition that the protocol has outgrown returns the grown protocol")
{
    const peal_center center = open_center();
    struct sink_3_protocol grown;
    struct sink_1_protocol old;
    uint32_t version = 0;

    REQUIRE_OK(sink_3_define(center, &grown));
    memset(&old, 0, sizeof old);
    REQUIRE_OK(sink_1_define(center, &old));
    CHECK_EQUAL(old.protocol.id, grown.protocol.id);
    CHECK_EQUAL(old.on_flush.id, grown.on_flush.id);
    CHECK_OK(peal_protocol_version(old.protocol, &version));
    CHECK_EQUAL(version, 3);
    close_center(center);
}

CLAIM("P6", "a table of the old version is accepted by the grown protocol, and the methods past its end are absent")
{
    const peal_center center = open_center();
    struct sink_2_protocol grown;
    struct sink_1_protocol old;

    REQUIRE_OK(sink_2_define(center, &grown));
    REQUIRE_OK(sink_1_define(center, &old));
    REQUIRE_OK(sink_1_observe(&old, a, &table_1, NULL, NULL));
    REQUIRE_OK(sink_2_observe(&grown, b, &table_2, NULL, NULL));
    journal_clear();
    CHECK_OK(peal_broadcast(grown.on_rotate, 1));
    CHECK_JOURNAL("B.rotate(1)");
    PEAL_BROADCAST(sink_2, &grown, on_rotate, 2);
    CHECK_JOURNAL("B.rotate(2)");
    PEAL_BROADCAST(sink_2, &grown, on_line, "x");
    CHECK_JOURNAL("A.line(x) B.line(x)");
    CHECK_EQUAL(count_listed(grown.on_rotate), 1);
    close_center(center);
}

CLAIM("P6", "observers registered before the growth are still called and skip the new methods")
{
    const peal_center center = open_center();
    struct sink_1_protocol old;
    struct sink_3_protocol grown;

    REQUIRE_OK(sink_1_define(center, &old));
    REQUIRE_OK(sink_1_observe(&old, a, &table_1, NULL, NULL));
    REQUIRE_OK(sink_3_define(center, &grown));
    REQUIRE_OK(sink_3_observe(&grown, b, &table_3, NULL, NULL));
    journal_clear();
    CHECK_OK(peal_broadcast(old.on_line, "x"));
    CHECK_JOURNAL("A.line(x) B.line(x)");
    CHECK_OK(peal_broadcast(grown.on_seal, 3));
    CHECK_JOURNAL("B.seal(3)");
    PEAL_BROADCAST(sink_3, &grown, on_seal, 4);
    CHECK_JOURNAL("B.seal(4)");
    close_center(center);
}

CLAIM("P6", "a new required method that the table lacks fails the registration and is named")
{
    const peal_center center = open_center();
    struct sink_3_protocol grown;
    struct sink_1_protocol old;

    REQUIRE_OK(sink_3_define(center, &grown));
    REQUIRE_OK(sink_1_define(center, &old));
    CHECK_FAILURE(sink_1_observe(&old, a, &table_1, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "on_seal");
    CHECK(strstr(peal_last_message(), "on_rotate") == NULL);
    CHECK_EQUAL(count_observers(old.protocol), 0);
    close_center(center);
}

CLAIM("P6", "a table of a later version than the protocol is refused until that version is defined")
{
    const peal_center center = open_center();
    struct sink_1_protocol old;

    REQUIRE_OK(sink_1_define(center, &old));
    CHECK_FAILURE(peal_observe(old.protocol, a, &table_3, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "Sink");
    REQUIRE_OK(sink_3_define(center, NULL));
    CHECK_OK(peal_observe(old.protocol, a, &table_3, NULL, NULL));
    journal_clear();
    CHECK_OK(peal_broadcast(old.on_line, "x"));
    CHECK_JOURNAL("A.line(x)");
    close_center(center);
}

CLAIM("P6", "a method that makes a protocol grow needs a `since` above the existing versions")
{
    static const struct {
        bool knows_version_2;
        const char *text;
    } refused[] = {
        { false, "optional void on_late(void)" },
        { false, "optional void on_late(void), since(1)" },
        { true, "optional void on_late(void), since(2)" },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(refused); i++) {
        const peal_center center = open_center();
        const char *const longer[] = { "void on_line(const char *line)", "optional void on_flush(void)",
            "optional void on_rotate(int n), since(2)", refused[i].text, NULL };
        const char *const shorter[] = { longer[0], longer[1], longer[3], NULL };
        struct sink_1_protocol handles;
        uint32_t version = 0;

        REQUIRE_OK(sink_1_define(center, &handles));
        if (refused[i].knows_version_2)
            REQUIRE_OK(sink_2_define(center, NULL));
        check_case(refused[i].text);
        CHECK_FAILURE(try_protocol(center, "Sink", NULL, refused[i].knows_version_2 ? longer : shorter, NULL),
            PEAL_ERROR_CONFLICT);
        CHECK_CONTAINS(peal_last_message(), "on_late");
        CHECK_OK(peal_protocol_version(handles.protocol, &version));
        CHECK_EQUAL(version, refused[i].knows_version_2 ? 2 : 1);
        close_center(center);
    }
}

CLAIM("P6", "the versions in one list of methods must not decrease")
{
    const peal_center center = open_center();
    static const char *const texts[] = { "void on_line(const char *line), since(2)", "optional void on_flush(void)",
        NULL };

    CHECK_FAILURE(try_protocol(center, "Sink", NULL, texts, NULL), PEAL_ERROR_SYNTAX);
    CHECK_CONTAINS(peal_last_message(), "on_flush");
    close_center(center);
}

CLAIM("P6", "one later version of a protocol may add several methods")
{
    const peal_center center = open_center();
    static const char *const texts[] = { "void on_line(const char *line)", "optional void on_flush(void)",
        "optional void on_rotate(int n), since(2)", "optional void on_trim(int n), since(2)", NULL };
    struct sink_1_protocol handles;
    size_t count = 0;

    REQUIRE_OK(sink_1_define(center, &handles));
    CHECK_OK(try_protocol(center, "Sink", NULL, texts, NULL));
    CHECK_STATUS(peal_protocol_list_methods(handles.protocol, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 4);
    close_center(center);
}

CLAIM("P6", "a failed growth leaves the protocol as it was, observers included")
{
    const peal_center center = open_center();
    static const char *const texts[] = { "void on_line(const char *line)", "optional void on_flush(void)",
        "optional void on_rotate(int n), since(2)", "optional void on_bad(struct never_declared s), since(2)", NULL };
    struct sink_1_protocol handles;
    peal_method method = { 0 };

    REQUIRE_OK(sink_1_define(center, &handles));
    REQUIRE_OK(sink_1_observe(&handles, a, &table_1, NULL, NULL));
    CHECK_FAILURE(try_protocol(center, "Sink", NULL, texts, NULL), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_method_find(handles.protocol, "on_rotate", &method), PEAL_ERROR_NOT_FOUND);
    journal_clear();
    CHECK_OK(peal_broadcast(handles.on_line, "x"));
    CHECK_JOURNAL("A.line(x)");
    CHECK_OK(sink_2_define(center, NULL));
    close_center(center);
}

CLAIM("P6", "a protocol may grow while it is being broadcast, from its own callback")
{
    const peal_center center = open_center();
    struct sink_1_protocol old;
    struct sink_2_protocol grown;

    REQUIRE_OK(sink_1_define(center, &old));
    REQUIRE_OK(sink_1_observe(&old, a, &table_1, NULL, NULL));
    REQUIRE_OK(sink_1_observe(&old, b, &table_1, NULL, NULL));
    journal_clear();
    PEAL_EACH(sink_1, &old, on_line, each) {
        each.table->on_line(each.target, "x");
        CHECK_OK(sink_2_define(center, &grown));
        if (each.target == a)
            CHECK_OK(sink_2_observe(&grown, c, &table_2, NULL, NULL));
    }
    CHECK_JOURNAL("A.line(x) B.line(x)");
    CHECK_OK(peal_broadcast(grown.on_rotate, 1));
    CHECK_JOURNAL("C.rotate(1)");
    close_center(center);
}

/* The adopter's table points to the adopted protocol's table. So the adopted protocol grows independently. */
#define LOG_ADOPTS_1(ADOPT) ADOPT(sink_1, "Sink")
#define LOG_ADOPTS_2(ADOPT) ADOPT(sink_2, "Sink")
#define LOG(METHOD) METHOD(optional, void, on_log, (int n))
PEAL_PROTOCOL_ADOPTING(log_1, "Log", LOG_ADOPTS_1, LOG);
PEAL_PROTOCOL_ADOPTING(log_2, "Log", LOG_ADOPTS_2, LOG);

CLAIM("P6", "a protocol that others adopt may grow, and its adopters have the new method")
{
    const peal_center center = open_center();
    static const struct log_1 old_table = { PEAL_TABLE(log_1), .sink_1 = &table_1 };
    static const struct log_2 new_table = { PEAL_TABLE(log_2), .sink_2 = &table_2 };
    struct sink_1_protocol sink_1;
    struct sink_2_protocol sink_2;
    struct log_1_protocol log_1;
    struct log_2_protocol log_2;

    REQUIRE_OK(sink_1_define(center, &sink_1));
    REQUIRE_OK(log_1_define(center, &log_1));
    REQUIRE_OK(log_1_observe(&log_1, a, &old_table, NULL, NULL));
    REQUIRE_OK(sink_2_define(center, &sink_2));
    REQUIRE_OK(log_2_define(center, &log_2));
    CHECK_EQUAL(log_2.protocol.id, log_1.protocol.id);
    REQUIRE_OK(log_2_observe(&log_2, b, &new_table, NULL, NULL));
    journal_clear();
    CHECK_OK(peal_broadcast(sink_2.on_rotate, 1));
    CHECK_JOURNAL("B.rotate(1)");
    CHECK_OK(peal_broadcast(find_method(log_2.protocol, "on_rotate"), 2));
    CHECK_JOURNAL("B.rotate(2)");
    CHECK_OK(peal_broadcast(sink_1.on_line, "x"));
    CHECK_JOURNAL("A.line(x) B.line(x)");
    close_center(center);
}
