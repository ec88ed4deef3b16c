#!/bin/sh
# other_processor.sh <cc>: the C sources must compile for a processor without register frames, where each call uses
# ffi_call. They select that code when __LP64__ is not defined.
cd "$(dirname -- "$0")/../../.." || exit 1
for source in Sources/CPealSupport/*.c; do
    "$1" -std=gnu11 -D_GNU_SOURCE -U__LP64__ -fsyntax-only -Wno-unused-function \
        -I Sources/CPealSupport/include -I include "$source" || exit 1
done
