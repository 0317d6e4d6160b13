#!/usr/bin/env node
// Changes declarations of a TypeScript repository one by one and writes what the
// compiler complains of then and did not before, in the format of bench/mutate:
//
//   npm install typescript@5
//   node bench/oracles/typescript/mutate.cjs [-typescript DIR] [-n 60] [-seed 1] [-kinds LIST] [-only FOLDERS] [-o FILE] REPO
//
// Nothing is written to the repository: the compiler reads edited text, in which
// lines stay where they are. Checked again are the files that import the edited
// one, over any number of steps, and have a name of the declaration or of its
// owner, also one that it is passed on by or that a variable has which is given
// it. Of an import that finds nothing the compiler does not say who uses it:
// those are the uses that it had resolved before. Where a comment tells it not to
// complain, who has the name there is broken or not.
//
// The kind withdraw, which has to be asked for, takes what a file passes on: one
// name of `export { a } from 'b'`, or all of `export * from 'b'`.
'use strict';

const fs = require('fs');
const path = require('path');

const args = process.argv.slice(2);
const flags = { typescript: '', o: '-', n: '60', seed: '1', kinds: 'add-parameter,remove-parameter,remove,rename', only: '' };
while (args.length && args[0].startsWith('-')) flags[args.shift().replace(/^-+/, '')] = args.shift();
if (args.length !== 1) {
  console.error('usage: mutate.cjs [-typescript DIR] [-n N] [-seed N] [-kinds LIST] [-only FOLDERS] [-o FILE] REPO');
  process.exit(2);
}
const ts = require(flags.typescript ? path.resolve(flags.typescript, 'node_modules/typescript') : 'typescript');
const K = ts.SyntaxKind;
const repo = require('./repo.cjs')(ts, fs.realpathSync(args[0]));
const { isTest, rel, abs, defs, byNode, tests, kindOf, nameNode, containerOf, define, originsOf, each, unwrap, isFunctionLike } = repo;

const out = flags.o === '-' ? 1 : fs.openSync(flags.o, 'w');
const write = (r) => fs.writeSync(out, JSON.stringify(r) + '\n');
const cmp = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

// ------------------------------------------------------------------ projects

// Errors about what is not used any more, and what should have been in error.
const IDLE = new Set([2578, 6133, 6138, 6192, 6196, 6198, 6199, 6205]);

// A project is a program of its own, which is made again with one file edited.
class Project {
  constructor({ options, files }) {
    this.options = options;
    this.files = files;
    this.host = ts.createCompilerHost(options, true);
    const read = this.host.getSourceFile.bind(this.host);
    const cache = new Map();
    this.edited = new Map(); // of the absolute path: another text
    this.host.getSourceFile = (name, how, ...rest) => {
      if (this.edited.has(name)) return ts.createSourceFile(name, this.edited.get(name), how, true);
      if (!cache.has(name)) cache.set(name, read(name, how, ...rest));
      return cache.get(name);
    };
    this.program = ts.createProgram({ rootNames: files.map(abs), options, host: this.host });
    this.checker = this.program.getTypeChecker();
    this.known = new Map(); // errors of a file, by key
    this.other = undefined; // of the id of a declaration: names and ids of what stands for it
    this.importers = new Map();
    for (const sf of this.program.getSourceFiles()) {
      for (const i of sf.imports || []) {
        const to = this.checker.getSymbolAtLocation(i)?.declarations?.find(ts.isSourceFile)?.fileName;
        if (!to) continue;
        if (!this.importers.has(to)) this.importers.set(to, new Set());
        this.importers.get(to).add(sf.fileName);
      }
    }
  }

  has(file) { return !!this.program.getSourceFile(abs(file)); }

  // dependents are the judged files that a change of one can concern.
  dependents(file) {
    const seen = new Set([abs(file)]);
    for (const f of seen) for (const g of this.importers.get(f) || []) seen.add(g);
    return this.files.filter((f) => seen.has(abs(f)));
  }

