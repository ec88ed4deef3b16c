# counts.sh LOGCAST LOG: the counts of logcast equal those of awk and wc.
. "$(dirname "$0")/claims.sh"
logcast=$1
log=$2

# Prints the rows under a heading of the report as "key count".
rows() {
    awk -v heading="    $1" '
        $0 == heading { on = 1; next }
        on && !/^        / { exit }
        on {
            sub(/ +[0-9.]+ %$/, "")
            count = $NF
            gsub(",", "", count)
            sub(/ +[0-9,]+$/, "")
            sub(/^ +/, "")
            print $0, count
        }' "$out"
}

run "$logcast" --counts.top 65536 "$log"
claim "logcast with the plugin counts ends with 0" same 0 "$code"
claim "logcast with the plugin counts prints nothing on standard error" is_empty "$err"
claim "the summary has the number of lines" same \
    "$(wc -l <"$log" | tr -d ' ')" \
    "$(sed -n '1s/.*: \([0-9,]*\) lines.*/\1/p' "$out" | tr -d ,)"
claim "counts has the lines of each hour" same \
    "$(awk '{ n[$1 " " substr($2, 1, 2)]++ } END { for (k in n) print k, n[k] }' "$log" | sort)" \
    "$(rows 'by hour' | sort)"
claim "counts has the lines of each first word" same \
    "$(awk '{ n[$3]++ } END { for (k in n) print k, n[k] }' "$log" | sort)" \
    "$(rows 'by first word' | sort)"

run "$logcast" --counts.words=2 --counts.top 65536 "$log"
claim "counts has the lines of each pair of first words" same \
    "$(awk '{ n[$3 " " $4]++ } END { for (k in n) print k, n[k] }' "$log" | sort)" \
    "$(rows 'by first words' | sort)"

run "$logcast" --counts.top 2 "$log"
claim "counts sums up the words that it does not print" same \
    "$(awk '{ n[$3]++ } END { for (k in n) print n[k] }' "$log" | sort -rn |
        awk 'NR > 2 { sum += $1 } END { print "(others)", sum }')" \
    "$(rows 'by first word' | tail -n 1)"

run "$logcast" --counts.words 9 "$log"
claim "an invalid option of a plugin ends logcast with 1" same 1 "$code"
claim "the report of an invalid option names it" has "$err" "logcast: counts: words must be a number from 1 to 8"

run "$logcast" --filter.keep 'status installed ' --filter.keep ' trigproc ' --filter.drop lib "$log"
claim "the filter keeps the lines that grep keeps" same \
    "$(grep -E 'status installed | trigproc ' "$log" | grep -vc lib)" \
    "$(sed -n 's/^    kept \([0-9,]*\),.*/\1/p' "$out" | tr -d ,)"
claim "counts has only lines that are kept" same \
    "$(grep -E 'status installed | trigproc ' "$log" | grep -v lib |
        awk '{ n[$3]++ } END { for (k in n) print k, n[k] }' | sort)" \
    "$(rows 'by first word' | sort)"
claim "the filter counts the matches of each pattern" same \
    "$(grep -c lib "$log")" \
    "$(sed -n 's/^ *drop lib *matched *//p' "$out" | tr -d ,)"

run "$logcast" --filter.keep 'a(b' "$log"
claim "an invalid pattern ends logcast with 1" same 1 "$code"
claim "the report of an invalid pattern has its text" has "$err" 'logcast: filter: pattern "a(b": '
claim "a filter that cannot be read keeps no line" has "$out" "    kept 0, dropped"
claim "a filter that cannot be read reports that it keeps no line" has "$err" "logcast: filter: keeps no line"

cat "$log" "$log" >"$work/twice.log"
run "$logcast" "$log" "$work/twice.log"
claim "the summary adds up several logs" same \
    "$(($(wc -l <"$log") * 3))" \
    "$(sed -n 's/^all: \([0-9,]*\) lines.*/\1/p' "$out" | tr -d ,)"

run "$logcast" - <"$log"
claim "logcast reads standard input" has "$out" "standard input: "
run sh -c 'cat "$2" | "$1" -' sh "$logcast" "$log"
claim "logcast reads a pipe" same \
    "$(wc -l <"$log" | tr -d ' ')" \
    "$(sed -n '1s/.*: \([0-9,]*\) lines.*/\1/p' "$out" | tr -d ,)"

run "$logcast" --time "$log"
claim "--time prints the time of each plugin" grep -qE '^    counts +[0-9.]+ ms +[0-9.]+ %$' "$out"
claim "--time prints no time of lines without a plugin" [ "$(grep -c '^    others' "$out")" -eq 0 ]
finish
