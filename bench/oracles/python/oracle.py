#!/usr/bin/env python3
"""Asks pyright what a Python repository's code refers to, and writes the answer
as JSON Lines (see bench/README.md):

    npm install @sourcegraph/scip-python
    python3 bench/oracles/python/oracle.py -scip "npx scip-python" -o OUT REPO
    python3 bench/oracles/python/oracle.py -index index.scip -o OUT REPO

pyright speaks through a SCIP index: which symbol stands at which place. What a
place is (a call, a base class, a value) comes from Python's own ast module. A
name that is imported is followed through the import statements first, because
the index has a wrong symbol for names that a package only has through
``from .x import *``. Sites that pyright leaves open judge nobody. Nothing of
the repository runs. Needs Python 3.10 or later and no package.
"""

import argparse
import ast
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile

# ---------------------------------------------------------------- SCIP, as data


def varint(b, i):
    r = s = 0
    while True:
        c = b[i]
        i += 1
        r |= (c & 127) << s
        if c < 128:
            return r, i
        s += 7


def fields(b):
    """Yields the fields of a protocol buffer message, numbers and bytes."""
    i = 0
    while i < len(b):
        key, i = varint(b, i)
        wire = key & 7
        if wire == 0:
            v, i = varint(b, i)
        elif wire == 2:
            n, i = varint(b, i)
            v = b[i : i + n]
            i += n
        elif wire in (1, 5):
            n = 8 if wire == 1 else 4
            v = b[i : i + n]
            i += n
        else:
            raise ValueError("not a SCIP index")
        yield key >> 3, v


def packed(b):
    out, i = [], 0
    while i < len(b):
        v, i = varint(b, i)
        out.append(v)
    return out


def read_index(path):
    """Returns the tool and, by file, the occurrences (line, col, symbol, is a definition)."""
    with open(path, "rb") as f:
        data = f.read()
    tool, docs = "", {}
    for number, value in fields(data):
        if number == 1:
            for n, v in fields(value):
                if n == 2:
                    parts = {k: x.decode() for k, x in fields(v) if k in (1, 2)}
                    tool = parts.get(1, "") + " " + parts.get(2, "")
        if number != 2:
            continue
        name, found = "", []
        for n, v in fields(value):
            if n == 1:
                name = v.decode()
            elif n == 2:
                occ = {}
                for k, x in fields(v):
                    occ[k] = x
                at = packed(occ[1])
                symbol = occ.get(2, b"").decode()
                found.append((at[0], at[1], symbol, bool(occ.get(3, 0) & 1)))
        docs[name] = found
    return tool.strip(), docs


