# options.sh LOGCAST TERMINAL: the command line, and the output on a terminal.
. "$(dirname "$0")/claims.sh"
logcast=$1
terminal=$2

run "$logcast" --help
claim "--help prints the usage" has "$out" "usage: logcast"
claim "--help ends with 0" same 0 "$code"
run "$logcast" --version
claim "--version prints the version" grep -qE '^logcast [0-9]+\.[0-9]+\.[0-9]+, with peal [0-9]+\.[0-9]+' "$out"
run "$logcast" --list
claim "--list names the plugins' options" has "$out" "--filter.keep PATTERN"

for bad in --nonsense -x --reload-every --reload-every=0 --report-every --report-every=0 --report-every=0.5 \
    --check-pointers=yes --line-limit --line-limit=0 \
    --plugins --time=yes --filter.keep --filter.nothing=1 --absent.option=1 '--no-plugins --filter.keep=x'; do
    # shellcheck disable=SC2086 # some are two
    run "$logcast" $bad
    claim "$bad: logcast ends with 2" same 2 "$code"
    claim "$bad: the mistake is reported" grep -q '^logcast: --*[a-z]' "$err"
    claim "$bad: logcast prints nothing else" is_empty "$out"
done

run "$logcast" --no-plugins "$(generate 100000)"
claim "without plugins each line is read and kept" has "$out" "generated-100000: 100,000 lines, 5.6 MiB"
claim "without plugins and without a terminal, standard error is empty" is_empty "$err"
run "$logcast" --no-plugins "$(generate 0)"
claim "an empty log is no error" same 0 "$code"
run "$logcast" --no-plugins "$(generate 100)" --reload-every 1
claim "--reload-every without plugins is no error" same 0 "$code"
run "$logcast" "$(generate 1000)" --reload-every 100 --time
claim "the summary has the reloads" same 10 \
    "$(sed -n 's/^ .* \([0-9]*\) times in .*/\1/p' "$out" | awk '{ sum += $1 } END { print sum }')"
claim "--time prints the time of reloads" grep -qE '^    \(reloads\) +[0-9.]+ ms' "$out"
run "$logcast" --plugins "$work/nowhere" "$(generate 1)"
claim "a missing folder of plugins is reported" has "$err" "nowhere: No such file or directory"
claim "with a missing folder of plugins the run continues and ends with 1" same 1 "$code"
run "$logcast" --time --filter.drop trigproc "$(generate 1000)"
claim "--time prints the time of each plugin" same 2 "$(grep -cE '^    (counts|filter) +[0-9.]+ ms +[0-9.]+ %' "$out")"

# Lines are written until progress is shown, since the log is read later than written on a busy machine.
run sh -c '(tries=0; until grep -q lines "$3" || [ $tries -ge 600 ]; do echo a; sleep 0.05; tries=$((tries + 1)); done) |
    "$1" "$2" --no-plugins -' sh "$terminal" "$logcast" "$work/out"
claim "a terminal shows progress" grep -qE 'standard input: [0-9,]+ lines' "$out"
claim "the progress line is erased at the end" same 1 "$(tail -c 4 "$out" | grep -c '\[K')"
run sh -c '(echo a; sleep 0.3; echo b) | "$1" --no-plugins -' sh "$logcast"
claim "without a terminal no progress is printed" is_empty "$err"

begun=$(date +%s)
run sh -c '(i=0; while [ $i -lt 400 ]; do echo $i; sleep 0.002; i=$((i + 1)); done) |
    "$1" "$2" --no-plugins -' sh "$terminal" "$logcast"
most=$((($(date +%s) - begun + 1) * 10 + 1))
claim "progress is printed at most ten times per second" [ "$(tr '\r' '\n' <"$out" | grep -c lines)" -le "$most" ]
finish
