#!/usr/bin/env python3
"""Removes and renames functions, classes and methods of a Python repository one
by one, and writes what pyright complains of then and did not before, in the
format of bench/mutate (see bench/README.md):

    npm install pyright
    python3 bench/oracles/python/mutate.py -n 60 -pyright "npx pyright-langserver --stdio" -o OUT REPO

A removed declaration becomes blank lines, so that no line moves (of a class pyright is asked a second time, without its members
only); a renamed one keeps its uses as they were. After an import that
fails pyright says nothing of the uses of the name in that file. So it is also
asked of the tree in which the declaration is there and marked as deprecated,
and says where it is used: where some import failed these uses are broken, too. Where the type of a member is not known before, pyright judges nobody; the
record "meta" has these declarations as open. Nothing of the repository runs.
Needs Python 3.10 or later and no package.
"""

import argparse
import ast
import bisect
import json
import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import Source, list_files
from server import Server

CHECKS = {
    # What a user sees in the basic mode; what is only a style is off.
    "typeCheckingMode": "basic",
    "enableTypeIgnoreComments": False,  # they hide what breaks on their line
    "reportMissingImports": "none",
    "reportMissingModuleSource": "none",
    "reportDeprecated": "warning",
    "reportUnsupportedDunderAll": "error",  # an import of all names fails
    "reportUnknownMemberType": "warning",
}

MARK = "kg-oracle-mark"


class Decl:
    """A function, class or method, or a file: what an error is counted to."""

    def __init__(self, file, node, qname, line, col, first, last, kind, outer=None):
        self.outer = outer
        self.file, self.node, self.qname, self.kind = file, node, qname, kind
        self.line, self.col, self.first, self.last = line, col, first, last
        self.id = "file:" + file if node is None else "%s:%d:%d" % (file, line, col)

    def record(self):
        outer, d = [], self.outer
        while d:
            outer.append(d.id)
            d = d.outer
        return {"id": self.id, "qname": self.qname, "file": self.file, "line": self.line, "outer": outer}


class Tree:
    """A copy of the files in which declarations can be changed."""

    def __init__(self, root, copy, command, python):
        self.copy = copy
        self.texts, self.decls, self.tops = {}, {}, {}
        for path in list_files(root):
            to = os.path.join(copy, path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(root, path), to)
            with open(to, "rb") as f:
                raw = f.read()
            try:
                text = raw.decode("utf-8")
                src = Source(path, text)
            except (SyntaxError, ValueError, RecursionError):
                continue
            if b"\r" in raw or raw.startswith(b"\xef\xbb\xbf"):
                continue  # lines and bytes would be others
            self.texts[path] = text
            self.tops[path] = src.tree.body
            self.decls[path] = list(self.declared(src, text.split("\n")))
        with open(os.path.join(copy, "pyrightconfig.json"), "w") as f:
            json.dump({**CHECKS, **({"pythonVersion": python} if python else {}), "include": sorted(self.texts)}, f)
        self.server = Server(command, copy)
        self.words = {path: set(re.findall(r"\w+", text)) for path, text in self.texts.items()}

    def declared(self, src, lines):
        """All declarations of a file, outer ones first."""
        top = Decl(src.path, None, src.path, 1, 1, 1, len(lines), "file")
        yield top
        stack = [(n, "", top) for n in reversed(src.tree.body)]
        while stack:
            node, scope, outer = stack.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                line = lines[node.lineno - 1]
                found = re.compile(r"(?:class|def)\s+(" + re.escape(node.name) + r")\b").search(line, len(line.encode()[: node.col_offset].decode("utf-8", "ignore")))
                if not found:
                    continue
                first = min([node.lineno] + [d.lineno for d in node.decorator_list])
                kind = "class" if isinstance(node, ast.ClassDef) else "method" if outer.kind == "class" else "function"
                d = Decl(src.path, node, scope + node.name, node.lineno, len(line[: found.start(1)].encode()) + 1, first, node.end_lineno, kind, outer)
                yield d
                stack += [(n, d.qname + ".", d) for n in reversed(node.body)]
                continue
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and outer.kind in ("file", "class"):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name):
                    yield Decl(src.path, node, scope + target.id, target.lineno, target.col_offset + 1, node.lineno, node.end_lineno, "variable", outer)
            for child in reversed(list(ast.iter_child_nodes(node))):
                if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                    stack.append((child, scope, outer))

    def check(self, path=None, text=None, word=None):
        """What pyright says of the files that have a word, with another text for one: (file, line, rule, message, severity)."""
        texts = {p: t for p, t in self.texts.items() if word is None or p == path or word in self.words[p]}
        if path:
            texts[path] = text
        return self.server.diagnostics(texts)

    def named(self, d):
        """Whether something besides a declaration has its name."""
        word = re.compile(r"\b" + re.escape(d.node.name) + r"\b")
        return any(d.node.name in words and (path != d.file or len(word.findall(self.texts[path])) > 1) for path, words in self.words.items())

    def typed_dict(self, d, depth=0):
        """Whether a class is a TypedDict, by the names of its bases."""
        names = [ast.unparse(b).split(".")[-1] for b in d.node.bases]
        return "TypedDict" in names or depth < 5 and any(
            self.typed_dict(c, depth + 1) for n in names for c in self.decls[d.file] if c.kind == "class" and c.node.name == n)

    def enclosing(self, file, line):
        best = None
        for d in self.decls.get(file, []):
            if d.first <= line <= d.last:
                best = d  # inner ones come later
        return best