# ---------------------------------------------------------------- the source

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Source:
    """One parsed file, with what is declared in it."""

    def __init__(self, path, text):
        self.path = path
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        self.id = path + ":0:0"
        self.test = is_test(path)
        self.package = os.path.basename(path) == "__init__.py"
        self.names = {}  # name at the top → definition id, the last one wins
        self.imports = {}  # name → (file, name or None) of an import at the top
        self.stars = []  # files that `import *` reads
        self.local_imports = {}  # id(node of a scope) → the same as imports
        self.symbols = {}  # (line, column) → symbols that pyright has there

    def byte_column(self, line, utf16):
        """Turns a column in UTF-16 units, from 0, into one in UTF-8 bytes, from 1."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return utf16 + 1
        return len(text.encode("utf-16-le")[: 2 * utf16].decode("utf-16-le", "ignore").encode()) + 1


def is_test(path):
    parts = path.split("/")
    base = parts[-1]
    return base.startswith("test_") or base.endswith("_test.py") or base == "conftest.py" or "tests" in parts[:-1] or "test" in parts[:-1]


def decorated(node, names):
    for d in node.decorator_list:
        d = d.func if isinstance(d, ast.Call) else d
        last = d.attr if isinstance(d, ast.Attribute) else d.id if isinstance(d, ast.Name) else ""
        if last in names or (names is PROPERTIES and last.endswith("property")):
            return True
    return False


PROPERTIES = {"property", "setter", "getter", "deleter"}


class Oracle:
    def __init__(self, root, files, docs):
        self.root, self.docs = root, docs
        self.files, self.defs, self.sites = [], {}, []
        self.sources = {}
        self.nodes = {}  # definition id → ast node
        self.bases = {}  # class id → list of class ids, None where unknown
        self.members = {}  # class id → name → definition id
        self.symbol_defs = {}  # symbol → definition ids
        for path in files:
            self.load(path)
        self.modules = {}
        for path in self.sources:
            stem = os.path.splitext(path)[0].removesuffix("/__init__")
            parts = stem.split("/")
            for i in range(len(parts)):
                if i and ("/".join(parts[:i]) + "/__init__.py" in self.sources or parts[i] in sys.stdlib_module_names):
                    continue  # no folder that Python would search, or one that the standard library goes before
                self.modules.setdefault(".".join(parts[i:]), []).append((i, path))

    def load(self, path):
        record = {"t": "file", "file": path, "judged": False}
        self.files.append(record)
        try:
            with open(os.path.join(self.root, path), encoding="utf-8-sig") as f:
                text = f.read()
            src = Source(path, text.replace("\r\n", "\n"))
        except (SyntaxError, ValueError, RecursionError, OSError) as e:
            record["reason"] = "unparsed: " + type(e).__name__
            return
        if path not in self.docs:
            record["reason"] = "not in the index"
            return
        record["judged"] = True
        if src.test:
            record["test"] = True
        self.sources[path] = src
        self.add({"id": src.id, "kind": "file", "name": os.path.basename(path), "qname": path, "file": path, "def_line": 1, "line": 1, "col": 1, "end_line": len(src.lines)}, src.tree, src)

    def add(self, d, node, src):
        d = {"t": "def", **d}
        if src.test:
            d["test"] = True
        self.defs.setdefault(d["id"], d)
        self.nodes.setdefault(d["id"], node)
        return d["id"]

    # ------------------------------------------------------------ definitions

    def declare(self):
        for src in self.sources.values():
            self.declare_body(src, src.tree.body, None, [], False)
        for path, occurrences in self.docs.items():
            src = self.sources.get(path)
            if src is None:
                continue
            for line, col, symbol, is_def in occurrences:
                at = (line + 1, src.byte_column(line + 1, col))
                if is_def and not symbol.startswith("local "):
                    ident = src.id if symbol.endswith("/__init__:") and at == (1, 1) else "%s:%d:%d" % (path, *at)
                    known = self.symbol_defs.setdefault(symbol, [])
                    if ident in self.defs and ident not in known:
                        known.append(ident)
                else:
                    src.symbols.setdefault(at, []).append(symbol)
                if is_def and symbol.startswith("local "):
                    src.symbols.setdefault(at, []).append(symbol)

    def declare_body(self, src, body, owner, scope, nested):
        """owner is the class around, scope the names around."""
        stack = list(reversed(body))
        while stack:
            node = stack.pop()
            if isinstance(node, FUNCTIONS):
                ident = self.named(src, node, "method" if owner else "function", owner, scope, nested)
                if owner is None and not nested:
                    src.names[node.name] = ident
                inner = scope + [node.name]
                if owner and not nested:
                    self.instance_fields(src, node, owner, scope)
                self.declare_body(src, node.body, None, inner, True)
            elif isinstance(node, ast.ClassDef):
                ident = self.named(src, node, "class", owner, scope, nested)
                if owner is None and not nested:
                    src.names[node.name] = ident
                self.members.setdefault(ident, {})
                self.declare_body(src, node.body, ident, scope + [node.name], nested)
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With, ast.AsyncWith, ast.AsyncFor, ast.NamedExpr)) and (owner or not nested):
                for target in targets_of(node):
                    kind = "field" if owner else "variable"
                    ident = self.value(src, target.id, target.lineno, target.col_offset + 1, kind, owner, scope, node, nested)
                    if owner is None:
                        src.names.setdefault(target.id, ident)
            for child in reversed(statements_in(node)):
                stack.append(child)

    def named(self, src, node, kind, owner, scope, nested):
        keyword = "class " if isinstance(node, ast.ClassDef) else "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
        line, col = node.lineno, node.col_offset + len(keyword)
        raw = self.raw(src, line)
        # More than one space, or a line break, after the keyword.
        found = raw.find(node.name.encode(), node.col_offset + len(keyword) - 1)
        if found >= 0:
            col = found
        def_line = min([node.lineno] + [d.lineno for d in node.decorator_list])
        if kind == "method" and node.name in ("__init__", "__new__"):
            kind = "constructor"
        d = {"id": "%s:%d:%d" % (src.path, line, col + 1), "kind": kind, "name": node.name, "qname": ".".join(scope + [node.name]), "file": src.path,
             "def_line": def_line, "line": line, "col": col + 1, "end_line": node.end_lineno}
        if owner:
            d["parent"] = owner
            self.members[owner][node.name] = d["id"]
        if nested:
            d["minor"] = True
        return self.add(d, node, src)

    def value(self, src, name, line, col, kind, owner, scope, node, minor=False):
        ident = "%s:%d:%d" % (src.path, line, col)
        known = self.members[owner].get(name) if owner else src.names.get(name)
        if known:
            return known
        d = {"id": ident, "kind": kind, "name": name, "qname": ".".join(scope + [name]), "file": src.path, "def_line": line, "line": line, "col": col, "end_line": node.end_lineno}
        if owner:
            d["parent"] = owner
            self.members[owner][name] = ident
        if minor:
            d["minor"] = True
        return self.add(d, node, src)

    def instance_fields(self, src, function, owner, scope):
        args = function.args.posonlyargs + function.args.args
        if not args or decorated(function, {"staticmethod"}):
            return
        this = args[0].arg
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == this:
                line, col = last_token(node)
                self.value(src, node.attr, line, col, "field", owner, scope, node)

    def raw(self, src, line):
        return src.lines[line - 1].encode() if line <= len(src.lines) else b""

    # ------------------------------------------------------------ imports

    def module(self, name, near):
        """The file of a module, the nearest to the root, or the one below a common folder."""
        found = self.modules.get(name)
        if not found:
            return None
        top = near.split("/")[0]
        return min(found, key=lambda f: (f[0] > 1, f[1].split("/")[0] != top, f[0], f[1].endswith(".pyi"), f[1]))[1]

    def read_imports(self):
        for src in self.sources.values():
            for node in ast.walk(src.tree):
                if isinstance(node, ast.Import):
                    for a in node.names:
                        target = self.module(a.name if a.asname else a.name.split(".")[0], src.path)
                        if target:
                            src.imports.setdefault(a.asname or a.name.split(".")[0], (target, None))
                        self.import_site(src, self.module(a.name, src.path), a)
                elif isinstance(node, ast.ImportFrom):
                    base = self.from_module(src, node)
                    for a in node.names:
                        full = (base[0] + "." + a.name) if base and base[0] else a.name
                        if a.name == "*":
                            if base and base[1]:
                                src.stars.append(base[1])
                                self.import_site(src, base[1], node)
                            continue
                        sub = self.module(full, src.path) if base and (base[1] is None or base[1].endswith("__init__.py")) else None
                        if base and base[1]:
                            src.imports.setdefault(a.asname or a.name, (base[1], a.name))
                            self.import_site(src, base[1], node)
                        if sub and not (base[1] and a.name in self.sources[base[1]].names):
                            self.import_site(src, sub, a)
                            if not base[1]:
                                src.imports.setdefault(a.asname or a.name, (sub, None))

    def from_module(self, src, node):
        """The dotted name and the file that `from X import` names; None outside."""
        if node.level:
            folder = src.path.split("/")[: -node.level]
            path = folder + (node.module.split(".") if node.module else [])
            for name in ("/".join(path) + ".py", "/".join(path + ["__init__.py"])):
                if name in self.sources:
                    return ".".join(path), name
            return (".".join(path), None) if any(p.startswith("/".join(path) + "/") for p in self.sources) else None
        file = self.module(node.module, src.path)
        if file:
            return node.module, file
        return (node.module, None) if any(k.startswith(node.module + ".") for k in self.modules) else None

    def import_site(self, src, target, node):
        if target and target != src.path:
            self.sites.append({"t": "site", "kind": "imports", "from": src.id, "to": self.sources[target].id, "file": src.path, "line": node.lineno, "col": node.col_offset + 1, "name": os.path.basename(target)})

    def follow(self, file, name, seen=None):
        """The definition that a module's name stands for, through imports."""
        seen = seen if seen is not None else set()
        if (file, name) in seen or len(seen) > 200:
            return None
        seen.add((file, name))
        src = self.sources.get(file)
        if src is None:
            return None
        if name in src.imports:
            target, original = src.imports[name]
            if original is None:
                return None if name in src.names else self.sources[target].id
            found = self.follow(target, original, seen)
            if found or name not in src.names:
                return found or self.submodule(target, original)
        if name in src.names:
            return src.names[name]
        for star in src.stars:
            found = None if name.startswith("_") else self.follow(star, name, seen)
            if found:
                return found
        return self.submodule(file, name)

    def submodule(self, file, name):
        if not file.endswith("__init__.py"):
            return None
        folder = file[: -len("__init__.py")]
        for path in (folder + name + ".py", folder + name + "/__init__.py"):
            if path in self.sources:
                return self.sources[path].id
        return None

    # ------------------------------------------------------------ sites

    def look(self, src, node, bound):
        """What stands at the last token of an expression: ("def", ids) | ("ext", name) | ("value",) | ("open",)."""
        if isinstance(node, ast.Name):
            at = (node.lineno, node.col_offset + 1)
        elif isinstance(node, ast.Attribute):
            at = last_token(node)
        elif isinstance(node, (ast.Call, ast.Subscript, ast.Lambda, ast.IfExp, ast.BoolOp, ast.Await)):
            return ("value",)
        else:
            return ("open",)
        symbols = list(dict.fromkeys(src.symbols.get(at, [])))
        if isinstance(node, ast.Name) and node.id not in bound and not any(s.startswith("local ") for s in symbols) and node.id in src.imports:
            found = self.follow(src.path, node.id)
            if found:
                return ("def", [found])
        if isinstance(node, ast.Name) and node.id not in bound and node.id in src.names and symbols and all(" builtins/" in s for s in symbols):
            return ("def", [src.names[node.id]])  # the file has a name of the language for itself
        if isinstance(node, ast.Attribute):
            module = self.module_of(src, node.value, bound)
            if module:
                found = self.follow(module, node.attr)
                if found:
                    return ("def", [found])
        if not symbols:
            return ("open",)
        ids, ext, value = [], "", False
        for s in symbols:
            if s.startswith("local ") or s.endswith(")"):
                value = True
                continue
            found = self.symbol_defs.get(s)
            if found:
                ids += [f for f in found if f not in ids]
            elif isinstance(node, ast.Attribute) and s.endswith("builtins/object#__class__()."):
                value = True  # a property; what is called is its value
            elif isinstance(node, ast.Attribute) and s.endswith("#") and " builtins/" in s and not (isinstance(node.value, ast.Name) and node.value.id == "builtins"):
                pass  # an attribute that is not resolved, such as x.set, has the symbol of a builtin class of its name
            elif s.endswith(("().", "#")):
                ext = ext or s.split(" ", 4)[-1]
            elif s.endswith((".", ":")):
                value = True
        if ids:
            return ("def", ids)
        if ext and not any(self.inside(s) for s in symbols):
            return ("ext", ext)
        return ("value",) if value and not ext else ("open",)

    def inside(self, symbol):
        """Whether a symbol without a definition claims to be of the repository."""
        parts = symbol.split(" ")
        return len(parts) > 4 and parts[2] == self.project

    def module_of(self, src, node, bound):
        """The file of an expression that names a module by imports."""
        if isinstance(node, ast.Name) and node.id in src.imports and node.id not in bound:
            found = self.follow(src.path, node.id)
        elif isinstance(node, ast.Attribute):
            outer = self.module_of(src, node.value, bound)
            found = self.follow(outer, node.attr) if outer else None
        else:
            return None
        return self.defs[found]["file"] if found and self.defs[found]["kind"] == "file" else None

    def walk(self):
        for src in self.sources.values():
            self.walk_scope(src, src.tree, [src.id], None, frozenset())
        self.relate()

    def walk_scope(self, src, scope, origins, owner, bound):
        """Visits what belongs to one scope. origins: who its sites count to, the best first."""
        top = not isinstance(scope, FUNCTIONS)
        queue = [(n, origins) for n in reversed(scope.body)]
        while queue:
            node, froms = queue.pop()
            if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
                ident = self.ident(src, node)
                outside = froms + [ident]
                for d in node.decorator_list:
                    self.decoration(src, d, outside, bound)
                    queue.append((d, outside))
                if isinstance(node, ast.ClassDef):
                    self.extends(src, node, ident, bound)
                    queue += [(e, outside) for e in node.bases] + [(k.value, outside) for k in node.keywords]
                    inner = [ident] + [f for f in froms if f != ident]
                    self.walk_scope(src, node, inner, ident, bound)
                    continue
                for e in signature_parts(node):
                    queue.append((e, outside))
                minor = self.defs[ident].get("minor")
                inner = froms + [ident] if minor and self.defs[froms[0]]["kind"] in ("function", "method", "constructor") else [ident]
                self.walk_scope(src, node, inner, owner if owner else None, bound | local_names(node))
                continue
            if isinstance(node, ast.Call):
                self.call(src, node, froms, bound)
            elif isinstance(node, ast.Subscript) and isinstance(node.value, (ast.Name, ast.Attribute)):
                # The methods that a subscript runs have no symbol.
                name = node.value
                line, col = last_token(name) if isinstance(name, ast.Attribute) else (name.lineno, name.col_offset + 1)
                self.site(src, "calls", froms, line, col, getattr(name, "attr", getattr(name, "id", "")), dynamic=True, shape="subscript")
            elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                self.value_use(src, node, froms, bound)
            elif top and isinstance(node, (ast.Assign, ast.AnnAssign)):
                holders = [self.member_or_name(src, owner, t.id) for t in targets_of(node)]
                holders = [h for h in holders if h]
                if holders and owner is None:
                    froms = holders + froms
                elif holders:
                    froms = froms + holders
            if isinstance(node, ast.Lambda):
                bound_here = {a.arg for a in all_args(node.args)}
                self.lambda_body(src, node, froms, bound | bound_here)
                queue += [(e, froms) for e in node.args.defaults + [d for d in node.args.kw_defaults if d]]
                continue
            for child in reversed(list(ast.iter_child_nodes(node))):
                if isinstance(node, ast.Call) and child is node.func and not isinstance(child, ast.Name):
                    queue += [(c, froms) for c in ast.iter_child_nodes(child)] if isinstance(child, ast.Attribute) else [(child, froms)]
                elif not (isinstance(node, ast.Call) and child is node.func):
                    queue.append((child, froms))

    def lambda_body(self, src, node, froms, bound):
        shell = ast.FunctionDef(name="", body=[ast.Expr(value=node.body)], decorator_list=[])
        self.walk_scope(src, shell, froms, None, bound)

    def ident(self, src, node):
        for d in self.by_node.get(id(node), ()):
            return d
        raise KeyError(node.name)

    def member_or_name(self, src, owner, name):
        return self.members[owner].get(name) if owner else src.names.get(name)

    def site(self, src, kind, froms, line, col, name, **more):
        s = {"t": "site", "kind": kind, "from": froms[0]}
        if len(froms) > 1:
            s["from_or"] = froms[1:]
        s.update(more)
        s.update({"file": src.path, "line": line, "col": col, "name": name})
        if src.test:
            s["tags"] = ["test"]
        self.sites.append(s)

    def call(self, src, node, froms, bound, func=None, shape="call"):
        func = func if func is not None else node.func
        if isinstance(func, ast.Attribute):
            (line, col), name = last_token(func), func.attr
            shape = "super()." if isinstance(func.value, ast.Call) and isinstance(func.value.func, ast.Name) and func.value.func.id == "super" else type(func.value).__name__.lower() + "."
        elif isinstance(func, ast.Name):
            line, col, name = func.lineno, func.col_offset + 1, func.id
        else:
            self.site(src, "calls", froms, func.end_lineno, func.end_col_offset, "", dynamic=True, shape=shape)
            return
        what = self.look(src, func, bound)
        if what[0] == "open":
            self.site(src, "calls", froms, line, col, name, open=True, shape=shape)
        elif what[0] == "value":
            self.site(src, "calls", froms, line, col, name, dynamic=True, shape=shape)
        elif what[0] == "ext":
            self.site(src, "calls", froms, line, col, name, ext=what[1], shape=shape)
        else:
            self.call_to(src, froms, line, col, name, what[1], shape)

    def call_to(self, src, froms, line, col, name, ids, shape):
        callable_ids, classes = [], []
        for i in self.implemented(ids):
            d, node = self.defs[i], self.nodes[i]
            if d["kind"] == "class":
                classes.append(i)
            elif d["kind"] in ("function", "method", "constructor"):
                if decorated(node, PROPERTIES):
                    self.site(src, "calls", froms, line, col, name, dynamic=True, shape=shape)
                    return
                callable_ids.append(i)
            else:
                self.site(src, "calls", froms, line, col, name, dynamic=True, shape=shape)
                return
        if not callable_ids and not classes:
            self.site(src, "calls", froms, line, col, name, open=True, shape=shape)
            return
        to = list(reversed(callable_ids))
        for c in classes:
            self.site(src, "instantiates", froms, line, col, name, to=c, shape=shape)
            to += self.constructors(c)
        more = {"to_or": to[1:]} if len(to) > 1 else {}
        self.site(src, "calls", froms, line, col, name, to=to[0], shape=shape, **more)

    def implemented(self, ids):
        """The definitions, and for one of several signatures the function behind it."""
        out = list(ids)
        for i in ids:
            d, node = self.defs[i], self.nodes[i]
            if isinstance(node, FUNCTIONS) and decorated(node, {"overload"}):
                names = self.members.get(d.get("parent")) or self.sources[d["file"]].names
                other = names.get(d["name"])
                if other and other not in out:
                    out.append(other)
        return out

    def decoration(self, src, d, froms, bound):
        if isinstance(d, ast.Call):
            return  # a call like any other, and then one of its result
        if isinstance(d, ast.Attribute) and d.attr in PROPERTIES:
            return
        self.call(src, None, froms, bound, func=d, shape="decorator")

    def value_use(self, src, node, froms, bound):
        what = self.look(src, node, bound)
        if what[0] != "def":
            return
        line, col = last_token(node) if isinstance(node, ast.Attribute) else (node.lineno, node.col_offset + 1)
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        ids = what[1]
        d = self.defs[ids[-1]]
        if d["kind"] in ("function", "method", "constructor"):
            if decorated(self.nodes[d["id"]], PROPERTIES):
                kind, more = "reads", {"optional": True}
            else:
                kind, more = "references", {}
            others = [i for i in ids if i != d["id"]]
            self.site(src, kind, froms, line, col, name, to=d["id"], **({"to_or": others} if others else {}), **more)

    def extends(self, src, node, ident, bound):
        bases = []
        for e in node.bases:
            inner = e.value if isinstance(e, ast.Subscript) else e
            what = self.look(src, inner, bound)
            line, col = last_token(inner) if isinstance(inner, ast.Attribute) else (inner.lineno, inner.col_offset + 1)
            name = inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
            if what[0] in ("open", "value") and isinstance(inner, ast.Name) and name not in bound:
                # The index has a symbol of its own for the base of a class inside of a function.
                found = self.follow(src.path, name)
                if found:
                    what = ("def", [found])
            classes = [i for i in what[1] if self.defs[i]["kind"] == "class"] if what[0] == "def" else []
            if classes:
                more = {"to_or": classes[1:]} if len(classes) > 1 else {}
                self.site(src, "extends", [ident], line, col, name, to=classes[0], **more)
                bases.append(classes[0])
            elif what[0] == "ext":
                self.site(src, "extends", [ident], line, col, name, ext=what[1])
                bases.append(what[1])
            else:
                self.site(src, "extends", [ident], line, col, name, open=True)
                bases.append(None)
        self.bases[ident] = bases

    # ------------------------------------------------------------ hierarchy

    def mro(self, c, seen=()):
        """The C3 linearisation; None stands for an unknown base, other strings for external ones."""
        if c not in self.bases:
            return [c]
        if c in seen:
            return [c, None]
        lists = [self.mro(b, seen + (c,)) if b else [None] for b in self.bases[c]]
        lists.append(list(self.bases[c]))
        out = [c]
        lists = [list(x) for x in lists if x]
        while lists:
            for l in lists:
                head = l[0]
                if head is None or not any(head in other[1:] for other in lists):
                    break
            else:
                return out + [None]
            out.append(head)
            lists = [[x for i, x in enumerate(l) if not (x == head and i == 0)] for l in lists]
            lists = [l for l in lists if l]
        return out

    def constructors(self, c):
        """What runs for C(): the nearest declared constructor, else the class; all of them where a base is outside."""
        found, unsure = [], False
        for b in self.mro(c):
            if b is None or b not in self.bases:
                unsure = True
                continue
            for name in ("__init__", "__new__"):
                m = self.members.get(b, {}).get(name)
                if m:
                    found.append(m)
            if found and not unsure:
                break
        if not found:
            return [c]
        return [c] + found if unsure else found + [c]

    def relate(self):
        for c in self.bases:
            line = self.mro(c)
            if None in line:  # what is known of its methods is not all
                for m in self.members.get(c, {}).values():
                    if self.defs[m]["kind"] in ("method", "constructor"):
                        self.defs[m]["unjudged"] = ["overrides"]
            for name, m in sorted(self.members.get(c, {}).items()):
                d = self.defs[m]
                if d["kind"] not in ("method", "constructor") or (name.startswith("__") and not name.endswith("__")):
                    continue
                first = True
                for b in line[1:]:
                    if b is None or b not in self.bases:
                        first = first and b is not None and b in EMPTY
                        continue
                    other = self.members.get(b, {}).get(name)
                    if other and self.defs[other]["kind"] in ("method", "constructor"):
                        s = {"t": "site", "kind": "overrides", "from": m, "to": other, "file": d["file"], "line": d["line"], "col": d["col"], "name": name}
                        if not first or d["kind"] == "constructor" or d.get("minor"):
                            s["optional"] = True
                        self.sites.append(s)
                        first = False

    def run(self, project):
        self.project = project
        self.declare()
        self.by_node = {}
        for i, n in self.nodes.items():
            if isinstance(n, FUNCTIONS + (ast.ClassDef,)):
                self.by_node.setdefault(id(n), []).append(i)
        self.read_imports()
        # Bases first: constructors need them.
        self.walk_order()
        self.walk()

    def walk_order(self):
        keep, self.sites = self.sites, []
        for src in self.sources.values():
            stack = [(src.tree, frozenset())]
            while stack:
                node, bound = stack.pop()
                if isinstance(node, ast.ClassDef) and self.by_node.get(id(node)):
                    self.extends(src, node, self.ident(src, node), bound)
                elif isinstance(node, FUNCTIONS):
                    bound = bound | local_names(node)
                stack += [(c, bound) for c in ast.iter_child_nodes(node)]
        self.sites = keep


