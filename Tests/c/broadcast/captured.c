/* SPDX-License-Identifier: Apache-2.0
 *
 * How a captured call copies its arguments, by the declared type of each parameter. The tests use deferred calls:
 * the source of each argument is changed after the capture and before the call.
 */
#include "center.h"
#include "journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct widget {
    int references;
    int retains;
    int releases;
    int number;
};

static void widget_retain(void *object)
{
    struct widget *widget = object;

    widget->references++;
    widget->retains++;
}

static void widget_release(void *object)
{
    struct widget *widget = object;

    widget->references--;
    widget->releases++;
}

struct message {
    char text[16];
};

static int copies;
static int destroyed;
static int copies_left = -1;

static void *message_copy(const void *value)
{
    struct message *copy;

    if (copies_left == 0)
        return NULL;
    copies_left -= copies_left > 0;
    copy = malloc(sizeof *copy);
    if (copy == NULL)
        return NULL;
    memcpy(copy, value, sizeof *copy);
    copies++;
    return copy;
}

static void message_destroy(void *value)
{
    destroyed++;
    free(value);
}

static const struct peal_object_type widget_type = PEAL_OBJECT_TYPE(widget_retain, widget_release);
static const struct peal_struct_type message_type = PEAL_STRUCT_TYPE(message_copy, message_destroy);

/* A protocol whose only method defers: the first call captures a second one from inside itself. */
static peal_center center;
static peal_method method;
static void (*inside)(void);

static void open_with(const char *text, peal_function function)
{
    peal_protocol protocol;
    const char *const texts[] = { text, NULL };

    center = open_center();
    copies = destroyed = 0;
    copies_left = -1;
    CHECK_OK(peal_type_set_object(center, "struct widget", &widget_type));
    CHECK_OK(peal_type_set_copy(center, "struct message", &message_type));
    CHECK_OK(peal_type_declare(center, "typedef struct widget *widget_ref; typedef struct message message_t;"));
    protocol = protocol_of(center, "Later", texts);
    method = find_method(protocol, "later");
    observe_with(protocol, NULL, "later", function, NULL);
    journal_clear();
}

static void go_inside(void)
{
    void (*act)(void) = inside;

    inside = NULL;
    if (act != NULL)
        act();
}

/* ---- Objects ----------------------------------------------------------------------------------- */

static struct widget first;
static struct widget second;

static void on_widget(void *self, struct widget *widget)
{
    (void)self;
    if (widget == NULL)
        journal_write("null");
    else
        journal_write("%d:%d", widget->number, widget->references);
    go_inside();
}

static void defer_second(void)
{
    CHECK_STATUS(peal_broadcast(method, &second), PEAL_DEFERRED);
    CHECK_EQUAL(second.references, 2);
    CHECK_STATUS(peal_broadcast(method, (struct widget *)NULL), PEAL_DEFERRED);
    second.number = 3;
}

static void check_objects(const char *text)
{
    check_case(text);
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    first.number = first.references = 1;
    second.references = 1;
    second.number = 2;
    open_with(text, (peal_function)on_widget);
    inside = defer_second;
    CHECK_OK(peal_broadcast(method, &first));
    CHECK_JOURNAL("1:1 3:2 null");
    CHECK_EQUAL(first.retains, 0);
    CHECK_EQUAL(second.retains, 1);
    CHECK_EQUAL(second.releases, 1);
    close_center(center);
    check_case(NULL);
}

CLAIM("Q3", "an object is retained once for a captured call and released once when that call has ended")
{
    check_objects("void later(struct widget *widget), defer");
}

CLAIM("Q3", "a registered pointed-to type is captured by its rule through const, and through a "
            "typedef of the pointer or the type")
{
    check_objects("void later(const struct widget *widget), defer");
    check_objects("void later(widget_ref widget), defer");
    check_objects("void later(const widget_ref widget), defer");
}

static void on_widgets(void *self, struct widget **list, size_t n)
{
    (void)self;
    journal_write("%zu:%d", n, n > 0 ? list[0]->references : 0);
    go_inside();
}

static void defer_list(void)
{
    struct widget *list[2] = { &first, &first };

    CHECK_STATUS(peal_broadcast(method, list, (size_t)2), PEAL_DEFERRED);
    list[0] = NULL;
}

