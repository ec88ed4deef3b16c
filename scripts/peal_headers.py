"""Reads the headers of include/peal and of the companion libraries into items: declarations and their comments.

This is not a C parser. It relies on the form of these headers: each declaration begins in the first column, and
its comment is right before it. A declaration without a comment belongs to the item before.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path


class HeaderError(Exception):
    pass


@dataclass
class Item:
    """One comment and what it is about."""

    comment: str = ""
    codes: list = field(default_factory=list)  # of declarations, as they are written
    names: list = field(default_factory=list)  # what these declare
    calls: list = field(default_factory=list)  # those of the names that are called: functions, macros
    is_internal: bool = False  # so are the macros that follow, up to the next comment
    section: str = ""  # the title of a part of the header; then the rest is empty


@dataclass
class Header:
    name: str  # "observer.h"
    title: str  # the line that says what it is
    introduction: str
    items: list
    library: str = ""  # "libpeal-test", for a header that peal.h does not include


def headers_of(include, symbols=None):
    """The headers of a folder. With a list of symbols, what they declare must be among these."""
    folder = Path(include) / "peal"
    paths = sorted(folder.glob("*.h"))
    if not paths:
        raise HeaderError(f"{folder} has no headers")
    return [read_header(path, symbols) for path in paths]


def companions_of(sources, names=None):
    """The public headers of the companion libraries, whose folders are in `sources`; of all, or of the named ones."""
    headers = []
    for path in sorted(Path(sources).glob("Peal*/include/peal/*.h"), key=lambda path: path.name):
        folder = path.relative_to(sources).parts[0]
        if names is None or folder in names:
            header = read_header(path, declared_in([path]))
            header.library = f"libpeal-{folder.removeprefix('Peal').lower()}"
            headers.append(header)
    return headers


def declared_in(paths):
    """The functions that headers declare as exported."""
    return set(re.findall(r"^PEAL_API[^;]*?\b(peal_\w+)\(", "\n".join(path.read_text() for path in paths), flags=re.M))


def symbols_of(path):
    return [line.strip() for line in Path(path).read_text().splitlines() if line.strip()]


def read_header(path, symbols):
    header = Header(path.name, "", "", [])
    for kind, text, line in chunks(path):
        try:
            if kind == "comment":
                take_comment(header, text)
            else:
                take_code(header, kind, text, symbols)
        except HeaderError as problem:
            raise HeaderError(f"{path}:{line}: {problem}") from None
    header.items = [
        item for item in header.items
        if item.section or item.names or item.comment and not item.is_internal
    ]
    if not header.title:
        raise HeaderError(f"{path}: its first comment does not say `{path.name} - what it is`")
    return header


def chunks(path):
    """The header as (comment | macro | declaration, text, line number)."""
    lines = path.read_text().splitlines()
    at = 0
    while at < len(lines):
        start, line = at, lines[at]
        at += 1
        if line.startswith("/*"):
            while "*/" not in lines[at - 1]:
                at += 1
            yield "comment", "\n".join(lines[start:at]), start + 1
        elif line.startswith("#define"):
            while lines[at - 1].endswith("\\"):
                at += 1
            yield "macro", "\n".join(lines[start:at]), start + 1
        elif re.match(r"[A-Za-z_]", line) and not re.match(r"PEAL_(BEGIN|END)_DECLARATIONS|PEAL_\w+_\(", line):
            while not is_whole("\n".join(lines[start:at])):
                if at == len(lines):
                    raise HeaderError(f"{path}:{start + 1}: a declaration without an end")
                at += 1
            yield "declaration", "\n".join(lines[start:at]), start + 1


def is_whole(text):
    """Whether a declaration, or the definition of a function, has ended."""
    bare = re.sub(r"/\*.*?\*/|/\*.*", "", text, flags=re.S)
    bare = re.sub(r"^#.*", "", bare, flags=re.M)
    if bare.count("{") > bare.count("}"):
        return False
    return bool(re.search(r";\s*\Z", bare) or re.search(r"\)\s*\{.*\}\s*\Z", bare, flags=re.S))


def take_comment(header, text):
    section = re.fullmatch(r"/\* -{4} (.*?) -+ \*/", text)
    if section:
        header.items.append(Item(section=section.group(1)))
        return
    body = plain(text)
    if not header.title:
        body = re.sub(r"SPDX-License-Identifier: .*\n+", "", body)
        start = re.match(rf"{re.escape(header.name)} - (.*?)(\n\n|\Z|(?<=\.)\s)", body, flags=re.S)
        if start:
            header.title = " ".join(start.group(1).split())
            header.introduction = body[start.end():]
        return
    header.items.append(Item(comment=body))


def plain(comment):
    """A comment's text, without the stars at its side."""
    lines = comment.strip()[2:-2].splitlines()
    return "\n".join(re.sub(r"^ \* ?|^ \*$|^ {3}(?=\S)", "", line).rstrip() for line in lines).strip()


