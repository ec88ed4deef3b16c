# packages.sh LOGCAST CLERK MARKS LOG: the parser's broadcasts reach all observers of LogFields.
. "$(dirname "$0")/claims.sh"
logcast=$1
clerk=$2
marks=$3
log=$4
cd "$work" || exit 1
mkdir both neither
cp "$(dirname "$logcast")"/plugins/packages.so "$(dirname "$logcast")"/plugins/filter.so both
cp both/*.so neither
cp "$clerk" both

# Prints the rows under a heading of the report as "key count".
rows() {
    awk -v heading="    $1" '
        $0 == heading { on = 1; next }
        on && !/^        / { exit }
        on { count = $(NF - 2); gsub(",", "", count); print $1, count }' "$out" | sort
}
actions='^(install|upgrade|configure|trigproc|disappear|remove|purge)$'
# awk parses the log independently: "state WORD PACKAGE VERSION", "action ...", "other LINE".
awk -v actions="$actions" '
    NF == 6 && $3 == "status" { print "state", $4, $5, $6; next }
    NF == 6 && $3 ~ actions { print "action", $3, $4, $6 == "<none>" ? $5 : $6; next }
    { print "other", $0 }' "$log" >fields
kinds() { grep -c "^$1 " "$2"; }
count() { # COLUMN KIND: how often each word of the column is there
    awk -v column="$1" -v kind="$2" '
        $1 ~ kind { n[$column]++ } END { for (k in n) print k, n[k] }' fields | sort
}

run "$logcast" --plugins both --packages.top 65536 --check-pointers "$log"
claim "logcast with the plugin packages ends with 0" same 0 "$code"
claim "logcast with the plugin packages prints nothing on standard error" is_empty "$err"
claim "the log has all three kinds of lines" same "action other state" \
    "$(cut -d ' ' -f 1 fields | sort -u | tr '\n' ' ' | sed 's/ $//')"
claim "each line was broadcast once, as its kind" same \
    "    $(kinds state fields) states, $(kinds action fields) actions, $(kinds other fields) other lines" \
    "$(grep ' other lines$' "$out" | sed 's/\([0-9]\),\([0-9]\)/\1\2/g')"
claim "the counted states are those that awk counts" same "$(count 2 state)" "$(rows 'by state')"
claim "the counted actions are those that awk counts" same "$(count 2 action)" "$(rows 'by action')"
claim "the counted packages are those that awk counts" same "$(count 3 '^(state|action)$')" "$(rows 'by package')"
# The texts without the kind and the blanks between them, and the whole of other lines.
sed -e 's/^other //;t' -e 's/^[a-z]* //;s/ //g' fields | tr -d '\n' >texts
claim "another observer, on a queue, has received the same bytes" same \
    "    wrote $(kinds state fields) states, $(kinds action fields) actions, $(kinds other fields) others, $(wc -c <texts) bytes, sum $(od -An -v -tu1 texts | awk '{ for (i = 1; i <= NF; i++) sum += $i } END { print sum }')" \
    "$(grep '^    wrote ' "$out")"

run "$logcast" --plugins both --packages.top 2 "$log"
claim "packages.top limits the printed packages, and the other packages are summed up" same 3 \
    "$(sed -n '/by package/,$p' "$out" | grep -c '^        ')"
run "$logcast" --plugins both --packages.top 1 --filter.keep ' startup ' "$log"
claim "only kept lines are parsed" same \
    "    0 states, 0 actions, $(grep -c ' startup ' "$log") other lines" \
    "$(grep ' other lines$' "$out")"
for bad in 0 65537 x; do
    run "$logcast" --plugins neither --packages.top "$bad" "$log"
    claim "--packages.top $bad: the mistake is reported" has "$err" "logcast: packages: top must be a number from 1 to 65536"
    claim "--packages.top $bad: the run continues and ends with 1" same 1 "$code"
done

run "$logcast" --plugins neither --time "$log"
claim "without observers, no line is parsed" [ "$(grep -c '(fields)' "$out")" -eq 0 ]
run "$logcast" --plugins neither --packages.top 1 --time "$log"
claim "with an observer, --time prints the time of parsing" grep -qE '^    \(fields\) +[0-9.]+ m?s' "$out"

run "$logcast" --plugins neither --packages.top 65536 "$(generate 20000)"
sed -n '/^packages$/,/^$/p' "$out" >still
run "$logcast" --plugins neither --packages.top 65536 "$(generate 20000)" --reload-every 100 --check-pointers
claim "two hundred reloads do not change the report of packages" same "$(cat still)" \
    "$(sed -n '/^packages$/,/^$/p' "$out")"
claim "the report of packages has the number of other lines" has still "other lines"
claim "two hundred reloads of packages print nothing on standard error" is_empty "$err"

# An observer of LogFields may be added in the middle of the log. `marks` reports each line that it receives.
cp "$marks" neither
# The new configuration requests a report as well: once it is printed, all plugins are reloaded.
mkfifo stream marked announced
exec 4<>marked 5<>announced
echo "marks.pipe = marked" >my.conf
"$logcast" --plugins neither --config my.conf - <stream >out 2>announced &
process=$!
exec 3>stream
printf '2026-05-09 07:12:44 install early:all <none> 1\nmark 1\n' >&3
read -r mark <&4
claim "logcast reads the stream while LogFields has no observers" same "mark 1" "$mark"
printf 'packages.top = 9\nreport-every = 1\n' >>my.conf
kill -HUP "$process"
read -r announced <&5
claim "SIGHUP reloads the plugins, and packages observes" same "logcast: 2 lines, 2 kept, 0 lines a second" "$announced"
printf '2026-05-09 07:12:45 install late:all <none> 1\n' >&3
exec 3>&-
wait "$process"
claim "logcast ends with 0 after packages was loaded" same 0 "$?"
out=$work/out
claim "packages receives the lines after it was loaded" same "late:all 1" "$(rows 'by package')"
finish
