#include "plan.h"

#include <stdio.h>
#include <string.h>

static const char *const blanks = " \t";

static bool read_binding(struct plan_observer *observer, char *text)
{
    char *equals = strchr(text, '=');
    if (equals == NULL || observer->binding_count == PLAN_BINDINGS)
        return false;
    *equals = '\0';
    observer->bindings[observer->binding_count].method = text;
    observer->bindings[observer->binding_count].function = equals + 1;
    observer->binding_count++;
    return true;
}

static bool read_observer(struct plan *plan, char *text)
{
    struct plan_observer *observer = &plan->observers[plan->observer_count];
    if (plan->observer_count == PLAN_OBSERVERS)
        return false;
    plan->observer_count++;
    memset(observer, 0, sizeof *observer);
    while (*text != '\0') {
        char *word = text;
        text += strcspn(text, blanks);
        if (*text != '\0') {
            *text++ = '\0';
            text += strspn(text, blanks);
        }
        if (observer->name == NULL)
            observer->name = word;
        else if (!read_binding(observer, word))
            return false;
    }
    return observer->name != NULL;
}

static bool read_line(struct plan *plan, char *line)
{
    char *rest = line + strcspn(line, blanks);
    if (*line == '\0' || *line == '#')
        return true;
    if (*rest != '\0') {
        *rest++ = '\0';
        rest += strspn(rest, blanks);
    }
    if (strcmp(line, "observer") == 0)
        return read_observer(plan, rest);
    if (strcmp(line, "method") == 0 && plan->method_count < PLAN_METHODS)
        plan->methods[plan->method_count++] = rest;
    else if (strcmp(line, "protocol") == 0 && plan->protocol == NULL)
        plan->protocol = rest;
    else if (strcmp(line, "type") == 0 && plan->types == NULL)
        plan->types = rest;
    else
        return false;
    return true;
}

bool plan_read(struct plan *plan, const char *path)
{
    memset(plan, 0, sizeof *plan);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return false;
    }
    const size_t length = fread(plan->text, 1, sizeof plan->text - 1, file);
    const bool whole = feof(file) && !ferror(file);
    fclose(file);
    if (!whole) {
        fprintf(stderr, "%s: cannot be read, or has %d bytes or more\n", path, PLAN_BYTES);
        return false;
    }
    plan->text[length] = '\0';
    size_t number = 1;
    for (char *line = plan->text; *line != '\0'; number++) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\0' ? end : end + 1;
        *end = '\0';
        if (!read_line(plan, line)) {
            fprintf(stderr, "%s:%zu: not a line of a plan, or one too many\n", path, number);
            return false;
        }
        line = next;
    }
    if (plan->protocol == NULL)
        fprintf(stderr, "%s: names no protocol\n", path);
    return plan->protocol != NULL;
}
