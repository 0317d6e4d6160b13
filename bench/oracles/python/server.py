"""A pyright that keeps running: it reads a library once and is asked about many versions of a tree."""

import json
import os
import pathlib
import shlex
import subprocess

SEVERITIES = {1: "error", 2: "warning"}


class Server:
    """Talks to pyright's language server. Files are told by their paths below the root."""

    def __init__(self, command, root):
        self.root, self.count, self.open, self.version = root, 0, set(), 0
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root)
        folder = pathlib.Path(root).as_uri()
        self.ask("initialize", {
            "processId": os.getpid(), "rootUri": folder, "workspaceFolders": [{"uri": folder, "name": "root"}],
            "capabilities": {"workspace": {"workspaceFolders": True}, "textDocument": {"diagnostic": {"dynamicRegistration": False}}},
        })
        self.tell("initialized", {})

    def close(self):
        self.process.kill()
        self.process.wait()

    def uri(self, path):
        return pathlib.Path(self.root, path).as_uri()

    def diagnostics(self, texts):
        """What pyright says of files, given their texts: (file, line, rule, message, severity). Files that are not given are as they are on disk."""
        for path in sorted(self.open - texts.keys()):
            self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(path)}})
            self.open.remove(path)
        self.version += 1
        for path in sorted(texts):
            uri = self.uri(path)
            # A text that it has not seen: what it knows of a file that was closed in between may be out of date.
            text = "%s\n# %d\n" % (texts[path], self.version)
            if path in self.open:
                self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.version}, "contentChanges": [{"text": text}]})
            else:
                self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": self.version, "text": text}})
            self.open.add(path)
        found = []
        for path in sorted(texts):
            for d in self.ask("textDocument/diagnostic", {"textDocument": {"uri": self.uri(path)}}).get("items", []):
                if d.get("severity") in SEVERITIES:
                    found.append((path, d["range"]["start"]["line"] + 1, d.get("code", "syntax"), d["message"], SEVERITIES[d["severity"]]))
        return found

    def tell(self, method, params):
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params):
        for _ in range(100):
            self.count += 1
            ident = self.count
            self.write({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
            answer = self.answer(ident)
            if "error" not in answer:
                return answer["result"]
            if answer["error"].get("code") not in (-32801, -32802):  # the text changed, or the server wants to be asked again
                break
        raise RuntimeError("%s: %s" % (method, answer["error"]))

    def answer(self, ident):
        while True:
            m = self.read()
            if "method" not in m:
                if m.get("id") == ident:
                    return m
            elif "id" in m:  # the server asks, too
                result = [None] * len(m["params"]["items"]) if m["method"] == "workspace/configuration" else None
                self.write({"jsonrpc": "2.0", "id": m["id"], "result": result})

    def write(self, message):
        data = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def read(self):
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("pyright ended")
            if not line.strip():
                return json.loads(self.process.stdout.read(length))
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
