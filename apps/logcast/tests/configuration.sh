# configuration.sh LOGCAST VERSION: options in a file, which SIGHUP reads again.
. "$(dirname "$0")/claims.sh"
logcast=$1
version=$2
cd "$work" || exit 1
printf 'alpha\nbeta\ngamma\n' >log

cat >good.conf <<'END'
# What the command line can say.

filter.drop = alph
  filter.drop=beta   
line-limit = 4
END
run "$logcast" --config good.conf log
claim "logcast with a configuration file ends with 0" same 0 "$code"
claim "logcast with a configuration file prints nothing on standard error" is_empty "$err"
claim "plugins get their options from the file, including each of several values" has "$out" "kept 1, dropped 2, cut short 2"
run "$logcast" --config good.conf --filter.drop gamma --line-limit 100 log
claim "the command line replaces all values that the file has for a key" has "$out" "kept 2, dropped 1"
claim "the command line replaces the file's options of the host too" [ "$(grep -c 'cut short' "$out")" -eq 0 ]
printf 'filter.keep = "a b "\r\n' >quoted.conf
printf 'a b c\nxa b\na  b \n' >blanks
run "$logcast" --config quoted.conf blanks
claim "quotes keep blanks, and lines may end as those of DOS" has "$out" "kept 1, dropped 2"
printf 'filter.drop = a#b=c' >odd.conf
printf 'a#b=c\n' >./hash
run "$logcast" --config odd.conf hash
claim "a value may have hashes and equals signs, and the last line needs no end" has "$out" \
    "kept 0, dropped 1"
printf 'plugins = nowhere\n' >folder.conf
run "$logcast" --config folder.conf log
claim "the folder of plugins may come from the file" has "$err" "nowhere: No such file or directory"
printf 'time = yes\n' >time.conf
run "$logcast" --config time.conf log
claim "a flag in the file may be yes" has "$out" "(host)"
printf 'time = no\n' >time.conf
run "$logcast" --config time.conf log
claim "a flag in the file may be no" [ "$(grep -c '(host)' "$out")" -eq 0 ]
: >empty.conf
run "$logcast" --config empty.conf log
claim "an empty configuration file sets nothing" same 0 "$code"

refuses() { # WHAT SENTENCE: the file bad.conf
    run "$logcast" --config bad.conf log
    claim "$1: logcast ends with 2" same 2 "$code"
    claim "$1: $2" same "logcast: bad.conf:$2" "$(head -n 1 "$err")"
    claim "$1: logcast prints nothing else" is_empty "$out"
}
printf '\n# one\ncolour = red\n' >bad.conf
refuses "an unknown key" "3: colour: there is no such option"
printf 'list = yes\n' >bad.conf
refuses "one of the command line alone" "1: list: can only be given on the command line"
printf 'time = yes\ntime = maybe\n' >bad.conf
refuses "a flag that is neither" "2: time: must be yes or no"
printf 'line-limit = -1\n' >bad.conf
refuses "a bad number" "1: line-limit: the value is not a number, or out of range"
printf 'time = yes\njust words\n' >bad.conf
refuses "a line without an equals sign" "2: there is no = between a key and a value"
printf ' = value\n' >bad.conf
refuses "a line without a key" "1: there is no key before the ="
printf 'filter.keep = "a\n' >bad.conf
refuses "an open quote" "1: the closing quote is missing"
printf 'filter.keep = "a" b\n' >bad.conf
refuses "text after a closing quote" "1: there is text after the closing quote"
printf 'time = yes\nti\0me = no\n' >bad.conf
refuses "a zero byte" "2: there is a zero byte"
awk 'BEGIN { for (i = 0; i < 129; i++) print "filter.keep = a" }' >bad.conf
refuses "too many" "129: there are too many settings"
awk 'BEGIN { for (i = 0; i < 7000; i++) print "# nothing " }' >bad.conf
refuses "a large file" " it has more than 65536 bytes"
printf 'absent.option = 1\n' >bad.conf
refuses "a plugin that is not there" "1: absent.option: no such plugin is loaded"
printf '\nfilter.colour = 1\n' >bad.conf
refuses "an option that the plugin has not" "2: filter.colour: the plugin has no such option"
rm bad.conf
refuses "a missing file" " No such file or directory"
mkdir bad.conf
refuses "a folder" " Is a directory"

# ---- SIGHUP. The plugin "version" reports its start, which is the last one of the plugins in this test. ----
mkdir plugins
cp "$(dirname "$logcast")/plugins/filter.so" plugins
cp "$version" plugins/version.so
mkfifo stream announced complaints
exec 4<>complaints 5<>announced
put() { # LINE...: the file, as an editor writes it
    printf '%s\n' "version.pipe = announced" "$@" >new.conf
    mv new.conf live.conf
}
starts() {
    read -r _ <&5
}
put "filter.drop = a"
"$logcast" --plugins plugins --config live.conf - <stream >out 2>complaints &
process=$!
exec 3>stream
claim "logcast starts with a configuration file" starts
put "filter.drop = b" "filter.drop = a"
kill -HUP "$process"
claim "SIGHUP loads the plugins again" starts
put "filter.drop = b" "colour = red"
kill -HUP "$process"
claim "SIGHUP loads the plugins again when the file has a mistake" starts
read -r complaint <&4
claim "the mistake in the reloaded file is reported" same "logcast: configuration: live.conf:3: colour: there is no such option" \
    "$complaint"
printf 'a\nb\nc\n' >&3
exec 3>&-
wait "$process"
claim "after a mistake in a reloaded file, logcast ends with 1" same 1 "$?"
claim "plugins have the options of the last file without a mistake" has out "kept 1, dropped 2"
claim "the summary has the patterns of the last file without a mistake" same 2 "$(grep -c '^ *drop [ab] *matched *1$' out)"

# ---- A pattern that cannot be read, by SIGHUP ----
put "filter.drop = secret"
"$logcast" --plugins plugins --config live.conf - <stream >out 2>complaints &
process=$!
exec 3>stream
claim "logcast starts with a pattern that it can read" starts
printf 'secret one\nopen one\n' >&3
put "filter.drop = sec(ret"
kill -HUP "$process"
claim "SIGHUP loads the plugins again when a pattern cannot be read" starts
read -r complaint <&4
claim "a reloaded pattern that cannot be read is reported" same 'logcast: filter: pattern "sec(ret": Unmatched ( or \(' "$complaint"
read -r complaint <&4
claim "the filter reports that it continues with its previous patterns" same "logcast: filter: continues with its previous patterns" "$complaint"
printf 'secret two\nopen two\n' >&3
put "filter.drop = open"
kill -HUP "$process"
claim "a later reload has a pattern that can be read" starts
printf 'secret three\nopen three\n' >&3
exec 3>&-
wait "$process"
claim "after a pattern that could not be read, logcast ends with 1" same 1 "$?"
claim "no pattern was without effect between the reloads" has out "kept 3, dropped 3"
finish