  // others are what stands for declarations: imports and exports under a name, and
  // variables that are given them.
  others() {
    if (this.other) return this.other;
    this.other = new Map();
    for (const f of this.files) {
      each(this.program.getSourceFile(abs(f)), (n) => {
        let name = (ts.isImportSpecifier(n) || ts.isExportSpecifier(n) || ts.isImportClause(n) || ts.isImportEqualsDeclaration(n)) && n.name;
        let from = name, as = name && name.text;
        if (!name && ts.isVariableDeclaration(n) && ts.isIdentifier(n.name) && n.initializer) {
          const value = unwrap(n.initializer);
          if (ts.isIdentifier(value) || ts.isPropertyAccessExpression(value)) [from, as] = [value, define(n)];
        }
        let s = from && as && this.checker.getSymbolAtLocation(from);
        if (s && s.flags & ts.SymbolFlags.Alias) s = this.checker.getAliasedSymbol(s);
        for (const d of s?.declarations || []) {
          const id = define(d);
          if (!id || id === as) continue;
          if (!this.other.has(id)) this.other.set(id, new Set());
          this.other.get(id).add(as);
        }
      });
    }
    return this.other;
  }

  errors(program, file) {
    const sf = program.getSourceFile(abs(file));
    const list = [...program.getSyntacticDiagnostics(sf), ...program.getSemanticDiagnostics(sf)];
    return list.filter((d) => d.category === ts.DiagnosticCategory.Error && d.file === sf && !IDLE.has(d.code));
  }

  before(file) {
    if (!this.known.has(file)) this.known.set(file, this.errors(this.program, file));
    return this.known.get(file);
  }

  with(file, text) {
    this.edited.set(abs(file), text);
    const program = ts.createProgram({ rootNames: this.files.map(abs), options: this.options, host: this.host, oldProgram: this.program });
    this.edited.clear();
    return program;
  }
}

const key = (d) => d.file.getLineAndCharacterOfPosition(d.start).line + ' ' + d.code;

// namesFor are the names that a project has for declarations.
function namesFor(p, ids) {
  const seen = new Set(ids);
  for (const x of seen) {
    if (!defs.has(x)) continue; // a name
    seen.add(defs.get(x).name);
    for (const other of p.others().get(x) || []) seen.add(other);
  }
  return [...seen].filter((x) => !defs.has(x));
}

// at is the innermost node of a file at a position.
function at(sf, pos) {
  let n = sf;
  for (let next = sf; next;) {
    n = next;
    next = undefined;
    ts.forEachChild(n, (c) => { if (!next && c.getStart(sf) <= pos && pos < c.end) next = c; });
  }
  return n;
}

const idOf = (d) => (defs.get(d).kind === 'file' ? 'file:' + defs.get(d).file : d);

// ------------------------------------------------------------------ targets

const blanks = (s) => s.replace(/[^\r\n]/g, ' ');

