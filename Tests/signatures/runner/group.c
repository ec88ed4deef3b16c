/* SPDX-License-Identifier: Apache-2.0 */
#include "group.h"

#include "call.h"
#include "canonical.h"
#include "handler.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { DECLARATION_MOST = 16384, METHODS_MOST = 16 };

/* The two centers in which the signatures of one source are defined. */
struct place_of_work {
    peal_center center;
    peal_center mirror;
    FILE *printed;
};

/* The handles of a protocol, with the layout of its struct TAG_protocol. */
struct handles {
    peal_protocol protocol;
    peal_method methods[METHODS_MOST];
};

static struct random signature_random(const struct signature *signature)
{
    return random_stream(generated_seed, (uint64_t)signature->index * 8 + 5);
}

static size_t draw_observers(const struct group *group)
{
    struct random random = random_stream(generated_seed, (uint64_t)group->signatures[0]->index * 8 + 6);
    return OBSERVERS_LEAST + random_below(&random, OBSERVERS_MOST - OBSERVERS_LEAST + 1);
}

static void signature_begin(const struct signature *signature, size_t observers, struct random *random)
{
    *random = signature_random(signature);
    expect_signature(signature, observers, random);
}

void chunk_check_itself(const struct chunk *chunk)
{
    for (size_t g = 0; g < chunk->group_count; g++) {
        const struct group *group = chunk->groups[g];
        for (size_t i = 0; i < group->count; i++) {
            struct random random;
            signature_begin(group->signatures[i], draw_observers(group), &random);
            call_directly(&random);
            expect_end();
        }
    }
}

static void declare_types(const struct chunk *chunk, peal_center center)
{
    for (size_t i = 0; i < chunk->type_count; i++) {
        const char *text = chunk->types[i]->declaration;
        if (text && peal_type_declare(center, text) < 0)
            fail_alone("peal_type_declare(\"%s\"): %s", text, peal_last_message());
    }
}

static void compare_layouts(const struct chunk *chunk, peal_center center)
{
    for (size_t i = 0; i < chunk->type_count; i++) {
        const struct type *type = chunk->types[i];
        size_t size = 0, alignment = 0;
        if (type->kind == TYPE_POINTER && !type->declaration)
            continue;
        if (peal_type_layout(center, type->name, &size, &alignment) < 0)
            fail_alone("peal_type_layout(\"%s\"): %s", type->name, peal_last_message());
        else if (size != type->size || alignment != type->alignment)
            fail_alone("%s has %zu bytes aligned to %zu, not %zu aligned to %zu: %s", type->name, size, alignment,
                type->size, type->alignment, type->declaration ? type->declaration : "built in");
    }
}

static bool define(const struct group *group, peal_center center)
{
    struct handles *handles = group->handles;
    const peal_status status = group->define ? group->define(center, handles)
                                             : peal_protocol_define(center, group->description, &handles->protocol,
                                                   handles->methods, group->count);
    if (status == PEAL_OK)
        return true;
    fail_alone("%s is not defined: %s: %s", group->description->name, peal_status_name(status), peal_last_message());
    for (size_t i = 0; i < group->count; i++)
        printf("     #%zu: %s\n", group->signatures[i]->index, *group->signatures[i]->text);
    return false;
}

/* Registers an observer. Observers of a plain protocol have tables and bindings in turn. */
static peal_status observe(const struct group *group, const struct handles *handles, void *target, bool by_names)
{
    struct peal_binding bindings[METHODS_MOST];
    if (!by_names)
        return peal_observe(handles->protocol, target, group->table, NULL, NULL);
    for (size_t i = 0; i < group->count; i++) {
        const struct signature *signature = group->signatures[i];
        bindings[i] = (struct peal_binding){ signature->name, signature->observer, signature->prototype };
    }
    return peal_observe_bindings(handles->protocol, target, bindings, group->count, NULL, NULL);
}

static bool observe_all(const struct group *group, const struct handles *handles, bool of_list, bool by_names)
{
    for (size_t i = 0; i < now.observers; i++) {
        peal_observation observation;
        const peal_status status = of_list ? group->observe(handles, now.targets[i], &observation)
                                           : observe(group, handles, now.targets[i], by_names);
        if (status != PEAL_OK) {
            fail_alone(
                "%s is not observed: %s: %s", group->description->name, peal_status_name(status), peal_last_message());
            return false;
        }
    }
    return true;
}