def take_code(header, kind, text, symbols):
    name = name_of(kind, text)
    if not header.items or header.items[-1].section:
        header.items.append(Item())
    item = header.items[-1]
    if name.endswith(("_", "_H")) or not re.match("peal|PEAL|__", name):
        item.is_internal = True
        return
    # The others: the other side of an #if, and what peal-dl.h makes of each function.
    if item.is_internal and kind == "macro" or name in item.names or "(*peal_loaded_" in text:
        return
    item.names.append(name)
    item.codes.append(shown(kind, text))
    if kind == "declaration" and "PEAL_API" in text:
        if symbols is not None and name not in symbols:
            raise HeaderError(f"{name} is declared with PEAL_API, but abi/peal.symbols does not list it")
        if symbols is not None and not item.comment:
            raise HeaderError(f"{name} has no comment")
    if item.comment and is_call(kind, text):
        item.calls.append(name)


def is_call(kind, text):
    if kind == "macro":
        return bool(re.match(r"#define\s+(PEAL|peal)_\w+\(", text))
    return "PEAL_API" in text or "static inline" in text


def name_of(kind, text):
    if kind == "macro":
        return re.match(r"#define\s+(\w+)", text).group(1)
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for pattern in (
        r"PEAL_API[^;]*?\b(peal_\w+)\s*\(",
        r"static inline [^(]*?\b(peal_\w+)\s*\(",
        r"typedef[^;{]*\(\s*\*\s*(\w+)\s*\)\s*\(",
        r"typedef.*?(\w+)\s*;\s*\Z",
        r"(?:struct|enum|union)\s+(\w+)",
        r"PEAL_[A-Z_]+\((\w+),",
        r"\b(\w+)\s*[(\[;=]",
    ):
        found = re.search(pattern, bare, flags=re.S)
        if found:
            return found.group(1)
    raise HeaderError("a declaration that this script does not know: " + text.splitlines()[0])


def shown(kind, text):
    """A declaration as a page shows it: without marks for the compiler, macros without their bodies."""
    if kind == "macro":
        head = re.match(r"#define\s+\w+(\([^)]*\))?", text)
        body = text[head.end():].strip()
        is_value = not head.group(1) and re.match(r"[\w(-]", body) and not re.match(r"__attribute|extern", body)
        is_value = is_value and not re.search(r"\n|_\(", body)
        return f"{head.group(0)} {body}" if is_value else head.group(0)
    text = re.sub(r"\b(PEAL_API|PEAL_CHECK|PEAL_COLD|PEAL_UNUSED)\s+", "", text)
    if "static inline" in text:
        text = text[: text.index("{")].replace("static inline ", "").rstrip() + ";"
    return text