CLAIM("Q3", "a counted array of object pointers is copied, and the objects are not retained")
{
    memset(&first, 0, sizeof first);
    open_with("void later(struct widget **__counted_by(n) list, size_t n), defer", (peal_function)on_widgets);
    inside = defer_list;
    CHECK_OK(peal_broadcast(method, (struct widget **)NULL, (size_t)0));
    CHECK_JOURNAL("0:0 2:0");
    CHECK_EQUAL(first.retains, 0);
    close_center(center);
}

CLAIM("Q3", "a pointer to a registered pointer is bare, and so is a pointer to an unregistered type")
{
    static const char *const texts[] = {
        "void later(struct widget **widget), defer",
        "void later(struct gadget *gadget), defer",
        "void later(int *number), defer",
    };

    center = open_center();
    CHECK_OK(peal_type_set_object(center, "struct widget", &widget_type));
    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++) {
        const char *const methods[] = { texts[i], NULL };

        check_case(texts[i]);
        CHECK_FAILURE(try_protocol(center, "Bare", NULL, methods, NULL), PEAL_ERROR_TYPE);
    }
    check_case(NULL);
    close_center(center);
}

/* ---- Pointed-to structs ------------------------------------------------------------------------ */

static void on_message(void *self, const struct message *one, const struct message *two)
{
    (void)self;
    journal_write("%s,%s", one->text, two == NULL ? "null" : two->text);
    go_inside();
}

static struct message mutable_one;
static struct message mutable_two;

static void defer_messages(void)
{
    CHECK_STATUS(peal_broadcast(method, &mutable_one, &mutable_two), PEAL_DEFERRED);
    CHECK_STATUS(peal_broadcast(method, &mutable_two, (struct message *)NULL), PEAL_DEFERRED);
    strcpy(mutable_one.text, "changed");
    strcpy(mutable_two.text, "changed");
}

CLAIM("Q3", "a pointed-to struct is copied by its own function, and each copy destroyed once")
{
    open_with("void later(const struct message *one, message_t *two), defer", (peal_function)on_message);
    strcpy(mutable_one.text, "one");
    strcpy(mutable_two.text, "two");
    inside = defer_messages;
    CHECK_OK(peal_broadcast(method, &mutable_one, &mutable_one));
    CHECK_JOURNAL("one,one one,two two,null");
    CHECK_EQUAL(copies, 3);
    CHECK_EQUAL(destroyed, 3);
    close_center(center);
}

static void defer_failing(void)
{
    copies_left = 1;
    CHECK_FAILURE(peal_broadcast(method, &mutable_one, &mutable_two), PEAL_ERROR_MEMORY);
    CHECK_CONTAINS(peal_last_message(), "Later.later");
    CHECK_EQUAL(copies, 1);
    CHECK_EQUAL(destroyed, 1);
    copies_left = -1;
}

CLAIM("Q3", "a failing copy fails the call, destroys the earlier copies, and no observer is called")
{
    open_with("void later(const struct message *one, message_t *two), defer", (peal_function)on_message);
    strcpy(mutable_one.text, "one");
    inside = defer_failing;
    CHECK_OK(peal_broadcast(method, &mutable_one, &mutable_one));
    CHECK_JOURNAL("one,one");
    close_center(center);
}

static int hook_calls;

static void *copy_and_broadcast(const void *value)
{
    hook_calls++;
    CHECK_OK(peal_type_declare(center, "struct from_hook { int x; };"));
    CHECK_EQUAL(count_listed(method), 1);
    return message_copy(value);
}

static void destroy_and_use(void *value)
{
    hook_calls++;
    CHECK_EQUAL(count_listed(method), 1);
    message_destroy(value);
}

static void on_note(void *self, struct message *note)
{
    (void)self;
    journal_write("%s", note->text);
    go_inside();
}

static void defer_note(void)
{
    struct message note = { "note" };

    CHECK_STATUS(peal_broadcast(method, &note), PEAL_DEFERRED);
}

CLAIM("Q3", "the hooks that capture an argument run with no lock held: they may use the center")
{
    static const struct peal_struct_type type = PEAL_STRUCT_TYPE(copy_and_broadcast, destroy_and_use);
    static const char *const texts[] = { "void later(struct note *note), defer", NULL };
    struct message note = { "outer" };
    peal_protocol protocol;

    center = open_center();
    CHECK_OK(peal_type_set_copy(center, "struct note", &type));
    protocol = protocol_of(center, "Later", texts);
    method = find_method(protocol, "later");
    observe_with(protocol, NULL, "later", (peal_function)on_note, NULL);
    journal_clear();
    inside = defer_note;
    CHECK_OK(peal_broadcast(method, &note));
    CHECK_JOURNAL("outer note");
    CHECK_EQUAL(hook_calls, 2);
    close_center(center);
}

