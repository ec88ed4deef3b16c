/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include "failure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_name(char character) { return isalnum((unsigned char)character) || character == '_'; }

/* Returns the parameters in a printed declaration: after "name(". */
static const char *parameters_of(const char *declaration, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = declaration; (at = strstr(at, name)) != NULL; at++)
        if (at[length] == '(' && (at == declaration || !is_of_name(at[-1])))
            return at + length + 1;
    return NULL;
}

/* Returns the column of a parameter, from 1; 0 if it is not found. */
static size_t column_of(const char *declaration, const char *name, size_t parameter)
{
    const char *at = parameters_of(declaration, name);
    unsigned depth = 0;

    for (; at != NULL && *at != '\0' && parameter > 0; at++) {
        if (*at == '(' || *at == '[')
            depth++;
        else if (*at == ')' || *at == ']')
            depth--;
        else if (*at == ',' && depth == 0)
            parameter--;
    }
    if (at == NULL || *at == '\0')
        return 0;
    return (size_t)(at + strspn(at, " ") - declaration) + 1;
}

static char *declaration_of(peal_method method)
{
    size_t length = 0;

    if (peal_method_declaration(method, NULL, 0, &length) < 0)
        return NULL;
    char *declaration = malloc(length + 1);
    if (declaration != NULL && peal_method_declaration(method, declaration, length + 1, NULL) != PEAL_OK) {
        free(declaration);
        return NULL;
    }
    return declaration;
}

void explain_refusal(
    peal_method method, const char *name, const struct peal_type *type, size_t parameter, const char *cause)
{
    char *declaration = declaration_of(method);
    char printed_name[256] = "";

    peal_method_name(method, printed_name, sizeof printed_name, NULL);
    for (char *at = printed_name; *at != '\0'; at++)
        *at = *at == ':' ? '_' : *at;
    if (declaration == NULL)
        wire_fail(PEAL_ERROR_TYPE, "%s: parameter %zu, %s: %s", name, parameter + 1, type->name, cause);
    else if (parameter == PEAL_PARAMETER_LIMIT)
        wire_fail(PEAL_ERROR_TYPE, "%s: column %zu: the result, %s: %s, in \"%s\"", name, strcspn(declaration, " ") + 2,
            type->name, cause, declaration);
    else
        wire_fail(PEAL_ERROR_TYPE, "%s: column %zu: parameter %zu, %s: %s, in \"%s\"", name,
            column_of(declaration, printed_name, parameter), parameter + 1, type->name, cause, declaration);
    free(declaration);
}
