/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers with the same functions share peal's copies of their tables. The sharing must not be visible. */
#include "center.h"
#include "journal.h"

enum { METHODS = 5, TABLES = 1 << METHODS };

struct words {
    size_t size;
    void (*functions[METHODS])(void *self);
};

static void first(void *self) { journal_write("1%s", (char *)self); }
static void second(void *self) { journal_write("2%s", (char *)self); }

static const char *const texts[] = { "optional void a(void)", "optional void b(void)", "optional void c(void)",
    "optional void d(void)", "optional void e(void)", NULL };
static const char *const names[METHODS] = { "a", "b", "c", "d", "e" };

static peal_protocol define(peal_center center, const char *const *methods)
{
    return protocol_of(center, "Words", methods);
}

/* Returns a table with the methods whose bits are set. */
static struct words words_of(unsigned bits)
{
    struct words words = { sizeof words, { NULL } };

    for (unsigned i = 0; i < METHODS; i++)
        if ((bits >> i & 1) != 0)
            words.functions[i] = first;
    return words;
}

CLAIM("O2", "observers with thousands of different tables keep their own methods, also when others are removed and registered again")
{
    static char targets[TABLES];
    const peal_center center = open_center();
    const peal_protocol proto = define(center, texts);
    peal_observation observations[TABLES];

    for (int round = 0; round < 3; round++) {
        for (unsigned bits = 1; bits < TABLES; bits++) {
            const struct words words = words_of(bits);
            REQUIRE_OK(peal_observe(proto, &targets[bits], &words, NULL, &observations[bits]));
        }
        for (unsigned i = 0; i < METHODS; i++)
            CHECK_EQUAL(count_listed(find_method(proto, names[i])), TABLES / 2);
        for (unsigned bits = 1; bits < TABLES; bits++)
            CHECK_OK(peal_observation_remove(observations[bits]));
    }
    close_center(center);
}

CLAIM("O2", "a table that the caller changes between two registrations counts as another table")
{
    static char a[] = "A", b[] = "B", c[] = "C";
    const peal_center center = open_center();
    const peal_protocol proto = define(center, texts);
    struct words words = words_of(1);

    journal_clear();
    REQUIRE_OK(peal_observe(proto, a, &words, NULL, NULL));
    words.functions[0] = second;
    REQUIRE_OK(peal_observe(proto, b, &words, NULL, NULL));
    words.functions[0] = first;
    REQUIRE_OK(peal_observe(proto, c, &words, NULL, NULL));
    words.functions[0] = NULL;
    CHECK_OK(peal_broadcast(find_method(proto, "a")));
    CHECK_JOURNAL("1A 2B 1C");
    close_center(center);
}

CLAIM("P6", "a table that conforms to a protocol does not conform after the protocol has grown by a required method")
{
    static char a[] = "A", b[] = "B";
    static const char *const small[] = { "optional void a(void)", NULL };
    static const char *const grown[] = { "optional void a(void)", "required void b(void), since(2)", NULL };
    static const struct {
        size_t size;
        void (*a)(void *self);
    } table = { sizeof table, first };
    const peal_center center = open_center();
    const peal_protocol proto = define(center, small);

    REQUIRE_OK(peal_observe(proto, a, &table, NULL, NULL));
    (void)define(center, grown);
    CHECK_FAILURE(peal_observe(proto, b, &table, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    close_center(center);
}

CLAIM("O3", "without a target the functions identify a duplicate, also after the protocol has grown")
{
    static const char *const small[] = { "optional void a(void)", NULL };
    static const char *const grown[] = { "optional void a(void)", "optional void b(void), since(2)", NULL };
    struct {
        size_t size;
        void (*a)(void *self);
    } table = { sizeof table, first };
    const peal_center center = open_center();
    const peal_protocol proto = define(center, small);

    REQUIRE_OK(peal_observe(proto, NULL, &table, NULL, NULL));
    (void)define(center, grown);
    CHECK_FAILURE(peal_observe(proto, NULL, &table, NULL, NULL), PEAL_ERROR_DUPLICATE);
    table.a = second;
    CHECK_OK(peal_observe(proto, NULL, &table, NULL, NULL));
    close_center(center);
}
