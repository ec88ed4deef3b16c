# bad_plugins.sh LOGCAST FOLDER LOG STRAY: plugins that are none are told by name; the run goes on.
. "$(dirname "$0")/claims.sh"
logcast=$1
folder=$2
log=$3
stray=$4

run "$logcast" --plugins "$folder" "$log"
claim "ends with 1" same 1 "$code"
claim "the log is read" has "$out" "$(awk 'END { print NR }' "$log" | sed 's/\(.*\)\(...\)$/\1,\2/') lines"
claim "the good plugin works" has "$out" "    by hour"
claim "each bad one is told once" same 8 "$(grep -c '^logcast: plugin .* skipped: ' "$err")"

told() { # PLUGIN PATTERN
    claim "$1: $2" grep -qE -- "^logcast: plugin $1 skipped: .*$2" "$err"
}
told no_entry.so 'no function logcast_plugin'
told no_table.so 'gives no table'
told wrong_size.so 'its table has [0-9]+ bytes, not [0-9]+'
told text.so '(invalid ELF header|file too short)'
told unresolved.so 'logcast_no_such_function'
told no_report 'report'
told wrong_sink 'LogSink'
told refuses 'it did not start'

mkdir "$work/stray"
cp "$stray" "$work/stray"
run "$logcast" --plugins "$work/stray" --reload-every 1500 --check-pointers "$log"
claim "a plugin that leaves an observer behind is told, at its reload and at the end" same 2 \
    "$(grep -c '^logcast: stray: not unloaded: peal still has its observer of LogSink.line$' "$err")"
claim "it stays loaded: what it left is called, and the run goes on" has "$out" "    heard"
claim "and ends with 1" same 1 "$code"
finish
