#!/bin/sh
# search_paths.sh <file>...: libraries are searched for in absolute folders alone, or relative to the file. An empty entry of
# the search path, also one before or after a colon, is the current folder.
#
# Claims: I12
problems=0

for file; do
    dynamic=$(readelf -d -W "$file") || exit 1
    paths=$(printf '%s\n' "$dynamic" | sed -n 's/.*(R[UN]*PATH).*\[\(.*\)\]/\1:/p')
    while [ -n "$paths" ]; do
        case ${paths%%:*} in
            /* | "\$ORIGIN" | "\$ORIGIN"/*) ;;
            *)
                echo "$file: searches for libraries in '${paths%%:*}'"
                problems=1
                ;;
        esac
        paths=${paths#*:}
    done
    printf '%s\n' "$dynamic" | grep -E '\(NEEDED\).*\[[^/]+/' && problems=1
done
[ "$problems" -eq 0 ] && echo "$# files"
exit "$problems"