def removed(tree, d):
    """The text without a declaration, and the edit as bytes."""
    lines = tree.texts[d.file].split("\n")
    start = sum(len(l.encode()) + 1 for l in lines[: d.first - 1])
    old = "\n".join(lines[d.first - 1 : d.last])
    indent = lines[d.first - 1][: len(lines[d.first - 1]) - len(lines[d.first - 1].lstrip())]
    body = d.outer.node.body if d.outer.node else [None, None]
    stands = len(body) == 1 or not any(n is d.node for n in body) and d.outer.node is not None or d.outer.node is None and not any(n is d.node for n in tree.tops[d.file])
    new = (indent + "pass" if stands else "") + "\n" * (d.last - d.first)
    lines[d.first - 1 : d.last] = new.split("\n")
    return "\n".join(lines), {"File": d.file, "Start": start, "End": start + len(old.encode()), "Text": new}


def emptied(tree, d):
    """The text in which a class has no members."""
    lines = tree.texts[d.file].split("\n")
    first = min([n.lineno for n in d.node.body] + [x.lineno for n in d.node.body for x in getattr(n, "decorator_list", [])])
    if first == d.node.lineno:
        return tree.texts[d.file]
    indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    lines[first - 1 : d.last] = [indent + "pass"] + [""] * (d.last - first)
    return "\n".join(lines)


def renamed(tree, d):
    lines = tree.texts[d.file].split("\n")
    raw = lines[d.line - 1].encode()
    name = d.node.name.encode()
    at = d.col - 1
    start = sum(len(l.encode()) + 1 for l in lines[: d.line - 1]) + at
    other = name + b"_renamed"
    lines[d.line - 1] = (raw[:at] + other + raw[at + len(name) :]).decode()
    return "\n".join(lines), {"File": d.file, "Start": start, "End": start + len(name), "Text": other.decode()}


def marked(tree, d):
    """The text in which the declaration is deprecated; two lines more."""
    lines = tree.texts[d.file].split("\n")
    indent = lines[d.first - 1][: len(lines[d.first - 1]) - len(lines[d.first - 1].lstrip())]
    lines[d.first - 1 : d.first - 1] = [indent + "import typing_extensions as _kg", indent + '@_kg.deprecated("%s")' % MARK]
    return "\n".join(lines)


def plain(tree, d):
    """Whether a declaration can be taken away alone, and pyright knows who uses it: no overload, accessor, special name or fixture."""
    if d.kind in ("file", "variable") or d.node.name.startswith("__") or d.outer.kind == "function" or d.outer.kind == "method":
        return False
    if d.kind != "method" and any(isinstance(n, ast.FunctionDef) and n.name == "__getattr__" for n in tree.tops[d.file]):
        return False  # such a module has any name, for pyright
    for x in d.node.decorator_list:
        text = ast.unparse(x)
        if "overload" in text or "fixture" in text or text.endswith((".setter", ".getter", ".deleter", ".register")):
            return False
    return True


def is_import(tree, file, line):
    text = tree.texts.get(file, "")
    if not hasattr(tree, "imports"):
        tree.imports = {}
    if file not in tree.imports:
        spans = []
        for n in ast.walk(ast.parse(text)):
            if isinstance(n, (ast.Import, ast.ImportFrom)):
                spans.append((n.lineno, n.end_lineno))
        tree.imports[file] = sorted(spans)
    spans = tree.imports[file]
    i = bisect.bisect_right(spans, (line, 1 << 30)) - 1
    return i >= 0 and spans[i][0] <= line <= spans[i][1]


