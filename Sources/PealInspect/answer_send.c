/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "decode.h"

#include "../PealText/print.h"

#include <stdlib.h>
#include <string.h>

static void broadcast(struct text *text, peal_method method, const struct peal_type *type, struct decoded *decoded)
{
    const struct peal_type *result_type = type->target;
    struct peal_method_info info = { .size = sizeof info };
    /* COLLECT and FOLD have no single result. */
    const bool has_result = result_type->kind != PEAL_KIND_VOID && peal_method_get_info(method, &info) >= 0
                         && info.policy != PEAL_POLICY_COLLECT && info.policy != PEAL_POLICY_FOLD;
    void *result = has_result ? calloc(1, result_type->value_size) : NULL;
    size_t calls = 0;
    struct text printed = { 0 };

    const peal_status status = peal_send(method, decoded->arguments, type->count, result, &calls);
    if (status < 0) {
        json_error(text, "%s: %s", peal_status_name(status), peal_last_message());
    } else {
        json_begin(text, NULL);
        json_text(text, "kind", "sent");
        json_text(text, "status", peal_status_name(status));
        json_number(text, "calls", calls);
        if (result != NULL) {
            print_result(&printed, result_type, result, calls > 0);
            json_text(text, "result", printed.bytes != NULL ? printed.bytes : "");
        }
        json_end_line(text);
    }
    text_free(&printed);
    free(result);
}

void answer_send(struct text *text, const struct request *request)
{
    peal_protocol protocol;
    peal_method method;
    const struct peal_type *type;
    struct decoded decoded;
    char *method_name;

    if (!find_protocol(request->words[1], &protocol, &method_name)) {
        json_error(text, "no protocol is named '%s'", request->words[1]);
        return;
    }
    if (method_name == NULL) {
        json_error(text, "write the method too: %s.METHOD", request->words[1]);
        return;
    }
    if (peal_method_find(protocol, method_name, &method) < 0 || peal_method_describe(method, &type) < 0) {
        json_error(text, "%s", peal_last_message());
        return;
    }
    if (!decode_arguments(&decoded, type, request->words + 2, request->count - 2))
        json_error(text, "%s", decoded.message);
    else if (!server_has_forked())
        broadcast(text, method, type, &decoded);
    decoded_free(&decoded);
    peal_type_destroy(type);
}
