# hangup.sh LOGCAST FIRST SECOND OTHER: SIGHUP reloads. FIRST and SECOND are versions of a plugin, OTHER
# is one that keeps another state.
#
# Pipes tell when something has happened: nothing here waits for time to pass.
. "$(dirname "$0")/claims.sh"
logcast=$1
first=$2
second=$3
other=$4
cd "$work" || exit 1
mkdir plugins
mkfifo one two told complaints
# Open at both ends: so they have no end, and nobody waits for the other to open them.
exec 4<>complaints 5<>told
echo "This is no library." >text

put() { # FILE: as an installation does it; what is loaded keeps its own file
    cp "$1" plugins/new
    mv plugins/new plugins/version.so
}
reload() {
    kill -HUP "$process"
}
tells() { # VERSION
    read -r version <&5
    same "$1" "$version"
}

put "$first"
"$logcast" --plugins plugins --check-pointers --version.tell told one two >out 2>err &
process=$!
claim "the first version starts" tells 1
exec 3>one
printf 'a\nb\n' >&3
put "$second"
reload
claim "SIGHUP loads the second, also while there is nothing to read" tells 2
printf 'c\nd\nhalf a ' >&3
reload
claim "in the midst of a line too" tells 2
printf 'line\n' >&3
exec 3>&-
exec 3>two
printf 'e\n' >&3
put "$first"
reload
claim "and in the next source" tells 1
printf 'f\n' >&3
exec 3>&-
wait "$process"
claim "ends with 0" same 0 "$?"
claim "no line is lost, none counted twice" has out "    version 1, 7 lines"
claim "the reloads are told" grep -qE '^    version +3 times in ' out
claim "nothing is on standard error" is_empty err

put "$first"
"$logcast" --plugins plugins --check-pointers --version.tell told one >out 2>complaints &
process=$!
claim "the first version starts again" tells 1
exec 3>one
put text
reload
read -r complaint <&4
echo "$complaint" >first
claim "what is no plugin any more is told" has first "logcast: plugin version skipped: plugins/version.so"
put "$second"
reload
claim "a later reload brings it back" tells 2
put "$other"
reload
read -r complaint <&4
claim "a version with another state says that it begins anew" same \
    "logcast: version: it has changed, and cannot read what it kept: it begins anew" "$complaint"
claim "and starts" tells 3
printf 'a\nb\n' >&3
exec 3>&-
wait "$process"
claim "ends with 1: there was trouble" same 1 "$?"
claim "the lines since then are counted" has out "    version 3, 2 lines"
finish