/* Replaces a mirrored group's observers by handlers, and calls them in every way. */
static void check_handlers(const struct group *group, const struct handles *handles, size_t observers)
{
    struct random random;
    if (peal_protocol_remove_observations(handles->protocol, NULL) != PEAL_OK)
        fail_alone("%s is still observed: %s", group->description->name, peal_last_message());
    signature_begin(group->signatures[0], observers, &random);
    for (size_t i = 0; i < observers; i++)
        if (observe_by_handler(group, handles->protocol, handles->methods, now.targets[i]) != PEAL_OK)
            fail_alone("%s has no handler: %s", group->description->name, peal_last_message());
    expect_end();
    for (size_t i = 0; i < group->count; i++) {
        signature_begin(group->signatures[i], observers, &random);
        call_by_array_once(handles->methods[i], "array, to handlers", "array through ffi_call, to handlers", &random);
        call_typed(handles, &random);
        expect_end();
    }
}

static bool observe_group(
    const struct group *group, const struct handles *handles, size_t observers, bool of_list, bool by_names)
{
    struct random random;
    signature_begin(group->signatures[0], observers, &random);
    const bool observed = observe_all(group, handles, of_list, by_names);
    expect_end();
    return observed;
}

static void compare_path(const struct signature *signature, peal_method method)
{
    struct signature_class class = class_of(signature);
    peal_call_path path = (peal_call_path)0;
    now.path = "peal_method_call_path";
    if (peal_method_call_path(method, &path) < 0)
        fail("%s", peal_last_message());
    if (path == PEAL_CALL_PATH_FFI_CALL && !class.must_frame)
        class.must_frame = corruption_is_due(CORRUPT_PATH, now.path);
    if (class.must_frame && path != PEAL_CALL_PATH_REGISTER_FRAME)
        fail("it must go by register frame, but goes by ffi_call");
    report_count(&class, path);
}

/* Prints the prototype within a method's text, without the requirement and the options. */
static void print_prototype(const char *text, FILE *out)
{
    int depth = 0;
    text += strspn(text, " \t\n");
    if (!strncmp(text, "required", 8) || !strncmp(text, "optional", 8))
        text += 8;
    for (; *text; text++) {
        if (*text == ',' && depth == 0)
            break;
        depth += *text == '(';
        depth -= *text == ')';
        fputc(*text == '\n' ? ' ' : *text, out); /* each prototype is one line */
    }
    fputs(";\n", out);
}

/* Creates the proxies of a group. A broadcasting proxy is refused if a method collects. */
static bool make_proxies(const struct group *group, const struct handles *handles, struct proxies *out)
{
    bool collects = false;
    struct random random;
    for (size_t i = 0; i < group->count; i++)
        collects |= group->signatures[i]->policy == PEAL_POLICY_COLLECT;
    const peal_status all = peal_proxy_create(
        handles->protocol, NULL, &out->all.proxy, &out->all.self, &out->all.table);
    if (all != (collects ? PEAL_ERROR_POLICY : PEAL_OK))
        fail_alone("no proxy of %s: %s", group->description->name, peal_last_message());
    signature_begin(group->signatures[0], 1, &random);
    const peal_status one = peal_proxy_create_for(
        handles->protocol, now.targets[0], group->table, NULL, &out->one.proxy, &out->one.self, &out->one.table);
    expect_end();
    if (one != PEAL_OK)
        fail_alone("no proxy of a target of %s: %s", group->description->name, peal_last_message());
    return one == PEAL_OK;
}

static void call_all(const struct group *group, const struct handles *handles, const struct proxies *proxies,
    peal_center center, size_t i, size_t observers)
{
    const struct signature *signature = group->signatures[i];
    struct random random;
    signature_begin(signature, observers, &random);
    call_directly(&random);
    compare_path(signature, handles->methods[i]);
    call_by_array(handles->methods[i], &random);
    call_variadic(handles->methods[i], &random);
    call_typed(handles, &random);
    call_proxies(proxies, center, handles->methods[i], &random);
    expect_end();
}

/* The printed declarations of a group's methods. */
struct declarations {
    char *texts[METHODS_MOST + 1];
};

static void declarations_free(struct declarations *declarations)
{
    for (size_t i = 0; i < METHODS_MOST; i++)
        free(declarations->texts[i]);
}

static bool print_declarations(const struct group *group, const struct handles *handles, struct declarations *out)
{
    *out = (struct declarations){ { NULL } };
    for (size_t i = 0; i < group->count; i++) {
        size_t length = 0;
        out->texts[i] = malloc(DECLARATION_MOST);
        if (!out->texts[i])
            exit(2);
        const peal_status status = peal_method_declaration(
            handles->methods[i], out->texts[i], DECLARATION_MOST, &length);
        if (status != PEAL_OK || length != strlen(out->texts[i])) {
            fail_alone("the declaration of %s.%s: %s: %s", group->description->name, group->signatures[i]->name,
                peal_status_name(status), peal_last_message());
            return false;
        }
    }
    return true;
}

