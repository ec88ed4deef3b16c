#!/bin/sh
# other_processor.sh <cc>: the C sources compile for a processor without register frames, where each call uses ffi_call.
# Without __LP64__ they take this one for such a processor.
cd "$(dirname -- "$0")/../../.." || exit 1
for source in Sources/CPealSupport/*.c; do
    "$1" -std=gnu11 -D_GNU_SOURCE -U__LP64__ -fsyntax-only -Wno-unused-function \
        -I Sources/CPealSupport/include -I include "$source" || exit 1
done
