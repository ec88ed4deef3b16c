/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the output of prototypes.py. It declares each type and defines a protocol with each prototype, in the words of
 * the header, and counts how many are accepted. It fails if the share is less than --percent, or if fewer prototypes
 * than --count were read. --refused prints the prototypes that are not accepted, each with the sentence.
 */
#include <peal/peal.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 20 };

static char line[LINE];
static unsigned long accepted, refused, types, refused_types;

static void take_prototype(peal_center center, const char *text, bool prints)
{
    static unsigned long number;
    char name[32];
    const char *const methods[] = { text, NULL };
    const struct peal_protocol_description description = { sizeof description, name, NULL, methods, 0 };

    snprintf(name, sizeof name, "P%lu", number++);
    if (peal_protocol_define(center, &description, NULL, NULL, 0) >= 0) {
        accepted++;
        return;
    }
    refused++;
    if (prints)
        printf("%s\n    %s\n", text, peal_last_message());
}

static void take_type(peal_center center, const char *text, bool prints)
{
    types++;
    if (peal_type_declare(center, text) >= 0)
        return;
    refused_types++;
    if (prints)
        printf("%.200s\n    %s\n", text, peal_last_message());
}

int main(int count, char **arguments)
{
    peal_center center = { 0 };
    double percent = 0;
    unsigned long least = 0;
    bool prints = false;
    double share;

    for (int i = 1; i < count; i++) {
        if (!strcmp(arguments[i], "--refused"))
            prints = true;
        else if (!strcmp(arguments[i], "--percent") && i + 1 < count)
            percent = strtod(arguments[++i], NULL);
        else if (!strcmp(arguments[i], "--count") && i + 1 < count)
            least = strtoul(arguments[++i], NULL, 10);
        else
            return fprintf(stderr, "usage: headers-check [--refused] [--percent P] [--count N]\n"), 2;
    }
    if (peal_center_create(&center) < 0)
        return fprintf(stderr, "%s\n", peal_last_message()), 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == 'T')
            take_type(center, line + 2, prints);
        else if (line[0] == 'P')
            take_prototype(center, line + 2, prints);
    }
    if (peal_center_destroy(center) < 0)
        return fprintf(stderr, "%s\n", peal_last_message()), 1;
    share = accepted + refused == 0 ? 0 : 100.0 * (double)accepted / (double)(accepted + refused);
    printf("%lu prototypes: %lu accepted, %lu refused, %.2f %%; %lu types, %lu refused\n", accepted + refused, accepted,
        refused, share, types, refused_types);
    return share < percent || accepted + refused < least;
}