/* ---- Strings and buffers ----------------------------------------------------------------------- */

static void on_texts(void *self, const char *a, const uint16_t *list, int8_t n, const void *bytes, const int rgb[3])
{
    (void)self;
    journal_write("%s/%d:%d/%.2s/%d", a == NULL ? "null" : a, n, list != NULL && n > 0 ? list[n - 1] : -1,
        bytes == NULL ? "--" : (const char *)bytes, rgb == NULL ? -1 : rgb[2]);
    CHECK(list == NULL || (uintptr_t)list % 2 == 0);
    go_inside();
}

static void defer_texts(void)
{
    char text[] = "long enough to be no register";
    uint16_t list[3] = { 1, 2, 3 };
    char bytes[2] = { 'h', 'i' };
    int rgb[3] = { 7, 8, 9 };

    CHECK_STATUS(peal_broadcast(method, text, list, 3, bytes, rgb), PEAL_DEFERRED);
    CHECK_STATUS(peal_broadcast(method, "", list, 1, bytes, rgb), PEAL_DEFERRED);
    CHECK_STATUS(peal_broadcast(method, (char *)NULL, (uint16_t *)NULL, 0, (void *)NULL, (int *)NULL), PEAL_DEFERRED);
    /* An invalid length copies nothing. */
    CHECK_STATUS(peal_broadcast(method, "x", list, -1, bytes, rgb), PEAL_DEFERRED);
    memset(text, '#', sizeof text - 1);
    memset(list, 0xff, sizeof list);
    memset(bytes, '#', sizeof bytes);
    memset(rgb, 0xff, sizeof rgb);
}

CLAIM("Q3", "strings, counted and sized buffers and arrays are copied, and NULL stays NULL")
{
    open_with("void later(const char *a, const uint16_t *__counted_by(n) list, int8_t n,"
              " const void *__sized_by(2) bytes, const int rgb[3]), defer",
        (peal_function)on_texts);
    inside = defer_texts;
    CHECK_OK(peal_broadcast(method, "now", (uint16_t *)NULL, 0, (void *)NULL, (int *)NULL));
    CHECK_JOURNAL("now/0:-1/--/-1 long enough to be no register/3:3/hi/9 /1:1/hi/9 null/0:-1/--/-1 x/-1:-1/hi/9");
    close_center(center);
}

/* ---- Registering ------------------------------------------------------------------------------- */

CLAIM("Q3", "a type is registered once: the same functions again are accepted, others are a conflict")
{
    static const struct peal_object_type other = PEAL_OBJECT_TYPE(widget_retain, message_destroy);

    center = open_center();
    CHECK_OK(peal_type_declare(center, "typedef struct widget widget_t;"));
    CHECK_OK(peal_type_set_object(center, "struct widget", &widget_type));
    CHECK_OK(peal_type_set_object(center, "struct widget", &widget_type));
    CHECK_OK(peal_type_set_object(center, "widget_t", &widget_type));
    CHECK_OK(peal_type_set_object(center, "const struct widget", &widget_type));
    CHECK_FAILURE(peal_type_set_object(center, "struct widget", &other), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "struct widget");
    CHECK_FAILURE(peal_type_set_copy(center, "widget_t", &message_type), PEAL_ERROR_CONFLICT);
    close_center(center);
    center = open_center();
    CHECK_OK(peal_type_set_object(center, "struct widget", &other));
    close_center(center);
}

static void on_flag(void *self, struct widget *widget)
{
    (void)self;
    journal_write("%d", widget->retains);
    go_inside();
}

static void defer_first(void) { CHECK_STATUS(peal_broadcast(method, &first), PEAL_DEFERRED); }

CLAIM("Q3", "a method keeps the type rules that applied at its definition, and defining it again is no conflict")
{
    static const char *const texts[] = { "void later(struct widget *widget), defer, borrowed", NULL };
    peal_protocol protocol;

    center = open_center();
    memset(&first, 0, sizeof first);
    protocol = protocol_of(center, "Later", texts);
    CHECK_OK(peal_type_set_object(center, "struct widget", &widget_type));
    CHECK_OK(try_protocol(center, "Later", NULL, texts, NULL));
    method = find_method(protocol, "later");
    observe_with(protocol, NULL, "later", (peal_function)on_flag, NULL);
    journal_clear();
    inside = defer_first;
    CHECK_OK(peal_broadcast(method, &first));
    CHECK_JOURNAL("0 0");
    close_center(center);
}

