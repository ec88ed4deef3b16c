/* SPDX-License-Identifier: Apache-2.0
 *
 * nothing.c - --self-check links these empty functions instead of the library.
 */
#include <stdlib.h>

#define NOTHING(name) \
    void name(void);  \
    void name(void) { abort(); }

NOTHING(peal_ask_counted)
NOTHING(peal_broadcast_counted)
NOTHING(peal_center_create)
NOTHING(peal_center_destroy)
NOTHING(peal_closure_create)
NOTHING(peal_closure_create_for)
NOTHING(peal_entries_begin)
NOTHING(peal_entries_begin_all)
NOTHING(peal_entries_end)
NOTHING(peal_entries_ended)
NOTHING(peal_entry_admit)
NOTHING(peal_clear_failure)
NOTHING(peal_last_message)
NOTHING(peal_last_status)
NOTHING(peal_method_call_path)
NOTHING(peal_method_declaration)
NOTHING(peal_observe)
NOTHING(peal_observe_bindings)
NOTHING(peal_observe_handler)
NOTHING(peal_protocol_canonical_text)
NOTHING(peal_protocol_define)
NOTHING(peal_protocol_fingerprint)
NOTHING(peal_proxy_create)
NOTHING(peal_proxy_create_for)
NOTHING(peal_proxy_destroy)
NOTHING(peal_send)
NOTHING(peal_send_with)
NOTHING(peal_status_name)
NOTHING(peal_type_declare)
NOTHING(peal_type_layout)
NOTHING(peal_protocol_remove_observations)