EMPTY = {"builtins/object#"}


# ---------------------------------------------------------------- syntax helpers


def last_token(node):
    """Line and column of the name of an attribute access."""
    return node.end_lineno, node.end_col_offset - len(node.attr.encode()) + 1


def targets_of(node):
    if isinstance(node, ast.Assign):
        todo = list(node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor, ast.NamedExpr)):
        todo = [node.target]
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        todo = [i.optional_vars for i in node.items if i.optional_vars]
    else:
        todo = []
    out = []
    while todo:
        t = todo.pop(0)
        if isinstance(t, ast.Name):
            out.append(t)
        elif isinstance(t, (ast.Tuple, ast.List)):
            todo = list(t.elts) + todo
        elif isinstance(t, ast.Starred):
            todo.insert(0, t.value)
    return out


def statements_in(node):
    """The statements below a compound statement that is no declaration."""
    if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
        return []
    out = []
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        value = getattr(node, field, None)
        if isinstance(value, list):
            out += value
    return out


def signature_parts(node):
    a = node.args
    parts = a.defaults + [d for d in a.kw_defaults if d] + [x.annotation for x in all_args(a) if x.annotation]
    return parts + ([node.returns] if node.returns else [])


def all_args(a):
    return a.posonlyargs + a.args + a.kwonlyargs + ([a.vararg] if a.vararg else []) + ([a.kwarg] if a.kwarg else [])


