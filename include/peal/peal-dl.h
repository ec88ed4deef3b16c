/* SPDX-License-Identifier: Apache-2.0
 *
 * peal-dl.h - the interface for programs that do not link libpeal.so but load it when they run.
 *
 *     #include <peal/peal-dl.h>               instead of <peal/peal.h>; nothing else changes
 *     ...
 *     if (!peal_dl_open(NULL)) {
 *         fprintf(stderr, "%s\n", peal_dl_message());
 *         ... do without peal
 *     }
 *
 * Each function of peal is a function pointer here, and its name a macro for what the pointer points
 * to. So calls, macros such as PEAL_BROADCAST and addresses of functions are written as ever. Until
 * peal_dl_open has succeeded a call of any of them ends the process with a sentence.
 *
 * Include it before the other headers of peal. A program, and each plugin, that includes it in several
 * files has one set of pointers, and one call of peal_dl_open fills them. Link with -ldl where the C
 * library is older than glibc 2.34.
 *
 * This file is made by scripts/make-dl-header.
 */
#ifndef PEAL_PEAL_DL_H
#define PEAL_PEAL_DL_H

#ifdef PEAL_BASE_H
#error "include <peal/peal-dl.h> instead of <peal/peal.h>, and before the other headers of peal"
#endif

/* The declarations that follow are those of pointers: `peal_status (*peal_loaded_send)(...)`. */
#define PEAL_DL 1
#define peal_ask_counted (*peal_loaded_ask_counted)
#define peal_ask_list (*peal_loaded_ask_list)
#define peal_batch_begin (*peal_loaded_batch_begin)
#define peal_batch_end (*peal_loaded_batch_end)
#define peal_broadcast_counted (*peal_loaded_broadcast_counted)
#define peal_call_abstain (*peal_loaded_call_abstain)
#define peal_call_answer (*peal_loaded_call_answer)
#define peal_call_defer (*peal_loaded_call_defer)
#define peal_call_defer_several (*peal_loaded_call_defer_several)
#define peal_call_get_current (*peal_loaded_call_get_current)
#define peal_call_visit_running (*peal_loaded_call_visit_running)
#define peal_center_create (*peal_loaded_center_create)
#define peal_center_default (*peal_loaded_center_default)
#define peal_center_destroy (*peal_loaded_center_destroy)
#define peal_center_get_info (*peal_loaded_center_get_info)
#define peal_center_list (*peal_loaded_center_list)
#define peal_clear_failure (*peal_loaded_clear_failure)
#define peal_clock_advance (*peal_loaded_clock_advance)
#define peal_clock_get_info (*peal_loaded_clock_get_info)
#define peal_clock_set_manual (*peal_loaded_clock_set_manual)
#define peal_closure_create (*peal_loaded_closure_create)
#define peal_closure_create_for (*peal_loaded_closure_create_for)
#define peal_complete (*peal_loaded_complete)
#define peal_completion_cancel (*peal_loaded_completion_cancel)
#define peal_completion_create (*peal_loaded_completion_create)
#define peal_completion_release (*peal_loaded_completion_release)
#define peal_entries_begin (*peal_loaded_entries_begin)
#define peal_entries_begin_all (*peal_loaded_entries_begin_all)
#define peal_entries_end (*peal_loaded_entries_end)
#define peal_entries_ended (*peal_loaded_entries_ended)
#define peal_entry_admit (*peal_loaded_entry_admit)
#define peal_find_pointers_into (*peal_loaded_find_pointers_into)
#define peal_gather (*peal_loaded_gather)
#define peal_invocation_broadcast (*peal_loaded_invocation_broadcast)
#define peal_invocation_create (*peal_loaded_invocation_create)
#define peal_invocation_create_with (*peal_loaded_invocation_create_with)
#define peal_invocation_destroy (*peal_loaded_invocation_destroy)
#define peal_invocation_duplicate (*peal_loaded_invocation_duplicate)
#define peal_invocation_get_argument (*peal_loaded_invocation_get_argument)
#define peal_invocation_get_argument_named (*peal_loaded_invocation_get_argument_named)
#define peal_invocation_get_result (*peal_loaded_invocation_get_result)
#define peal_invocation_invoke (*peal_loaded_invocation_invoke)
#define peal_invocation_invoke_function (*peal_loaded_invocation_invoke_function)
#define peal_invocation_method (*peal_loaded_invocation_method)
#define peal_invocation_of_counted (*peal_loaded_invocation_of_counted)
#define peal_invocation_of_list (*peal_loaded_invocation_of_list)
#define peal_invocation_retain_arguments (*peal_loaded_invocation_retain_arguments)
#define peal_invocation_retains_arguments (*peal_loaded_invocation_retains_arguments)
#define peal_invocation_set_argument (*peal_loaded_invocation_set_argument)
#define peal_invocation_set_argument_named (*peal_loaded_invocation_set_argument_named)
#define peal_invocation_set_result (*peal_loaded_invocation_set_result)
#define peal_last_message (*peal_loaded_last_message)
#define peal_last_status (*peal_loaded_last_status)
#define peal_method_call_path (*peal_loaded_method_call_path)
#define peal_method_canonical_text (*peal_loaded_method_canonical_text)
#define peal_method_check (*peal_loaded_method_check)
#define peal_method_clear_last_call (*peal_loaded_method_clear_last_call)
#define peal_method_count_observers (*peal_loaded_method_count_observers)
#define peal_method_count_parameters (*peal_loaded_method_count_parameters)
#define peal_method_declaration (*peal_loaded_method_declaration)
#define peal_method_describe (*peal_loaded_method_describe)
#define peal_method_find (*peal_loaded_method_find)
#define peal_method_find_parameter (*peal_loaded_method_find_parameter)
#define peal_method_fingerprint (*peal_loaded_method_fingerprint)
#define peal_method_frame_length (*peal_loaded_method_frame_length)
#define peal_method_get_counts (*peal_loaded_method_get_counts)
#define peal_method_get_info (*peal_loaded_method_get_info)
#define peal_method_is_oneway (*peal_loaded_method_is_oneway)
#define peal_method_list_observations (*peal_loaded_method_list_observations)
#define peal_method_name (*peal_loaded_method_name)
#define peal_method_parameter_layout (*peal_loaded_method_parameter_layout)
#define peal_method_parameter_name (*peal_loaded_method_parameter_name)
#define peal_method_parameter_ownership (*peal_loaded_method_parameter_ownership)
#define peal_method_parameter_type (*peal_loaded_method_parameter_type)
#define peal_method_result_layout (*peal_loaded_method_result_layout)
#define peal_method_result_type (*peal_loaded_method_result_type)
#define peal_module_find (*peal_loaded_module_find)
#define peal_module_get_info (*peal_loaded_module_get_info)
#define peal_module_list (*peal_loaded_module_list)
#define peal_module_register (*peal_loaded_module_register)
#define peal_module_remove (*peal_loaded_module_remove)
#define peal_modules_forward (*peal_loaded_modules_forward)
#define peal_modules_get_state (*peal_loaded_modules_get_state)
#define peal_modules_remove_class (*peal_loaded_modules_remove_class)
#define peal_modules_start (*peal_loaded_modules_start)
#define peal_modules_stop (*peal_loaded_modules_stop)
#define peal_observation_block (*peal_loaded_observation_block)
#define peal_observation_get_counts (*peal_loaded_observation_get_counts)
#define peal_observation_get_info (*peal_loaded_observation_get_info)
#define peal_observation_is_active (*peal_loaded_observation_is_active)
#define peal_observation_remove (*peal_loaded_observation_remove)
#define peal_observation_remove_with (*peal_loaded_observation_remove_with)
#define peal_observation_unblock (*peal_loaded_observation_unblock)
#define peal_observe (*peal_loaded_observe)
#define peal_observe_bindings (*peal_loaded_observe_bindings)
#define peal_observe_handler (*peal_loaded_observe_handler)
#define peal_observe_service (*peal_loaded_observe_service)
#define peal_owner_create (*peal_loaded_owner_create)
#define peal_owner_enter (*peal_loaded_owner_enter)
#define peal_owner_get_current (*peal_loaded_owner_get_current)
#define peal_owner_get_info (*peal_loaded_owner_get_info)
#define peal_owner_leave (*peal_loaded_owner_leave)
#define peal_owner_list (*peal_loaded_owner_list)
#define peal_owner_list_observations (*peal_loaded_owner_list_observations)
#define peal_owner_name (*peal_loaded_owner_name)
#define peal_owner_retire (*peal_loaded_owner_retire)
#define peal_property_compare_and_set (*peal_loaded_property_compare_and_set)
#define peal_property_define (*peal_loaded_property_define)
#define peal_property_find (*peal_loaded_property_find)
#define peal_property_get (*peal_loaded_property_get)
#define peal_property_get_info (*peal_loaded_property_get_info)
#define peal_property_get_text (*peal_loaded_property_get_text)
#define peal_property_list (*peal_loaded_property_list)
#define peal_property_name (*peal_loaded_property_name)
#define peal_property_observe (*peal_loaded_property_observe)
#define peal_property_remove (*peal_loaded_property_remove)
#define peal_property_set (*peal_loaded_property_set)
#define peal_property_type (*peal_loaded_property_type)
#define peal_protocol_canonical_text (*peal_loaded_protocol_canonical_text)
#define peal_protocol_count_observers (*peal_loaded_protocol_count_observers)
#define peal_protocol_define (*peal_loaded_protocol_define)
#define peal_protocol_define_objc (*peal_loaded_protocol_define_objc)
#define peal_protocol_find (*peal_loaded_protocol_find)
#define peal_protocol_fingerprint (*peal_loaded_protocol_fingerprint)
#define peal_protocol_get_info (*peal_loaded_protocol_get_info)
#define peal_protocol_list (*peal_loaded_protocol_list)
#define peal_protocol_list_adopted (*peal_loaded_protocol_list_adopted)
#define peal_protocol_list_methods (*peal_loaded_protocol_list_methods)
#define peal_protocol_list_observations (*peal_loaded_protocol_list_observations)
#define peal_protocol_name (*peal_loaded_protocol_name)
#define peal_protocol_remove_observations (*peal_loaded_protocol_remove_observations)
#define peal_protocol_remove_observations_of (*peal_loaded_protocol_remove_observations_of)
#define peal_protocol_version (*peal_loaded_protocol_version)
#define peal_proxy_create (*peal_loaded_proxy_create)
#define peal_proxy_create_for (*peal_loaded_proxy_create_for)
#define peal_proxy_destroy (*peal_loaded_proxy_destroy)
#define peal_proxy_destroy_and_wait (*peal_loaded_proxy_destroy_and_wait)
#define peal_proxy_fail (*peal_loaded_proxy_fail)
#define peal_proxy_get_info (*peal_loaded_proxy_get_info)
#define peal_proxy_is_alive (*peal_loaded_proxy_is_alive)
#define peal_proxy_list (*peal_loaded_proxy_list)
#define peal_queue_create (*peal_loaded_queue_create)
#define peal_queue_descriptor (*peal_loaded_queue_descriptor)
#define peal_queue_destroy (*peal_loaded_queue_destroy)
#define peal_queue_flush (*peal_loaded_queue_flush)
#define peal_queue_get_info (*peal_loaded_queue_get_info)
#define peal_queue_is_current (*peal_loaded_queue_is_current)
#define peal_queue_list (*peal_loaded_queue_list)
#define peal_queue_main (*peal_loaded_queue_main)
#define peal_queue_pause (*peal_loaded_queue_pause)
#define peal_queue_pump (*peal_loaded_queue_pump)
#define peal_queue_resume (*peal_loaded_queue_resume)
#define peal_queue_run (*peal_loaded_queue_run)
#define peal_reference_count (*peal_loaded_reference_count)
#define peal_reference_create (*peal_loaded_reference_create)
#define peal_reference_release (*peal_loaded_reference_release)
#define peal_reference_retain (*peal_loaded_reference_retain)
#define peal_scope_begin (*peal_loaded_scope_begin)
#define peal_scope_end (*peal_loaded_scope_end)
#define peal_send (*peal_loaded_send)
#define peal_send_with (*peal_loaded_send_with)
#define peal_service_clear_data (*peal_loaded_service_clear_data)
#define peal_service_find (*peal_loaded_service_find)
#define peal_service_find_provider (*peal_loaded_service_find_provider)
#define peal_service_get (*peal_loaded_service_get)
#define peal_service_get_info (*peal_loaded_service_get_info)
#define peal_service_get_provider (*peal_loaded_service_get_provider)
#define peal_service_list (*peal_loaded_service_list)
#define peal_service_register (*peal_loaded_service_register)
#define peal_service_remove (*peal_loaded_service_remove)
#define peal_service_remove_instance (*peal_loaded_service_remove_instance)
#define peal_service_use_instance (*peal_loaded_service_use_instance)
#define peal_service_wait (*peal_loaded_service_wait)
#define peal_session_end (*peal_loaded_session_end)
#define peal_signal_bind (*peal_loaded_signal_bind)
#define peal_signal_remove_binding (*peal_loaded_signal_remove_binding)
#define peal_signals_bind_usual (*peal_loaded_signals_bind_usual)
#define peal_status_name (*peal_loaded_status_name)
#define peal_status_text (*peal_loaded_status_text)
#define peal_tap_create (*peal_loaded_tap_create)
#define peal_tap_destroy (*peal_loaded_tap_destroy)
#define peal_tap_get_info (*peal_loaded_tap_get_info)
#define peal_tap_read (*peal_loaded_tap_read)
#define peal_timer_create (*peal_loaded_timer_create)
#define peal_timer_destroy (*peal_loaded_timer_destroy)
#define peal_timer_fire (*peal_loaded_timer_fire)
#define peal_timer_get_info (*peal_loaded_timer_get_info)
#define peal_timer_list (*peal_loaded_timer_list)
#define peal_timer_restart (*peal_loaded_timer_restart)
#define peal_timer_start (*peal_loaded_timer_start)
#define peal_timer_stop (*peal_loaded_timer_stop)
#define peal_timer_stop_and_wait (*peal_loaded_timer_stop_and_wait)
#define peal_type_declare (*peal_loaded_type_declare)
#define peal_type_describe (*peal_loaded_type_describe)
#define peal_type_destroy (*peal_loaded_type_destroy)
#define peal_type_get_info (*peal_loaded_type_get_info)
#define peal_type_layout (*peal_loaded_type_layout)
#define peal_type_list (*peal_loaded_type_list)
#define peal_type_set_codec (*peal_loaded_type_set_codec)
#define peal_type_set_copy (*peal_loaded_type_set_copy)
#define peal_type_set_object (*peal_loaded_type_set_object)
#define peal_use_release (*peal_loaded_use_release)
#define peal_use_retain (*peal_loaded_use_retain)
#define peal_use_table (*peal_loaded_use_table)
#define peal_version (*peal_loaded_version)

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peal.h"

