/* SPDX-License-Identifier: Apache-2.0
 *
 * Prototypes that must be refused, each with its status, its method and its column.
 */
#include "center.h"

#include <stdio.h>
#include <string.h>

struct refused {
    const char *text;
    peal_status status;
};

static const struct refused refused[] = {
    /* Texts that are no prototypes. */
    { "", PEAL_ERROR_SYNTAX },
    { " ", PEAL_ERROR_SYNTAX },
    { "required", PEAL_ERROR_SYNTAX },
    { "optional", PEAL_ERROR_SYNTAX },
    { "void", PEAL_ERROR_SYNTAX },
    { "on_x", PEAL_ERROR_SYNTAX },
    { "void on_x", PEAL_ERROR_SYNTAX },
    { "void on_x;", PEAL_ERROR_SYNTAX },
    { "void (void)", PEAL_ERROR_SYNTAX },
    { "on_x(void)", PEAL_ERROR_SYNTAX },
    { "(void)", PEAL_ERROR_SYNTAX },
    { "void on_x(", PEAL_ERROR_SYNTAX },
    { "void on_x)", PEAL_ERROR_SYNTAX },
    { "void on_x(int", PEAL_ERROR_SYNTAX },
    { "void on_x(int n", PEAL_ERROR_SYNTAX },
    { "void on_x(int n,", PEAL_ERROR_SYNTAX },
    { "void on_x(int n,)", PEAL_ERROR_SYNTAX },
    { "void on_x(,)", PEAL_ERROR_SYNTAX },
    { "void on_x(, int n)", PEAL_ERROR_SYNTAX },
    { "void on_x(int n))", PEAL_ERROR_SYNTAX },
    { "void on_x((int n)", PEAL_ERROR_SYNTAX },
    { "void on_x(int n) {", PEAL_ERROR_SYNTAX },
    { "void on_x(int n) { }", PEAL_ERROR_SYNTAX },
    { "void on_x(void) extra", PEAL_ERROR_SYNTAX },
    { "void on_x(void); void on_y(void)", PEAL_ERROR_SYNTAX },
    { "void on_x(int int)", PEAL_ERROR_SYNTAX },
    { "void on_x(int a b)", PEAL_ERROR_SYNTAX },
    { "void on_x(int a = 5)", PEAL_ERROR_SYNTAX },
    { "void on x(int a)", PEAL_ERROR_SYNTAX },
    { "void 5x(int a)", PEAL_ERROR_SYNTAX },
    { "void on-x(int a)", PEAL_ERROR_SYNTAX },
    { "void on.x(int a)", PEAL_ERROR_SYNTAX },
    { "void int(int a)", PEAL_ERROR_SYNTAX },
    { "void on_x(int 5)", PEAL_ERROR_SYNTAX },
    { "void on_x(5)", PEAL_ERROR_SYNTAX },
    { "void on_x(int a; int b)", PEAL_ERROR_SYNTAX },
    { "void on_x(int *)(", PEAL_ERROR_SYNTAX },
    { "void on_x(void (*)(int)", PEAL_ERROR_SYNTAX },
    { "void on_x(void (*done(int))", PEAL_ERROR_SYNTAX },
    { "void on_x(int a[)", PEAL_ERROR_SYNTAX },
    { "void on_x(int a])", PEAL_ERROR_SYNTAX },
    { "void on_x(struct)", PEAL_ERROR_SYNTAX },
    { "void on_x(struct *p)", PEAL_ERROR_SYNTAX },
    { "void on_x(enum)", PEAL_ERROR_SYNTAX },
    { "void on_x(const)", PEAL_ERROR_SYNTAX },
    { "void on_x(*p)", PEAL_ERROR_SYNTAX },
    { "void on_x(&p)", PEAL_ERROR_TYPE },
    { "void on_x(int &p)", PEAL_ERROR_TYPE },
    { "void on_x(unsigned double d)", PEAL_ERROR_SYNTAX },
    { "void on_x(short long n)", PEAL_ERROR_SYNTAX },
    { "void on_x(signed unsigned n)", PEAL_ERROR_SYNTAX },
    { "void on_x(long long long n)", PEAL_ERROR_SYNTAX },
    { "void on_x(\"text\")", PEAL_ERROR_SYNTAX },
    { "void on_x(int n) /* never closed", PEAL_ERROR_SYNTAX },
    { "void on_x(int n) @", PEAL_ERROR_SYNTAX },
    { "void on_\xff\xfe(int n)", PEAL_ERROR_SYNTAX },
    { "void on_x(int n)\x01", PEAL_ERROR_SYNTAX },
    { "#define on_x(n)", PEAL_ERROR_SYNTAX },
    { "required optional void on_x(void)", PEAL_ERROR_TYPE },
    { "mandatory void on_x(void)", PEAL_ERROR_TYPE },
    /* Types that are unknown, incomplete or not supported. */
    { "void on_x(absent a)", PEAL_ERROR_TYPE },
    { "absent on_x(void)", PEAL_ERROR_TYPE },
    { "void on_x(struct absent a)", PEAL_ERROR_TYPE },
    { "struct absent on_x(void)", PEAL_ERROR_TYPE },
    { "void on_x(void a)", PEAL_ERROR_TYPE },
    { "void on_x(int a, void)", PEAL_ERROR_TYPE },
    { "void on_x(void, int a)", PEAL_ERROR_TYPE },
    { "void on_x(union u a)", PEAL_ERROR_TYPE },
    { "void on_x(union { int a; float b; } u)", PEAL_ERROR_TYPE },
    { "void on_x(int count, ...)", PEAL_ERROR_TYPE },
    { "void on_x(...)", PEAL_ERROR_TYPE },
    { "int on_x(void)[3]", PEAL_ERROR_SYNTAX },
    { "int on_x(void)(void)", PEAL_ERROR_SYNTAX },
    /* Options. */
    { "void on_x(void),", PEAL_ERROR_SYNTAX },
    { "void on_x(void), ,", PEAL_ERROR_SYNTAX },
    { "void on_x(void), unheard_of", PEAL_ERROR_SYNTAX },
    { "void on_x(void), since", PEAL_ERROR_SYNTAX },
    { "void on_x(void), since()", PEAL_ERROR_SYNTAX },
    { "void on_x(void), since(0)", PEAL_ERROR_SYNTAX },
    { "void on_x(void), since(-1)", PEAL_ERROR_SYNTAX },
    { "void on_x(void), since(two)", PEAL_ERROR_SYNTAX },
    { "void on_x(void), since(99999999999999999999)", PEAL_ERROR_LIMIT },
    { "void on_x(void), since(2", PEAL_ERROR_SYNTAX },
    { "void on_x(void), since(2), since(3)", PEAL_ERROR_SYNTAX },
    { "bool on_x(void), any, every", PEAL_ERROR_SYNTAX },
    { "bool on_x(void), defer, reject", PEAL_ERROR_SYNTAX },
    { "bool on_x(void), any(1)", PEAL_ERROR_SYNTAX },
    { "bool on_x(void) any", PEAL_ERROR_SYNTAX },
    { "int on_x(int n), chain()", PEAL_ERROR_SYNTAX },
    { "int on_x(int n), chain(m)", PEAL_ERROR_SYNTAX },
    { "int on_x(double d), chain", PEAL_ERROR_SYNTAX },
    { "int on_x(double d), chain(d)", PEAL_ERROR_SYNTAX },
    { "int on_x(void), chain", PEAL_ERROR_SYNTAX },
    { "void on_x(int n), first_true", PEAL_ERROR_SYNTAX },
    { "double on_x(int n), first_true", PEAL_ERROR_SYNTAX },
    { "const char *on_x(int n), any", PEAL_ERROR_SYNTAX },
    { "void on_x(int n), sum", PEAL_ERROR_SYNTAX },
    { "const char *on_x(int n), sum", PEAL_ERROR_SYNTAX },
    { "void on_x(int n), last", PEAL_ERROR_SYNTAX },
    { "void on_x(int n), collect", PEAL_ERROR_SYNTAX },
    { "void on_x(int n), first_nonzero", PEAL_ERROR_SYNTAX },
};

