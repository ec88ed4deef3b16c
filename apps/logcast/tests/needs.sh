# needs.sh LOGCAST FOLDER WITNESS: plugins start after those that they need, whatever the names of their files.
# Plugins that cannot start are reported, and the run continues.
. "$(dirname "$0")/claims.sh"
logcast=$1
folder=$2
witness=$3

# Prints the modules in start order or in stop order.
started() {
    sed -n '/^modules/,/^$/s/^    \([^ ]*\) .*started at.*/\1/p' "$out" | tr '\n' ' '
}
stopped() {
    sed -n '/^modules/,/^$/s/^    \([^ ]*\) .*stopped as *\([0-9]*\) .*/\2 \1/p' "$out" | sort -n |
        sed 's/.* //' | tr '\n' ' '
}
good() { # NAME...: their files
    rm -rf "$work/plugins"
    mkdir "$work/plugins"
    for name; do
        cp "$folder/$name.so" "$work/plugins"
    done
}

good a-last b-middle c-first
run "$logcast" --plugins "$work/plugins" "$(generate 10)" --explain
claim "plugins with dependencies print nothing on standard error" is_empty "$err"
claim "each plugin starts after its dependencies, against the order of the files" same \
    "configuration statistics reading c-first b-middle a-last " "$(started)"
claim "plugins stop in reverse start order" same \
    "a-last b-middle c-first reading statistics configuration " "$(stopped)"
claim "--explain prints the dependencies of a plugin" grep -qE '^    a-last .* needs b-middle, c-first$' "$out"
run "$logcast" --plugins "$work/plugins" --list
claim "--list prints the dependencies of a plugin" has "$out" "    needs b-middle, c-first"

# Each reload of the first plugin reloads the other two.
run "$logcast" --plugins "$work/plugins" "$(generate 90)" --reload-every 10 --check-pointers --explain
claim "logcast with reloads of dependencies ends with 0" same 0 "$code"
claim "dependents of a plugin are reloaded with it" grep -qE '^    a-last +3 times in .*, and 6 with' "$out"
claim "a dependency is not reloaded with its dependents" grep -qE '^    c-first +3 times in [^,]*$' "$out"
claim "reloads do not change the start order" same \
    "configuration statistics reading c-first b-middle a-last " "$(started)"
claim "reloads do not change the stop order" same \
    "a-last b-middle c-first reading statistics configuration " "$(stopped)"

cp "$folder"/*.so "$witness" "$work/plugins"
run "$logcast" --plugins "$work/plugins" "$(generate 1000)" --explain
reports() { # PLUGIN TEXT
    claim "$1: $2" has "$err" "logcast: plugin $1 skipped: $2"
}
reports lonely "it needs absent, which is not there"
reports ring-1 "it needs itself: ring-1, ring-2, ring-3, ring-1"
reports ring-2 "it needs itself: ring-2, ring-3, ring-1, ring-2"
reports ring-3 "it needs itself: ring-3, ring-1, ring-2, ring-3"
reports selfish "it needs itself: selfish, selfish"
reports behind-ring "it needs ring-1, which does not run"
reports behind-broken "it needs broken, which does not run"
claim "broken: the report states that it did not start" grep -q '^logcast: plugin broken skipped: .*it did not start' "$err"
claim "only the plugins that cannot start are reported" same 8 "$(wc -l <"$err" | tr -d ' ')"
claim "the run continues without the plugins that cannot start" has "$out" "generated-1000: 1,000 lines"
claim "the plugins that can start are started" same "configuration statistics reading c-first witness b-middle a-last " \
    "$(started)"
claim "logcast with plugins that cannot start ends with 1" same 1 "$code"
finish