def local_names(function):
    """Names bound in a function, other than by import."""
    names = {a.arg for a in all_args(function.args)}
    todo = list(function.body)
    while todo:
        n = todo.pop()
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            names.add(n.id)
        if isinstance(n, FUNCTIONS + (ast.ClassDef,)):
            names.add(n.name)
            continue
        if isinstance(n, ast.ExceptHandler) and n.name:
            names.add(n.name)
        todo += ast.iter_child_nodes(n)
    return frozenset(names)


# ---------------------------------------------------------------- main


def list_files(root):
    try:
        out = subprocess.run(["git", "-C", root, "ls-files", "-z", "*.py", "*.pyi"], capture_output=True, check=True).stdout.decode("utf-8", "replace")
        files = [f for f in out.split("\0") if f]
    except (OSError, subprocess.CalledProcessError):
        files = []
        for folder, dirs, names in os.walk(root):
            dirs.sort()
            files += [os.path.relpath(os.path.join(folder, n), root).replace(os.sep, "/") for n in names if n.endswith((".py", ".pyi"))]
    return sorted(f for f in files if os.path.isfile(os.path.join(root, f)) and not os.path.islink(os.path.join(root, f)))


def make_index(command, root, files, tmp):
    """Indexes a copy, so that no setting of the repository leaves files out and nothing is written there."""
    copy = os.path.join(tmp, "copy")
    for f in files:
        to = os.path.join(copy, f)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copyfile(os.path.join(root, f), to)
    with open(os.path.join(copy, "pyrightconfig.json"), "w") as f:
        json.dump({"include": ["."]}, f)
    index = os.path.join(tmp, "index.scip")
    args = ["index", ".", "--quiet", "--project-name=project", "--project-version=0", "--output=" + index]
    subprocess.run(shlex.split(command) + args, cwd=copy, check=True, stdout=sys.stderr, stdin=subprocess.DEVNULL)
    return index


