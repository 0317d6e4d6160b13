#!/usr/bin/env python3
"""Reads every export of a graph with programs that are not kg's, and compares.

    python3 bench/exports/check.py [-kg kg] [-scip scip] [-mermaid DIR] GRAPH.kg...

It needs sqlite3, jq, gc (Graphviz) and networkx; the scip program and a folder
with the npm packages mermaid and jsdom are used if they are named. JSON Lines,
read by jq, say how many nodes, edges and places of edges there are; all other
forms have to say the same of what they hold. SQLite has who contains what as a
column; DOT draws only types, functions and routes.
"""
import argparse, csv, os, subprocess, sys, tempfile

csv.field_size_limit(1 << 30)


def run(*args, **kw):
    return subprocess.run(args, check=True, text=True, stdout=subprocess.PIPE, **kw).stdout


def check(kg, scip, mermaid, graph):
    import networkx

    bad = []

    def same(what, got, want):
        if got != want:
            bad.append(f"{what}: {got}, not {want}")

    with tempfile.TemporaryDirectory() as tmp:
        at = lambda name: os.path.join(tmp, name)
        forms = {"sqlite": "g.db", "json": "g.json", "jsonl": "g.jsonl", "graphml": "g.graphml", "dot": "g.dot", "mermaid": "g.mmd",
                 "csv": "e.csv", "csv-nodes": "n.csv", "scip": "g.scip"}
        run(kg, "export", graph, "-q", *[a for f, n in forms.items() for a in ("-o", f + "=" + at(n))])
        lines = run("jq", "-r", "[.t, .from, .to, .kind, .line // 0] | @tsv", at("g.jsonl")).splitlines()
        rows = [l.split("\t") for l in lines]
        nodes = sum(r[0] == "node" for r in rows)
        places = sum(r[0] == "edge" for r in rows)
        pairs = len({tuple(r[1:4]) for r in rows if r[0] == "edge"})

        contains = sum(r[0] == "edge" and r[3] == "contains" for r in rows)

        sql = lambda q: int(run("sqlite3", "-readonly", at("g.db"), q))
        same("sqlite: integrity", run("sqlite3", "-readonly", at("g.db"), "PRAGMA integrity_check").strip(), "ok")
        same("sqlite: nodes", sql("SELECT count(*) FROM nodes"), nodes)
        same("sqlite: pairs", sql("SELECT count(*) FROM (SELECT DISTINCT src, dst, kind FROM edges)"), pairs - contains)
        same("sqlite: parents", sql("SELECT count(*) FROM nodes WHERE parent IS NOT NULL"), contains)
        for view in run("sqlite3", "-readonly", at("g.db"), "SELECT name FROM sqlite_schema WHERE type = 'view'").split():
            sql(f'SELECT count(*) FROM "{view}"')
        sql("SELECT count(*) FROM nodes_fts WHERE nodes_fts MATCH 'get OR read OR open'")

        same("json: nodes", int(run("jq", ".nodes | length", at("g.json"))), nodes)
        same("json: _metadata", int(run("jq", "._metadata.node_count", at("g.json"))), nodes)
        # Every end of an edge is a node.
        same("json: ends", run("jq", "(.nodes | map({(.id): 1}) | add) as $n | [.edges[] | select(($n[.source // .from] and $n[.target // .to]) | not)] | length",
                               at("g.json")).strip(), "0")

        ml = networkx.read_graphml(at("g.graphml"), force_multigraph=True)
        same("graphml: nodes", ml.number_of_nodes(), nodes)
        same("graphml: pairs", len({(a, b, d["relation"]) for a, b, d in ml.edges(data=True)}), pairs)

        with open(at("n.csv"), newline="", encoding="utf-8") as f:
            same("csv-nodes", sum(1 for _ in csv.DictReader(f)), nodes)
        with open(at("e.csv"), newline="", encoding="utf-8") as f:
            same("csv", sum(1 for _ in csv.DictReader(f)), places)

        # Counted by Graphviz; laying out a graph of this size takes too long.
        count = run("gc", "-n", "-e", at("g.dot")).split()
        same("dot: some of the nodes and pairs", 0 < int(count[0]) <= nodes and 0 <= int(count[1]) <= pairs, True)
        said = ["sqlite3, jq, networkx, csv, gc"]
        if scip:
            run(scip, "stats", "--from", at("g.scip"), stderr=subprocess.DEVNULL)
            # The linter looks for the other end of a relationship before it has read
            # all documents, so that this one of its errors says nothing.
            lint = subprocess.run([scip, "lint", at("g.scip")], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
            same("scip lint", sum("error" in l and "has a relationship to" not in l for l in lint.stdout.splitlines()), 0)
            run(scip, "print", at("g.scip"), stderr=subprocess.DEVNULL, timeout=120)
            said.append("scip")
        if mermaid:
            with open(at("g.mmd"), encoding="utf-8") as f, open(at("m.md"), "w", encoding="utf-8") as o:
                o.write("```mermaid\n" + f.read() + "```\n")
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.ci/mermaid.mjs")
            run("node", script, at("m.md"), cwd=mermaid)
            said.append("mermaid")
        print(f"{graph}: {nodes} nodes, {pairs} pairs, {places} places; {', '.join(said)}: " + ("; ".join(bad) or "the same"))
    return not bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-kg", default="kg")
    p.add_argument("-scip", default="")
    p.add_argument("-mermaid", default="")
    p.add_argument("graph", nargs="+")
    a = p.parse_args()
    sys.exit(0 if all([check(a.kg, a.scip, a.mermaid, g) for g in a.graph]) else 1)


main()