static peal_status define_alone(peal_center center, const char *text)
{
    const char *const methods[] = { "optional void first(int n)", text, NULL };

    return try_protocol(center, "Refused", NULL, methods, NULL);
}

CLAIM("P3", "every malformed prototype is refused with its status, a column and the protocol")
{
    const peal_center center = open_center();
    peal_protocol found;

    for (size_t i = 0; i < CHECK_COUNT_OF(refused); i++) {
        check_case(refused[i].text);
        CHECK_FAILURE(define_alone(center, refused[i].text), refused[i].status);
        CHECK_CONTAINS(peal_last_message(), "column");
        CHECK_CONTAINS(peal_last_message(), "Refused");
        CHECK_FAILURE(peal_protocol_find(center, "Refused", &found), PEAL_ERROR_NOT_FOUND);
    }
    close_center(center);
}

CLAIM("P3", "the column of a malformed prototype is that of the mistake, counted from one")
{
    static const struct {
        const char *text;
        const char *column;
    } places[] = {
        { "void on_x(int a b)", "column 17" },
        { "void on_x(absent a)", "column 11" },
        { "void on_x(int count, ...)", "column 22" },
        { "void on_x(void), unheard_of", "column 18" },
        { "absent on_x(void)", "column 1" },
        { "optional void on_x(union u a)", "column 20" },
    };
    const peal_center center = open_center();

    for (size_t i = 0; i < CHECK_COUNT_OF(places); i++) {
        check_case(places[i].text);
        CHECK(define_alone(center, places[i].text) < 0);
        CHECK_CONTAINS(peal_last_message(), places[i].column);
    }
    close_center(center);
}