/* Defines the protocol again from its printed declarations. The copy must print and call the same. */
static void check_mirror(const struct group *group, const struct place_of_work *work, size_t observers)
{
    struct declarations printed, again = { { NULL } };
    struct peal_protocol_description description = *group->description;
    struct handles mirrored;
    if (!print_declarations(group, group->handles, &printed))
        goto done;
    for (size_t i = 0; work->printed && i < group->count; i++) {
        print_prototype(*group->signatures[i]->text, work->printed);
        print_prototype(printed.texts[i], work->printed);
    }
    description.methods = (const char *const *)printed.texts;
    const peal_status status = peal_protocol_define(
        work->mirror, &description, &mirrored.protocol, mirrored.methods, group->count);
    if (status != PEAL_OK) {
        fail_alone("%s is not defined from what was printed: %s: %s", description.name, peal_status_name(status),
            peal_last_message());
        for (size_t i = 0; i < group->count; i++)
            printf("     %s\n", printed.texts[i]);
        goto done;
    }
    if (!print_declarations(group, &mirrored, &again))
        goto done;
    for (size_t i = 0; i < group->count; i++) {
        struct random random;
        signature_begin(group->signatures[i], observers, &random);
        now.path = "peal_method_declaration";
        if (corruption_is_due(CORRUPT_DECLARATION, now.path))
            again.texts[i][0] ^= 1;
        if (strcmp(printed.texts[i], again.texts[i]) != 0)
            fail("printed as\n     %s\n     and then as\n     %s", printed.texts[i], again.texts[i]);
        call_nobody(mirrored.methods[i], &random);
        expect_end();
    }
    if (!observe_group(group, &mirrored, observers, false, false))
        goto done;
    for (size_t i = 0; i < group->count; i++) {
        struct random random;
        signature_begin(group->signatures[i], observers, &random);
        call_by_array_once(mirrored.methods[i], "array, as printed", "array through ffi_call, as printed", &random);
        expect_end();
    }
    check_handlers(group, &mirrored, observers);
done:
    declarations_free(&printed);
    declarations_free(&again);
}

static void check_group(const struct group *group, const struct place_of_work *work)
{
    const struct handles *handles = group->handles;
    const size_t observers = draw_observers(group);
    struct random random;
    if (!define(group, work->center))
        return;
    for (size_t i = 0; i < group->count; i++) {
        signature_begin(group->signatures[i], observers, &random);
        call_nobody(handles->methods[i], &random);
        expect_end();
    }
    const bool by_names = group->signatures[0]->index % 2 == 0;
    if (!observe_group(group, handles, observers, group->observe != NULL, by_names))
        return;
    struct proxies proxies;
    if (!make_proxies(group, handles, &proxies))
        return;
    for (size_t i = 0; i < group->count; i++)
        call_all(group, handles, &proxies, work->center, i, observers);
    if (proxies.all.table && peal_proxy_destroy(proxies.all.proxy) != PEAL_OK)
        fail_alone("the proxy of %s is not destroyed", group->description->name);
    if (peal_proxy_destroy(proxies.one.proxy) != PEAL_OK)
        fail_alone("the proxy of a target of %s is not destroyed", group->description->name);
    check_mirror(group, work, observers);
    check_canonical(handles->protocol, group->description->name);
}

static FILE *open_printed(const struct chunk *chunk, const char *directory)
{
    char path[4096];
    const char *number = strchr(chunk->types_header, '_');
    snprintf(path, sizeof path, "%s/printed%.5s.c", directory, number ? number : "_");
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "signatures: cannot write %s\n", path);
        exit(2);
    }
    fprintf(file, "#include \"%s\"\n", chunk->types_header);
    return file;
}

void chunk_check(const struct chunk *chunk, const char *printed)
{
    struct place_of_work work = { { 0 }, { 0 }, NULL };
    if (peal_center_create(&work.center) < 0 || peal_center_create(&work.mirror) < 0) {
        fail_alone("no center: %s", peal_last_message());
        return;
    }
    if (printed)
        work.printed = open_printed(chunk, printed);
    declare_types(chunk, work.center);
    declare_types(chunk, work.mirror);
    compare_layouts(chunk, work.center);
    for (size_t i = 0; i < chunk->group_count; i++)
        check_group(chunk->groups[i], &work);
    if (peal_center_destroy(work.center) < 0 || peal_center_destroy(work.mirror) < 0)
        fail_alone("a center is not destroyed: %s", peal_last_message());
    if (work.printed && fclose(work.printed) != 0)
        fail_alone("what was printed could not be written");
}
