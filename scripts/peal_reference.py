"""Makes the C reference of the documentation site: a page for each public header, from its comments."""

import re

from peal_headers import blocks_of, first_sentence, parts_of, rows_of


def page_of(header):
    return f"{header.name.removesuffix('.h')}.md"


def pages_of(headers):
    """(name, Markdown) of each page; index.md lists the others."""
    targets = {}
    for header in headers:
        if header.name == "peal-dl.h":
            continue  # the same functions as pointers
        for item in header.items:
            for name in item.names:
                targets.setdefault(name, f"{page_of(header)}#{anchor_of(item)}")
    yield "index.md", index_of(headers, targets)
    names = {header.name for header in headers}
    for header in headers:
        yield page_of(header), Page(header, targets, names).text()


def index_of(headers, targets):
    lines = ["# C headers", "", "Programs include `peal/peal.h`, which includes all others of this table.", "", "| header | |", "| --- | --- |"]
    lines += [f"| [{header.name}]({page_of(header)}) | {header.title.rstrip('.')} |" for header in headers if not header.library]
    lines += ["", "## Headers of other libraries", "", "A program includes each of these headers by its name, such as `peal/test.h`, and"]
    lines += ["links its library.", "", "| header | library | |", "| --- | --- | --- |"]
    lines += [f"| [{header.name}]({page_of(header)}) | {header.library} | {header.title.rstrip('.')} |" for header in headers if header.library]
    lines += ["", "## All names", "", "| name | |", "| --- | --- |"]
    comments = {name: item.comment for header in headers for item in header.items for name in item.names}
    for name in sorted(targets):
        said = first_sentence(comments[name]).replace("|", "\\|") if comments[name] else ""
        lines.append(f"| [`{name}`]({targets[name]}) | {said} |")
    return "\n".join(lines) + "\n"


def anchor_of(item):
    return item.names[0]


class Page:
    def __init__(self, header, targets, names):
        self.header, self.targets, self.names = header, targets, names

    def text(self):
        header = self.header
        title = self.running(header.title)
        lines = [f"# {header.name}", "", title[0].upper() + title[1:], ""]
        if header.library:
            lines += [f"Include `peal/{header.name}`, and link `{header.library}`.", ""]
        for kind, block in blocks_of(header.introduction):
            lines += self.block(kind, block)
        level = "##"
        for item in header.items:
            if item.section:
                lines += [f"## {item.section}", ""]
                level = "###"
            elif item.names:
                lines += self.item(item, level)
            else:
                for kind, block in blocks_of(item.comment):
                    lines += self.block(kind, block)
        return "\n".join(lines) + "\n"

    def item(self, item, level):
        """A declaration: what it does, its code, parameters, return value, errors, thread rule, example."""
        lines = [f"{level} {', '.join(item.names)} {{ #{anchor_of(item)} }}", ""]
        lines += [f'<a id="{name}"></a>' for name in item.names[1:]]
        parts = parts_of(item)
        for kind, block in parts.body:
            lines += self.block(kind, block)
        for code in item.codes:
            lines += self.declaration(code)
        if parts.parameters:
            lines += ["| parameter | |", "| --- | --- |"]
            lines += [f"| `{names}` | {self.cell(meaning)} |" for names, meaning in parts.parameters] + [""]
        if parts.returns:
            lines += ["**Return value.** " + self.running(parts.returns), ""]
        if parts.statuses:
            lines += ["**Errors.** " + ", ".join(f"[`{name}`](../docs/errors.md)" for name in parts.statuses), ""]
        if parts.rule:
            lines += [f"**{parts.rule.split(':')[0]}.** " + self.running(parts.rule.split(":", 1)[1]), ""]
        if parts.examples:
            lines += ["**Example**", ""]
        for kind, block in parts.examples:
            lines += self.block(kind, block)
        return lines

    def declaration(self, code):
        """A declaration's code; of a structure or an enumeration without its comments, which become a table."""
        body = re.search(r"\{(.*)\}", code, flags=re.S)
        if not re.match(r"(typedef )?(struct|enum)", code) or not body or "/*" not in code:
            return ["```c", *code.splitlines(), "```", ""]
        bare = re.sub(r"[ \t]*/\*.*?\*/", "", code, flags=re.S)
        bare = re.sub(r" {2,}(?=\S)", " ", re.sub(r"\n\s*(?=\n)", "", bare).replace("\n    ", "\n\t")).replace("\n\t", "\n    ")
        lines = ["```c", *bare.splitlines(), "```", "", "| member | |", "| --- | --- |"]
        rows, said = [], ""
        for found in re.finditer(r"/\*(.*?)\*/|((?:[^;,/{}()]|\([^()]*\))+)[;,]?", body.group(1), flags=re.S):
            if found.group(2) is not None:
                member = " ".join(found.group(2).split())
                if member:
                    rows.append([member, said])
                    said = ""
            else:
                text = re.sub(r"\n\s*\*?", " ", found.group(1)).strip()
                before = body.group(1)[: found.start()]
                if "\n" in before[len(before.rstrip()):] or not rows:
                    said = text  # on a line of its own: it is of the next member
                else:
                    rows[-1][1] = text
        for member, text in rows:
            name = re.search(r"\(\*(\w+)\)|(\w+)(?:\[\w+\])?(?:\s*=.*)?$", member)
            lines.append(f"| `{name.group(1) or name.group(2)}` | {self.cell(text)} |")
        return lines + [""]

    def block(self, kind, block):
        if kind in ("code", "output"):
            return ["```c" if kind == "code" else "```text", *block, "```", ""]
        if kind == "columns":
            return ["| term | meaning |", "| --- | --- |", *(f"| {self.term(term)} | {self.cell(meaning)} |" for term, meaning in rows_of(block)), ""]
        if kind == "parameter":
            names, said = "\n".join(block).split(":", 1)
            return [f"`{names}`: {self.running(said)}", ""]
        text = "\n".join(block)
        items = re.split(r"(?:^|\n)\s*- ", text)
        out = [self.running(items[0]), ""] if items[0].strip() else []
        return out + [f"- {self.running(one)}" for one in items[1:]] + ([""] if len(items) > 1 else [])

    def cell(self, text):
        return self.running(text).replace("|", "&#124;")

    def term(self, text):
        """The first column: C as a code span, and words as words."""
        is_code = "`" not in text and re.search(r"^\w+$|[_(*]|^struct ", text)
        return f"`{text}`" if is_code else self.running(text)

    def running(self, text):
        """Flowing text: code spans and emphasis as the headers write them, names with links to their declarations."""
        parts = re.split(r"(`[^`]+`)", " ".join(text.split()))
        for at, part in enumerate(parts):
            if not part.startswith("`"):
                part = part.replace("<", "&lt;")
                part = re.sub(r"(?<![\w/])\b(peal_\w+|PEAL_\w+)\b(\(\))?", self.link, part)
                part = re.sub(r"\b((?:docs|Tests|examples-c|apps)/[\w./-]+\.md)\b", r"[\1](../\1)", part)
                parts[at] = re.sub(r"\b(\w+)\.h\b(?!\))", self.header_link, part)
        return "".join(parts)

    def link(self, found):
        name = found.group(1)
        target = self.targets.get(name)
        if target is None:
            return f"`{name}`"
        own = page_of(self.header) + "#"
        return f"[`{name}`]({target.removeprefix(own[:-1]) if target.startswith(own) else target})"

    def header_link(self, found):
        name = found.group(0)
        return f"[{name}]({found.group(1)}.md)" if name in self.names and name != self.header.name else name