CLAIM("P3", "a prototype with sixty-four parameters is accepted, and one with sixty-five is refused")
{
    peal_center center = open_center();
    char text[1024] = "void on_many(int p0";
    char one[16];

    for (int i = 1; i < PEAL_PARAMETER_LIMIT; i++) {
        snprintf(one, sizeof one, ", int p%d", i);
        strcat(text, one);
    }
    strcat(text, ")");
    CHECK_OK(define_alone(center, text));
    close_center(center);
    center = open_center();
    text[strlen(text) - 1] = '\0';
    strcat(text, ", int p64)");
    CHECK_FAILURE(define_alone(center, text), PEAL_ERROR_LIMIT);
    CHECK_CONTAINS(peal_last_message(), "method 2");
    close_center(center);
}

CLAIM("F1", "a prototype of a megabyte gives a status")
{
    static char text[1 << 20];
    const peal_center center = open_center();

    memset(text, 'a', sizeof text - 1);
    CHECK(define_alone(center, text) < 0);
    memset(text, '(', sizeof text - 1);
    CHECK(define_alone(center, text) < 0);
    memcpy(text, "void f(int ", 11);
    memset(text + 11, '*', sizeof text - 12);
    CHECK(define_alone(center, text) < 0);
    memset(text, ' ', sizeof text - 1);
    CHECK(define_alone(center, text) < 0);
    CHECK(peal_type_declare(center, text) <= 0);
    close_center(center);
}

CLAIM("F1", "a prototype that nests without end gives a status")
{
    static char text[16000];
    const peal_center center = open_center();

    text[0] = '\0';
    strcat(text, "void f(int (");
    memset(text + strlen(text), '(', 3000);
    CHECK(define_alone(center, text) < 0);

    memset(text, 0, sizeof text);
    for (int i = 0; i < 800; i++)
        strcat(text, "struct s { ");
    CHECK(peal_type_declare(center, text) < 0);

    memset(text, 0, sizeof text);
    strcat(text, "void f(");
    for (int i = 0; i < 800; i++)
        strcat(text, "void (*)(");
    CHECK(define_alone(center, text) < 0);
    close_center(center);
}

CLAIM("F1", "types whose size doubles with every line give a status within the time limit of the test")
{
    const peal_center center = open_center();
    char line[96];
    peal_status status = peal_type_declare(center, "struct d0 { char c[64]; };");

    for (int i = 1; i < 64 && status == PEAL_OK; i++) {
        snprintf(line, sizeof line, "struct d%d { struct d%d a; struct d%d b; };", i, i - 1, i - 1);
        status = peal_type_declare(center, line);
    }
    CHECK(status < 0);
    status = PEAL_OK;
    CHECK_OK(peal_type_declare(center, "typedef void (*f0)(void);"));
    for (int i = 1; i < 200 && status == PEAL_OK; i++) {
        snprintf(line, sizeof line, "typedef f%d (*f%d)(f%d, f%d);", i - 1, i, i - 1, i - 1);
        status = peal_type_declare(center, line);
    }
    CHECK(status <= 0);
    close_center(center);
}

CLAIM("F1", "every prefix of a correct text gives a status and never a crash")
{
    static const char good[] = "optional const struct thing *on_x(int (*done)(void *context, long n), "
                               "const uint8_t *bytes __counted_by(n), size_t n), last, since(2), reject";
    const peal_center center = open_center();
    char text[sizeof good];
    unsigned long accepted = 0;

    for (size_t length = 0; length < sizeof good; length++) {
        char name[16];
        const char *const methods[] = { text, NULL };

        memcpy(text, good, length);
        text[length] = '\0';
        snprintf(name, sizeof name, "P%zu", length);
        if (try_protocol(center, name, NULL, methods, NULL) == PEAL_OK)
            accepted++;
    }
    CHECK(accepted >= 1);
    CHECK(accepted < 10);
    close_center(center);
}

CLAIM("F1", "a correct text with any one byte changed gives a status and never a crash")
{
    static const char good[] = "optional bool on_x(const char *line, struct p *q), first_true";
    static const char bytes[] = "(),*;{}[]#\"'\\/\x01\x7f\x80\xff 0a_.:";
    const peal_center center = open_center();
    unsigned long tried = 0;

    for (size_t place = 0; place < sizeof good - 1; place++)
        for (size_t i = 0; i < sizeof bytes - 1; i++) {
            char text[sizeof good];
            char name[24];
            const char *const methods[] = { text, NULL };

            memcpy(text, good, sizeof good);
            text[place] = bytes[i];
            snprintf(name, sizeof name, "M%zu-%zu", place, i);
            (void)try_protocol(center, name, NULL, methods, NULL);
            tried++;
        }
    CHECK(tried > 1000);
    close_center(center);
}
