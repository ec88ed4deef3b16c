/* SPDX-License-Identifier: Apache-2.0
 *
 * signatures-generate: writes C sources with random signatures into a directory, for the runner.
 *
 *     signatures-generate --output DIR [--seed N] [--count N] [--only INDEX]
 *
 * Prints the names of the sources, without `.c`, each on a line.
 */
#include "emit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of signatures that share a source and a pool of types. If it is changed, each seed gives other
 * signatures. */
enum { CHUNK = 125, PURPOSE_POOL = 0, PURPOSES = 8 };

struct options {
    const char *output;
    uint64_t seed;
    size_t count;
    size_t only;
};

static void usage_exit(const char *what)
{
    fprintf(stderr,
        "signatures-generate: %s\n"
        "usage: signatures-generate --output DIR [--seed N] [--count N] [--only INDEX]\n",
        what);
    exit(2);
}

static uint64_t number_or_exit(const char *text)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = text ? strtoull(text, &end, 0) : 0;
    if (!text || errno || end == text || *end)
        usage_exit("expected a number");
    return number;
}

static struct options options_read(int argc, char **argv)
{
    struct options options = { NULL, 1, 2000, SIZE_MAX };
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--output"))
            options.output = value;
        else if (!strcmp(argv[i], "--seed"))
            options.seed = number_or_exit(value);
        else if (!strcmp(argv[i], "--count"))
            options.count = (size_t)number_or_exit(value);
        else if (!strcmp(argv[i], "--only"))
            options.only = (size_t)number_or_exit(value);
        else
            usage_exit("unknown option");
    }
    if (!options.output)
        usage_exit("--output is missing");
    if (options.only != SIZE_MAX && options.only >= options.count)
        options.count = options.only + 1;
    return options;
}

static void file_write(const char *directory, const char *name, const struct text *text)
{
    struct text path = { 0 };
    text_add(&path, "%s/%s", directory, name);
    FILE *file = fopen(text_bytes(&path), "w");
    if (!file || fwrite(text_bytes(text), 1, text->length, file) != text->length || fclose(file)) {
        fprintf(stderr, "signatures-generate: cannot write %s: %s\n", text_bytes(&path), strerror(errno));
        exit(2);
    }
    text_free(&path);
}

/* Writes one source and its header. Returns true if it has a signature. */
static int chunk_write(const struct options *options, size_t chunk)
{
    static struct pool pool;
    struct random random = random_stream(options->seed, (uint64_t)chunk * PURPOSES + PURPOSE_POOL);
    struct text header = { 0 }, source = { 0 }, groups = { 0 };
    char name[48];
    size_t written = 0, first = chunk * CHUNK, end = first + CHUNK;
    if (end > options->count)
        end = options->count;
    pool_fill(&pool, &random, chunk);
    emit_types_header(&pool, &header);
    text_add(&source, "#include \"types_%04zu.h\"\n#include <string.h>\n\n", chunk);
    emit_type_tables(&pool, chunk, &source);
    while (first < end) {
        struct drawn_group group;
        group_draw(&group, options->seed, first, end - first);
        if (emit_group(&group, options->seed, &pool, options->only, &source)) {
            text_add(&groups, " &group_%zu,", first);
            written++;
        }
        first += group.count;
    }
    text_add(&source,
        "static const struct group *const groups[] = {%s };\n"
        "extern const struct chunk chunk_%zu;\n"
        "const struct chunk chunk_%zu = {\n"
        "    \"types_%04zu.h\", types_%zu, LENGTH(types_%zu), groups, LENGTH(groups)\n};\n",
        text_bytes(&groups), chunk, chunk, chunk, chunk, chunk);
    if (written) {
        snprintf(name, sizeof name, "types_%04zu.h", chunk);
        file_write(options->output, name, &header);
        snprintf(name, sizeof name, "chunk_%04zu.c", chunk);
        file_write(options->output, name, &source);
        printf("chunk_%04zu\n", chunk);
    }
    text_free(&header), text_free(&source), text_free(&groups);
    return written != 0;
}

int main(int argc, char **argv)
{
    const struct options options = options_read(argc, argv);
    struct text declared = { 0 }, listed = { 0 }, source = { 0 };
    for (size_t chunk = 0; chunk * CHUNK < options.count; chunk++) {
        if (options.only != SIZE_MAX && options.only / CHUNK != chunk)
            continue;
        if (!chunk_write(&options, chunk))
            continue;
        text_add(&declared, "extern const struct chunk chunk_%zu;\n", chunk);
        text_add(&listed, " &chunk_%zu,", chunk);
    }
    text_add(&source,
        "#include \"signature.h\"\n\n%s"
        "const struct chunk *const chunks[] = {%s };\n"
        "const size_t chunk_count = LENGTH(chunks);\n"
        "const uint64_t generated_seed = %" PRIu64 "u;\n"
        "const size_t generated_count = %zu;\n",
        text_bytes(&declared), text_bytes(&listed), options.seed, options.count);
    file_write(options.output, "chunks.c", &source);
    printf("chunks\n");
    return 0;
}