// edits are the changes that can be made to a declaration.
function* edits(sf, node) {
  const kind = kindOf(node);
  const name = nameNode(node);
  const text = sf.text;
  let fn = node;
  if (node.kind === K.VariableDeclaration || node.kind === K.PropertyDeclaration) fn = unwrap(node.initializer);
  const callable = fn && (isFunctionLike(fn) || [K.FunctionDeclaration, K.MethodDeclaration, K.MethodSignature, K.Constructor].includes(fn.kind));
  if (callable) {
    const ps = fn.parameters;
    const open = ps.pos;
    if (text[open - 1] === '(') {
      const first = ps.find((p) => p.questionToken || p.initializer || p.dotDotDotToken);
      const last = ps[ps.length - 1];
      if (first) yield ['add-parameter', first.getStart(sf), first.getStart(sf), 'kgAdded: number, '];
      else if (last) yield ['add-parameter', last.end, last.end, ', kgAdded: number'];
      else yield ['add-parameter', open, open, 'kgAdded: number'];
      if (last && !(ps.length === 1 && ps.hasTrailingComma)) {
        const from = ps.length === 1 ? open : ps[ps.length - 2].end;
        const field = ts.isParameterPropertyDeclaration(last, node) ? [last.name.text] : []; // goes with it
        yield ['remove-parameter', from, last.end, blanks(text.slice(from, last.end)), field];
      }
    }
  }
  if (kind === 'constructor' || !ts.isIdentifier(name)) return;
  let whole = node;
  if (node.kind === K.VariableDeclaration) {
    whole = ts.isVariableDeclarationList(node.parent) && node.parent.declarations.length === 1 && ts.isVariableStatement(node.parent.parent) ? node.parent.parent : undefined;
  }
  if (whole) yield ['remove', whole.getStart(sf), whole.end, blanks(text.slice(whole.getStart(sf), whole.end))];
  yield ['rename', name.getStart(sf), name.end, name.text.length > 1 ? name.text.slice(0, -1) + '$' : name.text + '$'];
}

