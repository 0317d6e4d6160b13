// Tells which functions each test of a JavaScript or TypeScript repository
// executes. It is loaded into the runner, one process for each file of tests:
//
//	COVERED=out.jsonl node --require ./covered.cjs FILE                   node:test
//	COVERED=out.jsonl mocha --require ./covered.cjs FILE                  mocha
//	COVERED=out.jsonl vitest run --pool=forks with setupFiles: covered.cjs
//
// and appends lines to the file: the functions, and for each test those that ran
// in it. A function that is inside of others counts for them, too. What ran
// before the first test counts for all tests of the file, and what ran between
// two tests for the second. The tests run with your rights: only for
// repositories that you trust. bench/README.md has the format.
'use strict';

const fs = require('fs');
const path = require('path');
const url = require('url');
const { SourceMap } = require('module');
const { Session } = require('inspector');

const root = fs.realpathSync(process.env.COVERED_ROOT || process.cwd());
const out = path.resolve(process.env.COVERED || 'covered.jsonl');
const session = new Session();
session.connect();
const ask = (method, params) => {
  let result;
  session.post(method, params, (err, r) => { if (err) throw err; result = r; });
  return result;
};
const scripts = new Map(); // id → {file, starts, map, functions}
ask('Debugger.enable');
ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

// fileOf is the path of a script in the repository, or ''.
function fileOf(address) {
  let name = address.replace(/[?#].*$/, '');
  if (name.startsWith('file://')) name = url.fileURLToPath(name);
  if (!path.isAbsolute(name) || /\/node_modules\//.test(name)) return '';
  const rel = path.relative(root, name);
  return rel.startsWith('..') ? '' : rel;
}

function script(s) {
  if (scripts.has(s.scriptId)) return scripts.get(s.scriptId);
  const file = fileOf(s.url);
  let known;
  if (file) {
    const text = ask('Debugger.getScriptSource', { scriptId: s.scriptId }).scriptSource;
    const starts = [0];
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
    const m = text.match(/\/\/[#@] ?sourceMappingURL=data:application\/json;[^,]*base64,([A-Za-z0-9+/=]+)\s*$/);
    known = { file, text, starts, map: m && new SourceMap(JSON.parse(Buffer.from(m[1], 'base64').toString())), functions: new Map() };
  }
  scripts.set(s.scriptId, known);
  return known;
}

// place is the line of an offset of a script in its source.
function place(s, offset) {
  let lo = 0, hi = s.starts.length - 1;
  while (lo < hi) { const mid = (lo + hi + 1) >> 1; if (s.starts[mid] <= offset) lo = mid; else hi = mid - 1; }
  if (!s.map) return { line: lo + 1, col: offset - s.starts[lo] + 1 };
  const e = s.map.findEntry(lo, offset - s.starts[lo]);
  return e && e.originalLine !== undefined ? { line: e.originalLine + 1, col: e.originalColumn + 1 } : undefined;
}

const ids = new Map();
const lines = [];
function idOf(s, f) {
  const r = f.ranges[0];
  const at = place(s, r.startOffset);
  if (!at || !f.functionName) return 0;
  const name = f.functionName.split('.').pop().replace(/^(get|set|static|async) /, '');
  const key = s.file + ':' + at.line + ':' + name;
  if (!ids.has(key)) {
    ids.set(key, key);
    lines.push({ t: 'decl', key, name, dir: s.file, file: s.file, ...at });
  }
  return key;
}

// take returns the functions that ran since it was asked before.
function take() {
  const ran = new Set();
  for (const c of ask('Profiler.takePreciseCoverage').result) {
    const s = script(c);
    if (!s) continue;
    for (const f of c.functions) {
      const r = f.ranges[0];
      const k = r.startOffset + ' ' + r.endOffset;
      if (!s.functions.has(k)) s.functions.set(k, f);
    }
    for (const f of c.functions) {
      const r = f.ranges[0];
      if (!r.count || r.startOffset === 0 && r.endOffset >= s.text.length - 2) continue;
      for (const g of s.functions.values()) {
        const q = g.ranges[0];
        if (q.startOffset <= r.startOffset && q.endOffset >= r.endOffset) { const id = idOf(s, g); if (id) ran.add(id); }
      }
    }
  }
  return ran;
}

const tests = [];
let early; // before the first test
let between;
function before() {
  const ran = take();
  if (!early) { early = ran; between = new Set(); } else between = ran;
}
function after(name, file) {
  const ran = take();
  for (const id of between || []) ran.add(id);
  tests.push({ name, file, ran });
}

function finish() {
  if (!tests.length) return;
  const loaded = [...new Set([...scripts.values()].filter(Boolean).map((s) => s.file))].sort();
  const file = tests[0].file;
  lines.push({ t: 'closure', dir: file, deps: loaded });
  for (const t of tests) {
    for (const id of early || []) t.ran.add(id);
    lines.push({ t: 'test', dir: t.file, name: t.name.split(/\s+/).filter(Boolean).join(' '), ok: true, keys: [...t.ran].sort() });
  }
  fs.appendFileSync(out, lines.map((l) => JSON.stringify(l)).join('\n') + '\n');
  tests.length = 0;
}
process.on('exit', finish);

const relative = (f) => path.relative(root, fs.realpathSync(f));
exports.mochaHooks = {
  beforeEach() { before(); },
  afterEach() { after(this.currentTest.title, relative(this.currentTest.file)); },
};
if (globalThis.beforeEach && globalThis.afterEach && process.env.VITEST) {
  globalThis.beforeEach(() => before());
  globalThis.afterEach((c) => after(c.task.name, relative(c.task.file.filepath)));
  globalThis.afterAll(finish);
} else if (!/mocha/.test(path.basename(process.argv[1] || ''))) {
  const t = require('node:test');
  t.beforeEach(() => before());
  t.afterEach((c) => after(c.name, relative(process.argv[1])));
}
