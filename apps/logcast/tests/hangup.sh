# hangup.sh LOGCAST FIRST SECOND OTHER: SIGHUP reloads the plugins. FIRST and SECOND are versions of a plugin, and OTHER
# is a version that keeps another state.
#
# The test waits for lines in pipes, and never sleeps.
. "$(dirname "$0")/claims.sh"
logcast=$1
first=$2
second=$3
other=$4
cd "$work" || exit 1
mkdir plugins
mkfifo one two announced complaints
# The pipes are opened for reading and writing, so a reader never finds the end, and opening does not block.
exec 4<>complaints 5<>announced
echo "This is no library." >text

put() { # FILE: as an installation does it; a loaded plugin keeps its own file
    cp "$1" plugins/new
    mv plugins/new plugins/version.so
}
reload() {
    kill -HUP "$process"
}
starts() { # VERSION
    read -r version <&5
    same "$1" "$version"
}

put "$first"
"$logcast" --plugins plugins --check-pointers --version.pipe announced one two >out 2>err &
process=$!
claim "logcast starts the first version of the plugin" starts 1
exec 3>one
printf 'a\nb\n' >&3
put "$second"
reload
claim "SIGHUP loads the second version while no line arrives" starts 2
printf 'c\nd\nhalf a ' >&3
reload
claim "SIGHUP loads the second version while half a line has arrived" starts 2
printf 'line\n' >&3
exec 3>&-
exec 3>two
printf 'e\n' >&3
put "$first"
reload
claim "SIGHUP loads the first version in the next source" starts 1
printf 'f\n' >&3
exec 3>&-
wait "$process"
claim "logcast ends with 0 after reloads by SIGHUP" same 0 "$?"
claim "reloads by SIGHUP lose no line and count no line twice" has out "    version 1, 7 lines"
claim "the summary has the reloads by SIGHUP" grep -qE '^    version +3 times in ' out
claim "reloads by SIGHUP print nothing on standard error" is_empty err

put "$first"
"$logcast" --plugins plugins --check-pointers --version.pipe announced one >out 2>complaints &
process=$!
claim "logcast starts the first version of the plugin again" starts 1
exec 3>one
put text
reload
read -r complaint <&4
echo "$complaint" >first
claim "a file that has become no plugin is reported" has first "logcast: plugin version skipped: plugins/version.so"
put "$second"
reload
claim "a later reload starts the plugin again" starts 2
put "$other"
reload
read -r complaint <&4
claim "a version with another state reports that it starts without it" same \
    "logcast: version: its saved state is from another version: it starts without it" "$complaint"
claim "a version with another state starts" starts 3
printf 'a\nb\n' >&3
exec 3>&-
wait "$process"
claim "after a file that was no plugin, logcast ends with 1" same 1 "$?"
claim "the last version counts the lines since its start" has out "    version 3, 2 lines"
finish
