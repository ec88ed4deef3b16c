"""Makes the C reference of the documentation site: a page for each header of include/peal, from its comments."""

import re

from peal_headers import blocks_of, first_sentence, headers_of

STATUS = re.compile(r"\bPEAL_(?:OK|DEFERRED|TRUNCATED|REJECTED|NOT_WAITED|ERROR_\w+)\b")


def page_of(header):
    return f"{header.name.removesuffix('.h')}.md"


def pages_of(include, symbols):
    """(name, Markdown) of each page; index.md lists the others."""
    headers = headers_of(include, symbols)
    targets = {}
    for header in headers:
        if header.name == "peal-dl.h":
            continue  # the same functions as pointers
        for item in header.items:
            for name in item.names:
                targets.setdefault(name, f"{page_of(header)}#{anchor_of(item)}")
    yield "index.md", index_of(headers, targets)
    for header in headers:
        yield page_of(header), Page(header, targets).text()


def index_of(headers, targets):
    lines = ["# C headers", "", "Programs include `peal/peal.h`, which includes all the others.", "", "| header | |", "| --- | --- |"]
    lines += [f"| [{header.name}]({page_of(header)}) | {header.title.rstrip('.')} |" for header in headers]
    lines += ["", "## All names", "", "| name | |", "| --- | --- |"]
    comments = {name: item.comment for header in headers for item in header.items for name in item.names}
    for name in sorted(targets):
        said = first_sentence(comments[name]).replace("|", "\\|") if comments[name] else ""
        lines.append(f"| [`{name}`]({targets[name]}) | {said} |")
    return "\n".join(lines) + "\n"


def anchor_of(item):
    return item.names[0]


class Page:
    def __init__(self, header, targets):
        self.header, self.targets = header, targets

    def text(self):
        header = self.header
        title = self.running(header.title)
        lines = [f"# {header.name}", "", title[0].upper() + title[1:], ""]
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
        body, parameters, returns, examples, rule = [], [], [], [], ""
        for kind, block in blocks_of(item.comment, item.codes):
            text = "\n".join(block)
            if kind == "parameter":
                names, said = text.split(":", 1)
                parameters.append((names, said))
            elif kind == "code":
                examples += self.block(kind, block)
            elif re.match(r"(Returns (?!true)|Also returns?|Errors)", text) and item.calls and body:
                returns.append(text)
            elif text.startswith("Thread rule"):
                rule = text
            else:
                body += self.block(kind, block)
        lines += body
        for code in item.codes:
            lines += self.declaration(code)
        if parameters:
            lines += ["| parameter | |", "| --- | --- |"]
            lines += [f"| `{names}` | {self.running(said).replace('|', '&#124;')} |" for names, said in parameters] + [""]
        if returns:
            lines += ["**Return value.** " + self.running(" ".join(returns)), ""]
            errors = [name for name in dict.fromkeys(STATUS.findall(" ".join(returns))) if name.startswith("PEAL_ERROR")]
            if errors:
                lines += ["**Errors.** " + ", ".join(f"[`{name}`](../docs/errors.md)" for name in errors), ""]
        if rule:
            lines += [f"**{rule.split(':')[0]}.** " + self.running(rule.split(":", 1)[1]), ""]
        if examples:
            lines += ["**Example**", "", *examples]
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
            lines.append(f"| `{name.group(1) or name.group(2)}` | {self.running(text).replace('|', '&#124;')} |")
        return lines + [""]

    def block(self, kind, block):
        if kind == "code":
            while not block[-1]:
                block = block[:-1]
            indent = min(len(line) - len(line.lstrip()) for line in block if line)
            return ["```c", *(line[indent:] for line in block), "```", ""]
        if kind == "parameter":
            names, said = "\n".join(block).split(":", 1)
            return [f"`{names}`: {self.running(said)}", ""]
        text = "\n".join(block)
        items = re.split(r"(?:^|\n)\s*- ", text)
        out = [self.running(items[0]), ""] if items[0].strip() else []
        return out + [f"- {self.running(one)}" for one in items[1:]] + ([""] if len(items) > 1 else [])

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
        names = {"status", "types", "center", "owner", "observer", "protocol", "broadcast", "queue", "service", "module",
                 "property", "proxy", "timer", "completion", "inspect", "invocation", "builtin", "reference", "base", "peal"}
        stem = found.group(1)
        return f"[{found.group(0)}]({stem}.md)" if stem in names and found.group(0) != self.header.name else found.group(0)