CLAIM("Q3", "a name that is never declared can be registered, and so can a union and a typedef")
{
    static const char *const texts[] = { "void a(Widget *w), defer", "void b(union value *v), defer",
        "void c(pair *p), defer", NULL };

    center = open_center();
    CHECK_OK(peal_type_declare(center, "typedef struct { int a, b; } pair;"));
    CHECK_OK(peal_type_set_object(center, "Widget", &widget_type));
    CHECK_OK(peal_type_set_copy(center, "union value", &message_type));
    CHECK_OK(peal_type_set_copy(center, "pair", &message_type));
    CHECK_OK(try_protocol(center, "Names", NULL, texts, NULL));
    CHECK_OK(peal_type_declare(center, "typedef struct widget Widget;"));
    CHECK_OK(try_protocol(center, "Names", NULL, texts, NULL));
    CHECK_OK(try_protocol(center, "Again", NULL, texts, NULL));
    close_center(center);
}

CLAIM("Q3", "an Objective-C object is an object type once it is registered")
{
    static const struct peal_objc_method methods[] = { { "later:", "v@:@" }, { NULL, NULL } };
    char text[100];
    peal_protocol protocol;

    center = open_center();
    CHECK_OK(peal_type_set_object(center, "struct objc_object", &widget_type));
    CHECK_OK(peal_protocol_define_objc(center, "Objc", methods, NULL, &protocol));
    CHECK_OK(peal_method_declaration(find_method(protocol, "later:"), text, sizeof text, NULL));
    CHECK_CONTAINS(text, "struct objc_object *");
    close_center(center);
}

CLAIM("F1", "a type that cannot be registered gives a status and a sentence")
{
    static const struct {
        const char *type;
        peal_status status;
    } cases[] = {
        { "int", PEAL_ERROR_TYPE },
        { "void", PEAL_ERROR_TYPE },
        { "struct widget *", PEAL_ERROR_TYPE },
        { "ref", PEAL_ERROR_TYPE },
        { "enum color", PEAL_ERROR_TYPE },
        { "int (*)(void)", PEAL_ERROR_TYPE },
        { "struct widget[3]", PEAL_ERROR_TYPE },
        { "", PEAL_ERROR_SYNTAX },
        { "struct", PEAL_ERROR_SYNTAX },
        { "struct widget;", PEAL_ERROR_SYNTAX },
        { "struct widget x", PEAL_ERROR_SYNTAX },
        { "struct { int x; }", PEAL_ERROR_TYPE },
        { "\xff", PEAL_ERROR_SYNTAX },
        { NULL, PEAL_ERROR_ARGUMENT },
    };
    struct peal_object_type object = widget_type;
    struct peal_struct_type structure = message_type;

    center = open_center();
    CHECK_OK(peal_type_declare(center, "typedef struct widget *ref; enum color { RED };"));
    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        check_case(cases[i].type);
        CHECK_FAILURE(peal_type_set_object(center, cases[i].type, &widget_type), cases[i].status);
        CHECK_FAILURE(peal_type_set_copy(center, cases[i].type, &message_type), cases[i].status);
    }
    check_case(NULL);
    CHECK_FAILURE(peal_type_set_object(center, "struct a", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_type_set_copy(center, "struct a", NULL), PEAL_ERROR_ARGUMENT);
    object.retain = NULL;
    CHECK_FAILURE(peal_type_set_object(center, "struct a", &object), PEAL_ERROR_ARGUMENT);
    object = widget_type;
    object.release = NULL;
    CHECK_FAILURE(peal_type_set_object(center, "struct a", &object), PEAL_ERROR_ARGUMENT);
    object = widget_type;
    object.size--;
    CHECK_FAILURE(peal_type_set_object(center, "struct a", &object), PEAL_ERROR_ARGUMENT);
    structure.copy = NULL;
    CHECK_FAILURE(peal_type_set_copy(center, "struct a", &structure), PEAL_ERROR_ARGUMENT);
    structure = message_type;
    structure.destroy = NULL;
    CHECK_FAILURE(peal_type_set_copy(center, "struct a", &structure), PEAL_ERROR_ARGUMENT);
    structure = message_type;
    structure.size = 0;
    CHECK_FAILURE(peal_type_set_copy(center, "struct a", &structure), PEAL_ERROR_ARGUMENT);
    close_center(center);
    CHECK_FAILURE(peal_type_set_object(center, "struct a", &widget_type), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_type_set_copy(center, "struct a", &message_type), PEAL_ERROR_HANDLE);
}
