# bad_plugins.sh LOGCAST FOLDER LOG STRAY: each invalid plugin is reported by name, and the run continues.
. "$(dirname "$0")/claims.sh"
logcast=$1
folder=$2
log=$3
stray=$4

run "$logcast" --plugins "$folder" "$log"
claim "logcast with invalid plugins ends with 1" same 1 "$code"
claim "logcast with invalid plugins reads the log" has "$out" "$(awk 'END { print NR }' "$log" | sed 's/\(.*\)\(...\)$/\1,\2/') lines"
claim "the valid plugin works beside invalid ones" has "$out" "    by hour"
claim "each invalid plugin is reported once" same 8 "$(grep -c '^logcast: plugin .* skipped: ' "$err")"

reports() { # PLUGIN PATTERN
    claim "$1: $2" grep -qE -- "^logcast: plugin $1 skipped: .*$2" "$err"
}
reports no_entry.so 'no function logcast_plugin'
reports no_table.so 'gives no table'
reports wrong_size.so 'its table has [0-9]+ bytes, not [0-9]+'
reports text.so '(invalid ELF header|file too short)'
reports unresolved.so 'logcast_no_such_function'
reports no_report 'report'
reports wrong_sink 'LogSink'
reports refuses 'it did not start'

mkdir "$work/stray"
cp "$stray" "$work/stray"
run "$logcast" --plugins "$work/stray" --reload-every 1500 --check-pointers "$log"
claim "a plugin that does not remove its observer is reported, at its reload and at the end" same 2 \
    "$(grep -c '^logcast: stray: not unloaded: peal still has its observer of LogSink.line$' "$err")"
claim "a plugin that does not remove its observer stays loaded, and its observer is called" has "$out" "    received"
claim "logcast with a plugin that does not remove its observer ends with 1" same 1 "$code"
finish