PEAL_BEGIN_DECLARATIONS

#define PEAL_DL_STRING_(text) PEAL_DL_STRING_OF_(text)
#define PEAL_DL_STRING_OF_(text) #text

/* The name that peal_dl_open(NULL) loads. */
#define PEAL_DL_NAME "libpeal.so." PEAL_DL_STRING_(PEAL_SOVERSION)

/* Defined wherever this header is included, and one in the whole program or plugin. */
#define PEAL_DL_SHARED_ __attribute__((weak, visibility("hidden")))

/* Every function, without the prefix: with it, it is a macro now. */
#define PEAL_DL_LIST_(FUNCTION) \
    FUNCTION(ask_counted) \
    FUNCTION(ask_list) \
    FUNCTION(batch_begin) \
    FUNCTION(batch_end) \
    FUNCTION(broadcast_counted) \
    FUNCTION(call_abstain) \
    FUNCTION(call_answer) \
    FUNCTION(call_defer) \
    FUNCTION(call_defer_several) \
    FUNCTION(call_get_current) \
    FUNCTION(call_visit_running) \
    FUNCTION(center_create) \
    FUNCTION(center_default) \
    FUNCTION(center_destroy) \
    FUNCTION(center_get_info) \
    FUNCTION(center_list) \
    FUNCTION(clear_failure) \
    FUNCTION(clock_advance) \
    FUNCTION(clock_get_info) \
    FUNCTION(clock_set_manual) \
    FUNCTION(closure_create) \
    FUNCTION(closure_create_for) \
    FUNCTION(complete) \
    FUNCTION(completion_cancel) \
    FUNCTION(completion_create) \
    FUNCTION(completion_release) \
    FUNCTION(entries_begin) \
    FUNCTION(entries_begin_all) \
    FUNCTION(entries_end) \
    FUNCTION(entries_ended) \
    FUNCTION(entry_admit) \
    FUNCTION(find_pointers_into) \
    FUNCTION(gather) \
    FUNCTION(invocation_broadcast) \
    FUNCTION(invocation_create) \
    FUNCTION(invocation_create_with) \
    FUNCTION(invocation_destroy) \
    FUNCTION(invocation_duplicate) \
    FUNCTION(invocation_get_argument) \
    FUNCTION(invocation_get_argument_named) \
    FUNCTION(invocation_get_result) \
    FUNCTION(invocation_invoke) \
    FUNCTION(invocation_invoke_function) \
    FUNCTION(invocation_method) \
    FUNCTION(invocation_of_counted) \
    FUNCTION(invocation_of_list) \
    FUNCTION(invocation_retain_arguments) \
    FUNCTION(invocation_retains_arguments) \
    FUNCTION(invocation_set_argument) \
    FUNCTION(invocation_set_argument_named) \
    FUNCTION(invocation_set_result) \
    FUNCTION(last_message) \
    FUNCTION(last_status) \
    FUNCTION(method_call_path) \
    FUNCTION(method_canonical_text) \
    FUNCTION(method_check) \
    FUNCTION(method_clear_last_call) \
    FUNCTION(method_count_observers) \
    FUNCTION(method_count_parameters) \
    FUNCTION(method_declaration) \
    FUNCTION(method_describe) \
    FUNCTION(method_find) \
    FUNCTION(method_find_parameter) \
    FUNCTION(method_fingerprint) \
    FUNCTION(method_frame_length) \
    FUNCTION(method_get_counts) \
    FUNCTION(method_get_info) \
    FUNCTION(method_is_oneway) \
    FUNCTION(method_list_observations) \
    FUNCTION(method_name) \
    FUNCTION(method_parameter_layout) \
    FUNCTION(method_parameter_name) \
    FUNCTION(method_parameter_ownership) \
    FUNCTION(method_parameter_type) \
    FUNCTION(method_result_layout) \
    FUNCTION(method_result_type) \
    FUNCTION(module_find) \
    FUNCTION(module_get_info) \
    FUNCTION(module_list) \
    FUNCTION(module_register) \
    FUNCTION(module_remove) \
    FUNCTION(modules_forward) \
    FUNCTION(modules_get_state) \
    FUNCTION(modules_remove_class) \
    FUNCTION(modules_start) \
    FUNCTION(modules_stop) \
    FUNCTION(observation_block) \
    FUNCTION(observation_get_counts) \
    FUNCTION(observation_get_info) \
    FUNCTION(observation_is_active) \
    FUNCTION(observation_remove) \
    FUNCTION(observation_remove_with) \
    FUNCTION(observation_unblock) \
    FUNCTION(observe) \
    FUNCTION(observe_bindings) \
    FUNCTION(observe_handler) \
    FUNCTION(observe_service) \
    FUNCTION(owner_create) \
    FUNCTION(owner_enter) \
    FUNCTION(owner_get_current) \
    FUNCTION(owner_get_info) \
    FUNCTION(owner_leave) \
    FUNCTION(owner_list) \
    FUNCTION(owner_list_observations) \
    FUNCTION(owner_name) \
    FUNCTION(owner_retire) \
    FUNCTION(property_compare_and_set) \
    FUNCTION(property_define) \
    FUNCTION(property_find) \
    FUNCTION(property_get) \
    FUNCTION(property_get_info) \
    FUNCTION(property_get_text) \
    FUNCTION(property_list) \
    FUNCTION(property_name) \
    FUNCTION(property_observe) \
    FUNCTION(property_remove) \
    FUNCTION(property_set) \
    FUNCTION(property_type) \
    FUNCTION(protocol_canonical_text) \
    FUNCTION(protocol_count_observers) \
    FUNCTION(protocol_define) \
    FUNCTION(protocol_define_objc) \
    FUNCTION(protocol_find) \
    FUNCTION(protocol_fingerprint) \
    FUNCTION(protocol_get_info) \
    FUNCTION(protocol_list) \
    FUNCTION(protocol_list_adopted) \
    FUNCTION(protocol_list_methods) \
    FUNCTION(protocol_list_observations) \
    FUNCTION(protocol_name) \
    FUNCTION(protocol_remove_observations) \
    FUNCTION(protocol_remove_observations_of) \
    FUNCTION(protocol_version) \
    FUNCTION(proxy_create) \
    FUNCTION(proxy_create_for) \
    FUNCTION(proxy_destroy) \
    FUNCTION(proxy_destroy_and_wait) \
    FUNCTION(proxy_fail) \
    FUNCTION(proxy_get_info) \
    FUNCTION(proxy_is_alive) \
    FUNCTION(proxy_list) \
    FUNCTION(queue_create) \
    FUNCTION(queue_descriptor) \
    FUNCTION(queue_destroy) \
    FUNCTION(queue_flush) \
    FUNCTION(queue_get_info) \
    FUNCTION(queue_is_current) \
    FUNCTION(queue_list) \
    FUNCTION(queue_main) \
    FUNCTION(queue_pause) \
    FUNCTION(queue_pump) \
    FUNCTION(queue_resume) \
    FUNCTION(queue_run) \
    FUNCTION(reference_count) \
    FUNCTION(reference_create) \
    FUNCTION(reference_release) \
    FUNCTION(reference_retain) \
    FUNCTION(scope_begin) \
    FUNCTION(scope_end) \
    FUNCTION(send) \
    FUNCTION(send_with) \
    FUNCTION(service_clear_data) \
    FUNCTION(service_find) \
    FUNCTION(service_find_provider) \
    FUNCTION(service_get) \
    FUNCTION(service_get_info) \
    FUNCTION(service_get_provider) \
    FUNCTION(service_list) \
    FUNCTION(service_register) \
    FUNCTION(service_remove) \
    FUNCTION(service_remove_instance) \
    FUNCTION(service_use_instance) \
    FUNCTION(service_wait) \
    FUNCTION(session_end) \
    FUNCTION(signal_bind) \
    FUNCTION(signal_remove_binding) \
    FUNCTION(signals_bind_usual) \
    FUNCTION(status_name) \
    FUNCTION(status_text) \
    FUNCTION(tap_create) \
    FUNCTION(tap_destroy) \
    FUNCTION(tap_get_info) \
    FUNCTION(tap_read) \
    FUNCTION(timer_create) \
    FUNCTION(timer_destroy) \
    FUNCTION(timer_fire) \
    FUNCTION(timer_get_info) \
    FUNCTION(timer_list) \
    FUNCTION(timer_restart) \
    FUNCTION(timer_start) \
    FUNCTION(timer_stop) \
    FUNCTION(timer_stop_and_wait) \
    FUNCTION(type_declare) \
    FUNCTION(type_describe) \
    FUNCTION(type_destroy) \
    FUNCTION(type_get_info) \
    FUNCTION(type_layout) \
    FUNCTION(type_list) \
    FUNCTION(type_set_codec) \
    FUNCTION(type_set_copy) \
    FUNCTION(type_set_object) \
    FUNCTION(use_release) \
    FUNCTION(use_retain) \
    FUNCTION(use_table) \
    FUNCTION(version)

