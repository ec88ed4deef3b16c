#!/bin/sh
# size.sh <library> <limit in bytes>: the stripped library must be smaller than the limit.
library=$1 limit=$2
stripped=$(mktemp) || exit 1
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$library" || exit 1
bytes=$(wc -c <"$stripped")
echo "$bytes bytes stripped, $limit at most"
[ "$bytes" -lt "$limit" ]
