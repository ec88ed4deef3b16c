#!/bin/sh
# check_harness.sh <harness_fails>: proves that the harness reports failures.
program=$1
output=$("$program" harness_fails.c)
status=$?
problems=0

expect() {
    if ! printf '%s\n' "$output" | grep -qF -- "$1"; then
        echo "the harness does not say: $1"
        problems=1
    fi
}

[ "$status" -eq 1 ] || { echo "the program ended with $status, not 1"; problems=1; }
last=$(printf '%s\n' "$output" | tail -n 1)
[ "$last" = "1 passed, 12 failed" ] || { echo "the last line is: $last"; problems=1; }
expect 'harness_fails.c:10: 1 == 2: does not hold'
expect 'is 41, not 42'
expect 'is 0.5, not 0.25'
expect 'is "ding", not "dong"'
expect 'is "ding", without "dong"'
expect 'is PEAL_ERROR_HANDLE, not PEAL_OK'
expect 'is not kept as the thread'
expect 'is "ding", not "ding dong"'
expect 'FAILED: nothing was checked'
expect 'FAILED: 1 of 3 checks'
if printf '%s\n' "$output" | grep -q '"the claim"'; then
    echo "a requirement did not leave its claim"
    problems=1
fi

output=$("$program" H13)
[ $? -eq 0 ] || { echo "a good claim alone does not pass"; problems=1; }
[ "$(printf '%s\n' "$output" | tail -n 1)" = "1 passed, 0 failed" ] || problems=1

output=$("$program" no-such-claim)
[ $? -eq 1 ] || { echo "a run without claims passes"; problems=1; }

# Each file has a process of its own, and the counts are added.
output=$("$program")
[ $? -eq 1 ] || { echo "claims of two files pass"; problems=1; }
[ "$(printf '%s\n' "$output" | tail -n 1)" = "1 passed, 13 failed" ] || { echo "the counts are not added"; problems=1; }
expect 'FAILED: the process of harness_dies.c ended by signal 9'
output=$("$program" harness_fails.c H13)
[ "$(printf '%s\n' "$output" | tail -n 1)" = "1 passed, 0 failed" ] || { echo "a claim of a file does not pass"; problems=1; }

[ "$problems" -eq 0 ] || { printf '%s\n' "$output"; exit 1; }
echo "the harness fails what must fail"
