# edges.sh LOGCAST: unusual inputs and environments.
. "$(dirname "$0")/claims.sh"
logcast=$1
cd "$work" || exit 1

lines() { # the number of lines that the first summary has
    sed -n '1s/.*: \([0-9,]*\) lines.*/\1/p' "$out" | tr -d ,
}

: >empty
run "$logcast" empty
claim "an empty file has no lines" same "0 0" "$code $(lines)"

printf 'one\ntwo' >unended
run "$logcast" unended
claim "the last line needs no newline" same "0 2" "$code $(lines)"

printf '\n\n\n' >blank
run "$logcast" blank
claim "empty lines are lines" same "0 3" "$code $(lines)"
claim "empty lines have no first word" has "$out" "(nothing)"

printf 'alpha\r\nbeta\r\n' >crlf
run "$logcast" --filter.keep '^(alpha|beta)$' crlf
claim "a carriage return before the newline is no part of the line" has "$out" "kept 2, dropped 0"

printf 'a\0b one\na\0c two\n\0\n' >zeros
run "$logcast" --filter.keep 'b one$' --filter.keep 'c two$' zeros
claim "a line may contain zero bytes, and patterns match the bytes after them" has "$out" "kept 2, dropped 1"
claim "logcast prints no zero byte" same 0 "$(tr -cd '\000' <"$out" | wc -c | tr -d ' ')"

awk 'BEGIN { for (i = 0; i < 300000; i++) printf "0123456789"; print ""; print "short" }' >long
run "$logcast" --counts.top 5 long
claim "a line of three million bytes is cut and counted" has "$out" "cut short 1"
claim "the line after a line that was cut is read" same "0 2" "$code $(lines)"
run "$logcast" --line-limit 4000000 long
claim "a line below a higher limit is not cut" [ "$(grep -c 'cut short' "$out")" -eq 0 ]
run "$logcast" --line-limit 5 --filter.keep '^short$' --filter.keep '^01234$' long
claim "a line above the limit is cut, and a line of exactly the limit is not" has "$out" \
    "kept 2, dropped 0, cut short 1"
printf '12345\r\n123456\r\n' >tight
run "$logcast" --line-limit 5 tight
claim "a carriage return does not count against the limit" has "$out" "cut short 1"
printf '123456789' >./tail
run "$logcast" --line-limit 5 tail
claim "a last line without a newline is cut at the limit" has "$out" "cut short 1"
run sh -c '(printf 123456; sleep 0.2; printf "789\n"; sleep 0.2; printf "ab\n") |
    "$1" --line-limit 4 --filter.keep "^1234$" --filter.keep "^ab$" -' sh "$logcast"
claim "the pieces of a line that arrive separately are joined" has "$out" "kept 2, dropped 0, cut short 1"

run "$logcast" .
claim "a directory is an error" same 1 "$code"
claim "the error names the directory" has "$err" "logcast: .: Is a directory"
run "$logcast" missing unended
claim "a missing file is an error" same 1 "$code"
claim "the error names the missing file" has "$err" "logcast: missing: No such file or directory"
claim "after a missing file the next file is read" same 2 "$(lines)"
if [ "$(id -u)" -ne 0 ]; then
    : >closed
    chmod 000 closed
    run "$logcast" closed
    claim "an unreadable file is an error" has "$err" "logcast: closed: Permission denied"
fi
run sh -c '"$1" - <&-' sh "$logcast"
claim "closed standard input is an error" has "$err" "logcast: standard input: Bad file descriptor"
claim "closed standard input ends logcast with 1" same 1 "$code"

run sh -c '"$1" unended >&-' sh "$logcast"
claim "closed standard output is an error" has "$err" "logcast: standard output: Bad file descriptor"
claim "closed standard output ends logcast with 1" same 1 "$code"
# A pipe for which this shell has the only reader, until it closes it.
mkfifo unread
run sh -c 'exec 3<>unread 4>unread 3<&-; "$1" unended >&4; echo $? >code' sh "$logcast"
claim "a closed pipe ends logcast with 1, and not by a signal" same 1 "$(cat code)"
claim "a closed pipe is reported" has "$err" "logcast: standard output: Broken pipe"
if [ -c /dev/full ]; then
    run sh -c '"$1" unended >/dev/full' sh "$logcast"
    claim "a full device is an error" has "$err" "logcast: standard output: No space left on device"
    run sh -c '"$1" --help >/dev/full' sh "$logcast"
    claim "--help on a full device ends with 1" same 1 "$code"
fi

mkfifo pipe
"$logcast" - <pipe >out 2>err &
process=$!
exec 3>pipe
printf 'one\ntwo\nhalf a li' >&3
# It waits for more once it has read these. Some systems do not show it.
looks=0
until grep -q poll "/proc/$process/wchan" || [ "$((looks += 1))" -gt 500 ]; do
    sleep 0.01
done
kill -TERM "$process"
wait "$process"
code=$?
exec 3>&-
out=$work/out
claim "a signal ends logcast with the code of the signal" same 143 "$code"
claim "after a signal the report has all whole lines that were read" same 2 "$(lines)"
finish