def main():
    p = argparse.ArgumentParser(description="what pyright says about a Python repository, as JSON Lines")
    p.add_argument("-scip", default="scip-python", help="the command that runs scip-python (npm: @sourcegraph/scip-python)")
    p.add_argument("-index", help="an index that was made before")
    p.add_argument("-o", default="-", help="file to write")
    p.add_argument("dir")
    a = p.parse_args()
    sys.setrecursionlimit(10000)
    root = os.path.abspath(a.dir)
    files, project = list_files(root), "project"
    with tempfile.TemporaryDirectory() as tmp:
        index = a.index
        if not index:
            index = make_index(a.scip, root, files, tmp)
        tool, docs = read_index(index)
    for occurrences in docs.values():
        named = [s.split(" ")[2] for _, _, s, d in occurrences if d and s.startswith("scip-python ")]
        if named:
            project = named[0]
            break
    o = Oracle(root, files, docs)
    o.run(project)
    defs = sorted(o.defs.values(), key=lambda d: (d["file"], d["line"], d["col"], d["id"]))
    sites = sorted(o.sites, key=lambda s: (s["file"], s["line"], s["col"], s["kind"], s.get("to", ""), json.dumps(s)))
    out = sys.stdout if a.o == "-" else open(a.o, "w", encoding="utf-8")
    meta = {"t": "meta", "schema": "kg.oracle/v1", "lang": "python", "tool": "%s, Python %s" % (tool or "scip-python", platform.python_version()), "closed": ["extends"], "relations": ["overrides"]}
    for r in [meta, *o.files, *defs, *sites, {"t": "end", "defs": len(defs), "sites": len(sites), "open": sum(1 for s in sites if s.get("open"))}]:
        out.write(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n")
    if out is not sys.stdout:
        out.close()
    kinds = {}
    for s in sites:
        k = s["kind"] + (" open" if s.get("open") else " dynamic" if s.get("dynamic") else " external" if s.get("ext") else "")
        kinds[k] = kinds.get(k, 0) + 1
    print(", ".join("%s %d" % kv for kv in sorted(kinds.items())), file=sys.stderr)


if __name__ == "__main__":
    main()
