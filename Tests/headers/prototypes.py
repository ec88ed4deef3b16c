#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the declarations of C headers for headers-check, one on each line.

    T <text>  a type: struct, union, enum or typedef
    P <text>  the prototype of a function, as the header has it

The compiler preprocesses the headers. Variadic functions and functions with a va_list are omitted, since
they cannot be methods. A header that is not installed is omitted too, with a message on stderr.
"""
import argparse
import re
import subprocess
import sys


def preprocessed(compiler, flags, header):
    found = subprocess.run(
        [compiler, "-E", "-P", "-x", "c", *flags, "-"], input=f"#include <{header}>\n",
        capture_output=True, text=True, errors="replace")
    if found.returncode != 0:
        return None
    return "\n".join(line for line in found.stdout.splitlines() if not line.startswith("#"))


TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|\s+|.', re.S)


def declarations(text):
    """Declarations at file scope, but for functions with bodies."""
    depth = 0
    parts = []
    body = None
    for token in TOKEN.findall(text):
        if token == "{":
            # A '{' after a ')' or after an attribute of a function begins a body. Any other one begins members.
            if depth == 0:
                head = bare("".join(parts))
                body = head if head.endswith(")") else None
            depth += 1
        parts.append(token)
        if token in "([":
            depth += 1
        elif token in ")]}":
            depth -= 1
        if depth == 0 and (token == ";" or token == "}" and body is not None):
            if body is None:
                yield " ".join("".join(parts).split())
            parts, body = [], None


def without_groups(text, words):
    """The text without `word(...)`, for some words."""
    out = ""
    place = 0
    for found in re.finditer(r"\b(?:%s)\s*(?=\()" % "|".join(words), text):
        if found.start() < place:
            continue
        out += text[place:found.start()]
        depth = 0
        place = found.end()
        while place < len(text):
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            place += 1
            if depth == 0:
                break
    return out + text[place:]


def bare(text):
    """A declaration without attributes and assembler names."""
    text = without_groups(text, ["__attribute__", "__attribute", "__asm__", "__asm", "asm"])
    text = re.sub(r"\[\[.*?\]\]", " ", text)
    return re.sub(r"\b__extension__\b", " ", text).strip().rstrip(";").strip()


def kind(text):
    plain = bare(text)
    first = plain.split(" ")[0] if plain else ""
    if not plain or first in ("_Static_assert", "static_assert"):
        return None
    if first == "typedef":
        return "T"
    if "{" in plain or re.fullmatch(r"(struct|union|enum)\s+\w+", plain):
        return "T" if first in ("struct", "union", "enum") and plain.endswith("}") or "(" not in plain else None
    opening = plain.find("(")
    if opening < 0:
        return None
    # `int (*hook)(void)` is a variable, `void (*signal(int))(int)` a function.
    if re.match(r"\(\s*\*", plain[opening:]) and not re.match(r"\(\s*[\s\w*]*?\w+\s*\(", plain[opening:]):
        return None
    if "=" in plain or re.search(r"\.\.\.|\bva_list\b|__builtin_va_list|__gnuc_va_list|\bGVaList\b", plain):
        return None
    return "P"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cc", default="cc")
    arguments.add_argument("--flag", action="append", default=[])
    arguments.add_argument("headers", nargs="+")
    given = arguments.parse_args()
    seen = set()
    for header in given.headers:
        text = preprocessed(given.cc, given.flag, header)
        if text is None:
            print(f"{header}: left out, it cannot be preprocessed", file=sys.stderr)
            continue
        for declaration in declarations(text):
            what = kind(declaration)
            if what and declaration not in seen:
                seen.add(declaration)
                print(what, declaration)


main()