def broken(tree, d, before, text, change):
    """What a change breaks: declaration → sites."""
    sites = {}
    failed = False  # some import

    def add(file, line, cause, message):
        at = tree.enclosing(file, line)
        if at is None or at.id == d.id or change == "remove" and file == d.file and d.first <= line <= d.last:
            return
        sites.setdefault(at.id, (at, []))[1].append({"file": file, "line": line, "cause": cause, "error": message})

    def fresh(run):
        """The errors that were not there before, or None if the text is no Python."""
        now, found = {}, []
        for file, line, rule, message, severity in run:
            if severity != "error":
                continue
            key = (file, line, rule)
            now[key] = now.get(key, 0) + 1
            if now[key] <= before.get(key, 0):
                continue
            if rule == "syntax" or "Redeclaration" in rule:
                return None
            found.append((file, line, rule, message))
        return found

    runs = [fresh(tree.check(d.file, text, d.node.name))]
    if runs[0] == []:
        # Now and then the server answers from a state before the change; something has the name, so it is asked once more.
        runs = [fresh(tree.check(d.file, text, d.node.name))]
    if d.kind == "class" and change == "remove" and not tree.typed_dict(d):
        # Of members of what it does not know pyright says nothing. The keys of
        # dictionaries are no members for who runs the code.
        runs.append(fresh(tree.check(d.file, emptied(tree, d))))
    if None in runs:
        return None
    for file, line, rule, message in (error for run in runs for error in run):
        if is_import(tree, file, line) or rule == "reportUnsupportedDunderAll":
            failed = True
        add(file, line, "satisfies" if "Override" in rule or "abstract" in message.lower() else "call", rule + ": " + message.split("\n")[0])
    if failed:
        # Whoever has the name from there, or of that module, has it in vain.
        for file, line, rule, message, severity in tree.check(d.file, marked(tree, d), d.node.name):
            if MARK not in message:
                continue
            if file == d.file and line >= d.first + 2:
                line -= 2
            add(file, line, "call", "imported in vain: " + d.node.name)
    return sites


def main():
    p = argparse.ArgumentParser(description="what removals and renames break in a Python repository, as JSON Lines")
    p.add_argument("-n", type=int, default=60)
    p.add_argument("-seed", type=int, default=1)
    p.add_argument("-pyright", default="npx pyright-langserver --stdio", help="the command that runs pyright's language server")
    p.add_argument("-python", default="", help="the version of Python that the code is for")
    p.add_argument("-o", default="-", help="file to write")
    p.add_argument("dir")
    a = p.parse_args()
    sys.setrecursionlimit(10000)
    out = sys.stdout if a.o == "-" else open(a.o, "w", encoding="utf-8")

    def write(r):
        out.write(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n")
        out.flush()

    with tempfile.TemporaryDirectory() as tmp:
        tree = Tree(os.path.abspath(a.dir), os.path.join(os.path.realpath(tmp), "copy"), a.pyright, a.python)
        before, opened = {}, set()
        for file, line, rule, message, severity in tree.check():
            if severity == "error":
                before[(file, line, rule)] = before.get((file, line, rule), 0) + 1
            elif rule == "reportUnknownMemberType" and message.split("\n")[0].endswith("is unknown"):
                at = tree.enclosing(file, line)
                if at:
                    opened.add(at.id)
        write({"t": "meta", "files": sorted(tree.texts), "open": sorted(opened)})
        targets = []
        for path in sorted(tree.decls):
            of = [d for d in tree.decls[path] if plain(tree, d)]
            names = [d.qname for d in tree.decls[path]]
            # What nobody else names breaks nobody.
            targets += [d for d in of if names.count(d.qname) == 1 and not d.node.name.startswith("test") and tree.named(d)]
        random.Random(a.seed).shuffle(targets)
        # As many of each sort as of the others; then of what there is more of.
        kinds = ("function", "class", "method")
        made = {(c, k): 0 for c in ("remove", "rename") for k in kinds}
        done = set()
        total = 0
        for share in (a.n // len(made), a.n):
            for d in targets:
                change = min((made[c, d.kind], c) for c in ("remove", "rename"))[1]
                if d.id in done or made[change, d.kind] >= share or sum(made.values()) >= a.n:
                    continue
                text, edit = (removed if change == "remove" else renamed)(tree, d)
                sites = broken(tree, d, before, text, change)
                done.add(d.id)
                if sites is None:
                    continue
                made[change, d.kind] += 1
                total += len(sites)
                write({"t": "mutation", "change": change, "kind": d.kind, "exported": not d.node.name.startswith("_"), "symbol": d.record(),
                       "broken": [{"symbol": at.record(), "sites": s} for _, (at, s) in sorted(sites.items())], "edits": [edit]})
        tree.server.close()
    print("%d changes broke %d declarations" % (sum(made.values()), total), file=sys.stderr)


if __name__ == "__main__":
    main()
