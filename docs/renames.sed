# Public names that have changed, old to new, for programs that were written for an earlier version. Apply it once, to all
# files of such a program together:
#
#     sed -i -E -f docs/renames.sed *.c *.h *.cpp *.hpp
#
# Do not convert a file again that already has the new names, because peal_service_remove is both an old and a new name.
# Entries are in the order in which they must be applied. Members are only renamed if their name is used for nothing else.
# CHANGELOG.md has the others.

# 0.1.0: one verb to read about an object
s/\bpeal_module_ask\b/peal_module_get_info/g
s/\bpeal_modules_ask\b/peal_modules_get_state/g
s/\bpeal_observation_ask\b/peal_observation_get_info/g
s/\bpeal_queue_read_counts\b/peal_queue_get_info/g
s/\bpeal_queue_counts\b/peal_queue_info/g
s/\bpeal_service_ask\b/peal_service_get_info/g
s/\bpeal_timer_read\b/peal_timer_get_info/g
s/\bpeal_timer_facts\b/peal_timer_info/g
s/\bpeal_completion_report\b/peal_completion_info/g

# 0.1.0: destroy, remove, release and cancel end things
s/\bpeal_completion_drop\b/peal_completion_release/g
s/\bpeal_service_remove\b/peal_service_remove_instance/g
s/\bpeal_service_unregister\b/peal_service_remove/g
s/\bpeal_unobserve\b/peal_protocol_remove_observations_of/g
s/\bpeal_unobserve_all\b/peal_protocol_remove_observations/g
s/\bpeal_signal_unbind\b/peal_signal_remove_binding/g
s/\bservice_removed\b/service_instance_removed/g
s/\bservice_unregistered\b/service_removed/g
s/\bpeal_use_end\b/peal_use_release/g
s/\bpeal_forget_failure\b/peal_clear_failure/g
s/\bpeal_proxy_destroy_wait\b/peal_proxy_destroy_and_wait/g
s/\bpeal_entries_let_go\b/peal_entries_release/g
s/\bstruct peal_hold\b/struct peal_hazard/g

# 0.1.0: C++
s/\btry_remove\(\)/try_remove_instance()/g
s/\btry_unregister\(\)/try_remove()/g
s/\bpeal::nobody\b/peal::no_target/g
s/\.hears\(/.observes(/g

# 0.1.0: handles are created and destroyed, and an inspection is started and stopped
s/\bpeal_tap_open\b/peal_tap_create/g
s/\bpeal_tap_close\b/peal_tap_destroy/g
s/\bpeal_bridge_open\b/peal_bridge_create/g
s/\bpeal_bridge_close\b/peal_bridge_destroy/g
s/\bpeal_recorder_open\b/peal_recorder_create/g
s/\bpeal_recorder_close\b/peal_recorder_destroy/g
s/\bpeal_replay_open\b/peal_replay_create/g
s/\bpeal_replay_close\b/peal_replay_destroy/g
s/\bpeal_inspection_open\b/peal_inspection_start/g
s/\bpeal_inspection_close\b/peal_inspection_stop/g

# 0.1.0: what the calling thread is in is read by peal_<noun>_get_current
s/\bpeal_owner_current\b/peal_owner_get_current/g
s/\bpeal_bridge_current_call\b/peal_imported_call_get_current/g

# 0.1.0: the member of struct peal_completion_info. The pointer to it has a name of the program's, so look at each change
s/\binfo->asked\b/info->observers/g
s/\binfo\.asked\b/info.observers/g
