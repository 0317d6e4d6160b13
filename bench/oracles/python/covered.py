"""Compares the tests that kg selects for a changed function with those that run it.

    cd REPO && python3 -m pytest --cov=src --cov-context=test --cov-report= tests
    python3 -m coverage json --show-contexts -o coverage.json
    python3 covered.py -kg kg [-n 120] [-seed 1] [-root src/] REPO coverage.json

coverage.py says which tests execute a line of a function's body; kg is asked
which tests prove a change of the body. Functions inside of functions count to
those around them. Printed are the share of the pairs of a function and a test
that are selected (recall), how many tests are selected for one that is needed,
and the functions that miss most. Only for repositories that you trust: their
tests are run.
"""

import argparse
import ast
import json
import os
import random
import subprocess
import tempfile


def functions(path):
    """Yields the qualified name and the first and last line of each body."""
    with open(path, encoding="utf-8") as f:
        todo = [(ast.parse(f.read()), "")]
    while todo:
        node, prefix = todo.pop()
        for c in ast.iter_child_nodes(node):
            if isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = [s for s in c.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
                if body:
                    yield prefix + c.name, body[0].lineno, body[-1].end_lineno
            elif isinstance(c, ast.ClassDef):
                todo.append((c, prefix + c.name + "."))
            else:
                todo.append((c, prefix))


def truth(repo, root, coverage):
    """Returns the keys of functions with the tests that execute them."""
    out = {}
    for file, data in sorted(coverage["files"].items()):
        if not file.startswith(root):
            continue
        module = file[len(root):].removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        lines = {int(n): contexts for n, contexts in data["contexts"].items()}
        for name, first, last in functions(os.path.join(repo, file)):
            ran = {plain(c[: -len("|run")]) for n in range(first, last + 1) for c in lines.get(n, ()) if c.endswith("|run")}
            if ran:
                out[f"python:{module}#{name}"] = ran
    return out


def plain(test):
    """The id of a test without its parameters and the folder of its file."""
    return test.split("[")[0].rsplit("/", 1)[-1]


def selected(kg, graph, key):
    """Returns the tests that kg selects, or None if it does not know the function."""
    p = subprocess.run([kg, "-q", "impact", "--head", graph, "--symbol", key, "--change", "body", "-o", "json=-"],
                       capture_output=True, text=True, check=False)
    if p.returncode:
        return None
    tests = json.loads(p.stdout)["tests"]["tests"]
    return {plain(r["file"] + "::" + r["symbol"].replace(".", "::")) for t in tests for r in t.get("run_by") or [t]}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-kg", default="kg", help="the program to ask")
    p.add_argument("-n", type=int, default=120, help="how many functions are drawn")
    p.add_argument("-seed", type=int, default=1)
    p.add_argument("-root", default="src/", help="the folder of the modules, with a slash; empty for the repository's")
    p.add_argument("-misses", type=int, default=8, help="how many functions that miss tests are printed")
    p.add_argument("repo")
    p.add_argument("coverage")
    a = p.parse_args()
    with open(a.coverage, encoding="utf-8") as f:
        needs = truth(a.repo, a.root, json.load(f))
    keys = sorted(needs)
    random.Random(a.seed).shuffle(keys)
    asked = hit = need = chosen = 0
    missed = []
    with tempfile.TemporaryDirectory() as tmp:
        graph = os.path.join(tmp, "graph.kg")
        subprocess.run([a.kg, "-q", "build", "--no-cache", a.repo, "-o", graph], check=True)
        for key in keys[: a.n]:
            got = selected(a.kg, graph, key)
            if got is None:
                continue
            lacks = needs[key] - got
            asked, hit, need, chosen = asked + 1, hit + len(needs[key] & got), need + len(needs[key]), chosen + len(got)
            if lacks:
                missed.append((len(lacks), len(needs[key]), key, min(lacks)))
    print(f"{asked} functions: recall {hit / max(need, 1):.4f} ({hit} of {need}), {chosen / max(need, 1):.2f} tests selected for one that is needed")
    for lacks, of, key, example in sorted(missed, reverse=True)[: a.misses]:
        print(f"  {lacks} of {of} missed: {key}, {example}")


if __name__ == "__main__":
    main()