// Of a repository that is too large, some folders: they are changed and judged.
const folders = flags.only.split(',').filter(Boolean).map((f) => f.replace(/\/*$/, '/'));
const within = (f) => !folders.length || folders.some((d) => f.startsWith(d));
const projects = repo.projects().map((p) => ({ ...p, files: p.files.filter(within) })).filter((p) => p.files.length).map((p) => new Project(p));
const home = new Map(); // of a file: its project
for (const p of projects) for (const f of p.files) if (!home.has(f)) home.set(f, p);

const targets = [];
for (const [file, p] of home) {
  if (isTest(file) || !/\.[cm]?tsx?$/.test(file) || /\.d\.[cm]?ts$/.test(file)) continue;
  const sf = p.program.getSourceFile(abs(file));
  if (!sf) continue;
  each(sf, (n) => {
    const kind = kindOf(n);
    if (!kind || !nameNode(n) || kind === 'enum_member' || kind === 'namespace' || ts.isParameter(n) || ts.isBindingElement(n) || ts.isPropertyAssignment(n) || ts.isPropertyAccessExpression(n) || ts.isBinaryExpression(n)) return;
    const id = define(n);
    if (!id || defs.get(id).minor) return;
    const symbol = p.checker.getSymbolAtLocation(nameNode(n)) || n.symbol;
    if (!symbol || symbol.declarations.length > 1) return; // merged, overloaded or an accessor with another
    if (ts.getCombinedModifierFlags(n) & ts.ModifierFlags.Ambient) return;
    const exported = !!(ts.getCombinedModifierFlags(n) & ts.ModifierFlags.Export);
    for (const [change, from, to, text, also] of edits(sf, n)) targets.push({ id, kind, file, node: n, symbol, change, from, to, text, exported, also });
  });
}

// What files pass on.
for (const [file, p] of home) {
  if (isTest(file) || !/\.[cm]?tsx?$/.test(file) || /\.d\.[cm]?ts$/.test(file) || !flags.kinds.includes('withdraw')) continue;
  const sf = p.program.getSourceFile(abs(file));
  const withdraw = (kind, node, to, names) => targets.push({ id: define(sf), kind, file, node, change: 'withdraw', from: node.getStart(sf), to, text: blanks(sf.text.slice(node.getStart(sf), to)), exported: true, names });
  for (const x of sf ? sf.statements : []) {
    if (!ts.isExportDeclaration(x) || x.isTypeOnly && !x.exportClause) continue;
    if (!x.exportClause) {
      const from = p.checker.getSymbolAtLocation(x.moduleSpecifier);
      if (from?.declarations?.some((d) => home.has(rel(d.getSourceFile().fileName)))) withdraw('all', x, x.end, p.checker.getExportsOfModule(from).map((e) => e.name));
    } else if (ts.isNamedExports(x.exportClause)) {
      for (const e of x.exportClause.elements) {
        const passed = e.name.getText() !== 'default' && p.checker.getSymbolAtLocation(e.name);
        const to = passed && p.checker.getAliasedSymbol(passed);
        if (!to?.declarations?.some((d) => d.getSourceFile() !== sf && home.has(rel(d.getSourceFile().fileName)))) continue;
        withdraw('name', e, sf.text[e.end] === ',' ? e.end + 1 : e.end, [e.name.text]);
      }
    }
  }
}

// mulberry32
let state = Number(flags.seed) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
for (let i = targets.length - 1; i > 0; i--) {
  const j = Math.floor(random() * (i + 1));
  [targets[i], targets[j]] = [targets[j], targets[i]];
}
// All kinds of declarations take turns, exported and not.
const seen = new Map();
for (const t of targets) {
  const c = t.change + t.kind + t.exported;
  t.round = seen.get(c) || 0;
  seen.set(c, t.round + 1);
}
targets.sort((a, b) => a.round - b.round);

// ------------------------------------------------------------------ changes

// uses adds the places where names led to a declaration, imports apart.
function uses(p, t, files, add) {
  for (const f of files) {
    const sf = p.program.getSourceFile(abs(f));
    each(sf, (n) => {
      if (!ts.isIdentifier(n) || n === nameNode(t.node)) return;
      if (t.change === 'remove' && f === t.file && t.from <= n.pos && n.end <= t.to) return; // goes with it
      let s = p.checker.getSymbolAtLocation(n);
      if (s && ts.isShorthandPropertyAssignment(n.parent)) s = p.checker.getShorthandAssignmentValueSymbol(n.parent);
      if (ts.isExportSpecifier(n.parent) && !n.parent.parent.parent.moduleSpecifier) s = p.checker.getExportSpecifierLocalTargetSymbol(n.parent);
      while (s && s.flags & ts.SymbolFlags.Alias) {
        const to = p.checker.getAliasedSymbol(s);
        if (to === s) break;
        s = to;
      }
      if (!s || !s.declarations?.some((d) => d.getSourceFile().fileName === abs(t.file) && define(d) === t.id)) return;
      if (ts.isImportSpecifier(n.parent) || ts.isImportClause(n.parent)) add(sf, n, 'import', '');
      else add(sf, n, 'call', 'uses ' + n.text);
    });
  }
}

// through adds the uses of names that an import or a re-export does not find now.
function through(p, lost, files, add) {
  const symbols = new Set(lost.map((n) => p.checker.getSymbolAtLocation(n)).filter(Boolean));
  for (const f of files) {
    const sf = p.program.getSourceFile(abs(f));
    each(sf, (n) => {
      if (!ts.isIdentifier(n) || lost.includes(n) || ts.isExportSpecifier(n.parent) && n.parent.parent.parent.moduleSpecifier) return;
      let s = ts.isShorthandPropertyAssignment(n.parent) ? p.checker.getShorthandAssignmentValueSymbol(n.parent) : p.checker.getSymbolAtLocation(n);
      if (ts.isExportSpecifier(n.parent)) s = p.checker.getExportSpecifierLocalTargetSymbol(n.parent);
      if (ts.isPropertyAccessExpression(n.parent) && n.parent.name === n) s = p.checker.getTypeAtLocation(n.parent.expression).getProperty(n.text); // of a module as an object
      for (let i = 0; s && s.flags & ts.SymbolFlags.Alias && i < 64; i++) {
        if (symbols.has(s)) {
          add(sf, n, ts.isImportSpecifier(n.parent) || ts.isImportClause(n.parent) ? 'import' : 'call', 'uses ' + n.text);
          return;
        }
        s = p.checker.getImmediateAliasedSymbol(s);
      }
    });
  }
}

// silenced adds the places with a name of the declaration on lines of which a
// comment tells the compiler not to complain.
function silenced(p, t, sf, add) {
  const lines = new Set();
  for (const d of sf.commentDirectives || []) lines.add(sf.getLineAndCharacterOfPosition(d.range.end).line + 1);
  if (!lines.size) return;
  const named = t.kind === 'constructor' ? define(containerOf(t.node)) : t.id;
  const names = new Set([...namesFor(p, [named]), ...t.also || []]);
  each(sf, (n) => {
    if (ts.isIdentifier(n) && names.has(n.text) && lines.has(sf.getLineAndCharacterOfPosition(n.getStart(sf)).line)) add.push(n);
  });
}

// exports reports whether a file exports a declaration apart from it.
function exports(sf, t) {
  return sf.statements.some((s) => ts.isExportAssignment(s) || ts.isExportDeclaration(s) && !s.moduleSpecifier && s.exportClause?.elements?.some((x) => (x.propertyName || x.name).text === nameNode(t.node).text));
}

function mutate(t) {
  const was = home.get(t.file).program.getSourceFile(abs(t.file)).text;
  const text = was.slice(0, t.from) + t.text + was.slice(t.to);
  const withdrawn = t.change === 'withdraw';
  const owner = containerOf(t.node);
  const says = (p, sf) => {
    if (!called.has(p)) called.set(p, withdrawn ? t.names : [...namesFor(p, [t.id, owner && define(owner)].filter(Boolean)), ...t.also || []]);
    return called.get(p).some((n) => sf.identifiers.has(n));
  };
  const called = new Map();
  const source = home.get(t.file).program.getSourceFile(abs(t.file));
  const alone = !withdrawn && !owner && !t.exported && !exports(source, t) && !home.get(t.file).others().has(t.id); // no other file can name it
  const found = new Map(); // declaration → {or, sites}
  const silent = [];
  const done = new Set();
  let checked = 0;
  for (const p of projects) {
    if (!p.has(t.file)) continue;
    const files = alone ? p.files.filter((f) => f === t.file) : p.dependents(t.file).filter((f) => f === t.file || says(p, p.program.getSourceFile(abs(f))));
    const program = p.with(t.file, text);
    program.getTypeChecker();
    const add = (sf, node, cause, error) => {
      const origins = originsOf(node);
      const own = withdrawn ? sf.fileName === abs(t.file) : origins.includes(t.id) || !origins.length;
      if (own) return;
      // What stands in a test counts to it and not to its file.
      const first = origins.find((o) => tests.has(o)) || origins[0];
      const id = idOf(first);
      if (!found.has(id)) found.set(id, { origin: first, or: new Set(), sites: [] });
      const b = found.get(id);
      for (const o of origins) if (o !== first) b.or.add(idOf(o));
      b.sites.push({ file: rel(sf.fileName), line: sf.getLineAndCharacterOfPosition(node.getStart(sf)).line + 1, cause, error });
    };
    const lost = withdrawn && t.kind === 'name' ? [t.node.name] : [];
    for (const f of files) {
      if (done.has(f)) continue;
      done.add(f);
      checked++;
      const left = new Map();
      for (const d of p.before(f)) left.set(key(d), (left.get(key(d)) || 0) + 1);
      for (const d of p.errors(program, f)) {
        const k = key(d);
        if (left.get(k)) { left.set(k, left.get(k) - 1); continue; }
        if (d.code === 2300 || d.code === 2451 || d.code === 2567) return undefined; // the name is taken
        const message = ts.flattenDiagnosticMessageText(d.messageText, '\n').split('\n')[0];
        const node = at(d.file, d.start);
        if (f === t.file && d.start >= t.from && d.start < t.from + t.text.length) continue;
        const specifier = ts.isImportSpecifier(node.parent) || ts.isImportClause(node.parent);
        if (withdrawn && (specifier || ts.isExportSpecifier(node.parent))) lost.push(node.parent.name);
        add(d.file, node, specifier ? 'import' : [2554, 2555, 2339, 2304, 2305, 2551, 2552].includes(d.code) ? 'call' : [2420, 2416, 2415].includes(d.code) ? 'satisfies' : 'value', 'TS' + d.code + ' ' + message);
      }
    }
    if ((t.change === 'remove' || t.change === 'rename') && !owner) uses(p, t, files, add);
    if (!withdrawn) for (const f of files) silenced(p, t, program.getSourceFile(abs(f)), silent);
    if (withdrawn) through(p, lost, files, add);
  }
  for (const node of silent) {
    const [first, ...or] = originsOf(node);
    if (!first || first === t.id || or.includes(t.id) || [first, ...or].some((o) => found.has(idOf(o)))) continue;
    found.set(idOf(first), { origin: first, or: new Set(or.map(idOf)), sites: [], optional: true });
  }
  const broken = [...found.values()].map((b) => ({
    symbol: symbolOf(b.origin), ...(b.or.size && { or: [...b.or].sort() }),
    // An import is repaired with what it is used for.
    ...((b.optional || b.sites.every((s) => s.cause === 'import')) && { optional: true }),
    sites: b.sites.filter((s, i) => b.sites.findIndex((x) => x.file === s.file && x.line === s.line) === i).slice(0, 20),
  }));
  broken.sort((a, b) => cmp(a.symbol.file, b.symbol.file) || a.symbol.line - b.symbol.line || cmp(a.symbol.id, b.symbol.id));
  return { broken, checked };
}

function symbolOf(id) {
  const d = defs.get(id);
  return { id: idOf(id), qname: d.qname, file: d.file, line: d.line };
}

// Where the compiler did not know everything before, it may not complain now.
const open = new Set();
let errors = 0;
for (const [f, p] of home) {
  for (const d of p.before(f)) {
    errors++;
    const id = originsOf(at(d.file, d.start))[0];
    if (id && defs.get(id).kind !== 'file') open.add(id);
  }
}
// A file in which the compiler does not find a package of the repository cannot
// tell who loses what that passes on.
const blind = new Set();
for (const [f, p] of flags.kinds.includes('withdraw') ? home : []) {
  const local = Object.keys(p.options.paths).map((k) => k.replace(/\*$/, ''));
  for (const d of p.before(f)) {
    const spec = [2307, 7016].includes(d.code) && d.file.text.slice(d.start + 1, d.start + d.length - 1);
    if (spec && local.some((k) => spec === k || k.endsWith('/') && spec.startsWith(k))) blind.add(f);
  }
}
console.error(`${home.size} files, ${errors} errors before, ${targets.length} possible changes`);
write({ t: 'meta', files: [...home.keys()].filter((f) => !blind.has(f)).sort(), open: [...open].sort() });

const kinds = flags.kinds.split(',');
const count = Number(flags.n);
const taken = new Map();
let made = 0, broke = 0;
for (const t of targets) {
  if (made >= count) break;
  if (!kinds.includes(t.change) || (taken.get(t.change) || 0) >= Math.ceil(count / kinds.length)) continue;
  const began = Date.now();
  const m = mutate(t);
  byNode.clear(); // it holds the edited files
  if (!m) continue;
  taken.set(t.change, (taken.get(t.change) || 0) + 1);
  made++;
  broke += m.broken.filter((b) => !b.optional).length;
  const was = home.get(t.file).program.getSourceFile(abs(t.file)).text;
  const bytes = (n) => Buffer.byteLength(was.slice(0, n));
  write({
    t: 'mutation', change: t.change, kind: t.kind, exported: t.exported, symbol: symbolOf(t.id), broken: m.broken, packages: m.checked, seconds: (Date.now() - began) / 1000,
    edits: [{ File: t.file, Start: bytes(t.from), End: bytes(t.to), Text: t.text }],
  });
}
console.error(`${made} changes broke ${broke} declarations`);