def blocks_of(comment, codes=()):
    """A comment as (text | code | columns | output | parameter, lines).

    A parameter is named in the declarations that the comment is of. Indented lines are C, columns of terms and what
    they mean, or other text, such as the output of a program.
    """
    declared = "\n".join(codes)

    def is_parameter(line):
        names = re.match(r"([a-z_]\w*(?:, [a-z_]\w*)*): ", line)
        return names and all(re.search(rf"\b{name}\b", declared) for name in names.group(1).split(", "))

    blocks = []
    for line in comment.splitlines():
        kind = blocks[-1][0] if blocks else None
        in_list = kind == "text" and any(re.match(r" *- ", one) for one in blocks[-1][1])
        if not line:
            if kind == "code":
                blocks[-1][1].append("")
            else:
                blocks.append(("text", []))
        elif line.startswith("    ") and not in_list and not (kind == "parameter" and blocks[-1][1]):
            if kind != "code":
                blocks.append(("code", []))
            blocks[-1][1].append(line)
        elif is_parameter(line):
            blocks.append(("parameter", [line]))
        elif line.startswith("  ") and kind == "parameter":
            blocks[-1][1].append(line)
        elif kind != "text" or re.match(r"(Returns|Errors|Thread rule|Also returns)\b", line):
            blocks.append(("text", [line]))
        else:
            blocks[-1][1].append(line)
    return [indented(lines) if kind == "code" else (kind, lines) for kind, lines in blocks if any(lines)]


# A remark at the right of a statement.
REMARK = re.compile(r"(?<=[;{}]) {2,}(?=[^\s\\])")


def indented(lines):
    """Indented lines as (code | columns | output, lines), without their indentation."""
    while not lines[-1]:
        lines = lines[:-1]
    indent = min(len(line) - len(line.lstrip()) for line in lines if line)
    lines = [line[indent:] for line in lines]
    starts = [line for line in lines if re.match(r"\S", line)]
    terms = [line for line in starts if not re.search(r"\S {2,}[^\s\\]", line)]
    if len(starts) > 1 and len(terms) * 2 < len(starts) and not any(re.search(r"[;{}]$", term) for term in terms):
        return "columns", lines
    if re.search(r"[;}]$|^\s*[A-Z]+\(.*\)$", REMARK.split(lines[-1])[0]):
        return "code", [REMARK.sub("  // ", line) for line in lines]
    return "output", lines


def rows_of(lines):
    """Columns as (term, meaning)."""
    rows = []
    for line in lines:
        if re.match(r"\S", line):
            term, _, meaning = re.sub(r" {2,}", "\t", line, count=1).partition("\t")
            rows.append([term, meaning.strip()])
        elif line:
            rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
    return rows


@dataclass
class Parts:
    """A comment in the parts of a reference, each as blocks."""

    body: list = field(default_factory=list)
    parameters: list = field(default_factory=list)  # (names, what they mean)
    returns: str = ""
    statuses: list = field(default_factory=list)  # the names of the errors among them
    rule: str = ""  # of threads, with the words before the colon
    examples: list = field(default_factory=list)


def parts_of(item):
    parts = Parts()
    for kind, lines in blocks_of(item.comment, item.codes):
        text = "\n".join(lines)
        if kind == "parameter":
            names, meaning = text.split(":", 1)
            parts.parameters.append((names, meaning))
        elif kind == "code":
            parts.examples.append((kind, lines))
        elif re.match(r"(Returns (?!true)|Also returns?|Errors)", text) and item.calls and parts.body:
            parts.returns = f"{parts.returns} {' '.join(text.split())}".strip()
        elif text.startswith("Thread rule"):
            parts.rule = " ".join(text.split())
        else:
            parts.body.append((kind, lines))
    parts.statuses = [name for name in dict.fromkeys(re.findall(r"\bPEAL_ERROR_\w+", parts.returns))]
    return parts


def first_sentence(comment):
    text = " ".join(re.split(r"\n\n|\n(?=\w+: )", comment)[0].split())
    return re.split(r"(?<=[^. ])[.:;](?:\s|$)", text)[0]


def version_of(include):
    text = (Path(include) / "peal" / "version.h").read_text()
    return ".".join(re.search(rf"PEAL_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