extern void *peal_dl_library_;
extern char peal_dl_text_[1024];
PEAL_DL_SHARED_ void *peal_dl_library_ = NULL;
PEAL_DL_SHARED_ char peal_dl_text_[1024] = "";

/* Stands in every pointer until the library is loaded. */
PEAL_DL_SHARED_ void peal_dl_not_open_(void);
PEAL_DL_SHARED_ void peal_dl_not_open_(void)
{
    fprintf(stderr, "peal: a function of peal was called, but the library is not loaded%s%s: "
            "call peal_dl_open first, and do without peal where it returns false\n",
            peal_dl_text_[0] != 0 ? ", since " : "", peal_dl_text_);
    abort();
}

#define PEAL_DL_POINTER_(name)                                         \
    PEAL_DL_SHARED_ __typeof__(peal_loaded_##name) peal_loaded_##name = \
        (__typeof__(peal_loaded_##name))peal_dl_not_open_;
PEAL_DL_LIST_(PEAL_DL_POINTER_)
#undef PEAL_DL_POINTER_

/* The name of the first function that a loaded library lacks; NULL when it has all. */
PEAL_UNUSED static inline const char *peal_dl_lacks_(void *library)
{
#define PEAL_DL_LOOK_(name)                    \
    if (dlsym(library, "peal_" #name) == NULL) \
        return "peal_" #name;
    PEAL_DL_LIST_(PEAL_DL_LOOK_)
#undef PEAL_DL_LOOK_
    return NULL;
}

/* Fills one pointer. C has no cast from a pointer to data; POSIX promises that the bytes are the same. */
PEAL_UNUSED static inline void peal_dl_fill_(void *library, const char *name, void *out_pointer)
{
    void *symbol = dlsym(library, name);
    memcpy(out_pointer, &symbol, sizeof symbol);
}

/* glibc declares it for programs that define _GNU_SOURCE, as C++ compilers do. */
#if !defined(_GNU_SOURCE) && !defined(__cplusplus)
extern void *dlvsym(void *library, const char *name, const char *version);
#endif

/* Returns true if a loaded library has this interface, by its symbols and its name. */
PEAL_UNUSED static inline bool peal_dl_fits_(void *library)
{
    return dlvsym(library, "peal_version", "PEAL_" PEAL_DL_STRING_(PEAL_SOVERSION)) != NULL;
}

/* The version of a loaded library; 0 where it is no libpeal.so at all. */
PEAL_UNUSED static inline uint32_t peal_dl_version_of_(void *library)
{
    uint32_t (*version)(void) = NULL;
    peal_dl_fill_(library, "peal_version", (void *)&version);
    return version != NULL ? version() : 0;
}

/* Writes why the library of that name cannot be used. */
PEAL_UNUSED static inline void peal_dl_refuse_(
    const char *name, uint32_t version, const char *problem, const char *about)
{
    const unsigned number = version;
    snprintf(peal_dl_text_, sizeof peal_dl_text_,
             "%s is peal %u.%u.%u, and this program was built for peal %u.%u.%u: %s%s; install peal "
             "%u.%u or a later one that has " PEAL_DL_NAME,
             name, number / 10000, number / 100 % 100, number % 100, (unsigned)PEAL_VERSION_MAJOR,
             (unsigned)PEAL_VERSION_MINOR, (unsigned)PEAL_VERSION_PATCH, problem, about,
             (unsigned)PEAL_VERSION_MAJOR, (unsigned)PEAL_VERSION_MINOR);
}

/* Loads libpeal.so and all its functions. After a success, another call does
 * nothing. The library stays loaded until the process ends.
 *
 * path: *borrowed during the call*; the library's path, or a name for the loader to look for; NULL for
 *   PEAL_DL_NAME.
 * Returns true when all functions can be called. False when the library is missing, is no libpeal.so,
 * has another PEAL_SOVERSION, is older than these headers or lacks one of their functions: then nothing
 * is changed, and peal_dl_message() returns the remedy. Two versions that differ only in their last number
 * are equally old.
 * Thread rule: one thread at a time; no other calls peal meanwhile. Since 0.1. */
PEAL_UNUSED static inline bool peal_dl_open(const char *path)
{
    const char *name = path != NULL ? path : PEAL_DL_NAME;
    const char *lacking;
    const char *said;
    uint32_t version;
    void *library;

    if (peal_dl_library_ != NULL)
        return true;
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        said = dlerror();
        snprintf(peal_dl_text_, sizeof peal_dl_text_,
                 "peal cannot be loaded: %s: install peal, or give the path of " PEAL_DL_NAME,
                 said != NULL ? said : name);
        return false;
    }
    version = peal_dl_version_of_(library);
    lacking = peal_dl_lacks_(library);
    if (version == 0) {
        snprintf(peal_dl_text_, sizeof peal_dl_text_,
                 "'%s' is no library of peal, it has no peal_version: give the path of " PEAL_DL_NAME,
                 name);
    } else if (!peal_dl_fits_(library)) {
        peal_dl_refuse_(name, version, "it has another interface", "");
    } else if (lacking != NULL) {
        peal_dl_refuse_(name, version, "it has no ", lacking);
    } else if (version / 100 < PEAL_VERSION / 100) {
        peal_dl_refuse_(name, version, "it is too old", "");
    } else {
        peal_dl_library_ = library;
        peal_dl_text_[0] = 0;
#define PEAL_DL_FILL_(name) peal_dl_fill_(library, "peal_" #name, (void *)&peal_loaded_##name);
        PEAL_DL_LIST_(PEAL_DL_FILL_)
#undef PEAL_DL_FILL_
        return true;
    }
    dlclose(library);
    return false;
}

/* Returns true if peal_dl_open has succeeded.
 *
 * Thread rule: as peal_dl_open. Since 0.1. */
PEAL_UNUSED static inline bool peal_dl_is_open(void)
{
    return peal_dl_library_ != NULL;
}

/* A sentence about why the last peal_dl_open failed; empty where none has, or one has succeeded.
 *
 * Thread rule: as peal_dl_open. Since 0.1. */
PEAL_UNUSED static inline const char *peal_dl_message(void)
{
    return peal_dl_text_;
}

PEAL_END_DECLARATIONS

#endif
