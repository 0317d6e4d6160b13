#!/usr/bin/env node
// Asks the TypeScript compiler what a TypeScript or JavaScript repository's code
// refers to, and writes the answer as JSON Lines (see bench/README.md):
//
//   npm install typescript@5
//   node bench/oracles/typescript/oracle.cjs [-typescript DIR] [-o FILE] REPO
//
// Every tracked source file is judged in the project of the nearest tsconfig or
// jsconfig that lists it, the others together, with JavaScript allowed. Packages
// of the repository are found by their names, dependencies where node_modules
// has them. Sites that the compiler leaves open judge nobody. Nothing of the
// repository runs.
'use strict';

const fs = require('fs');
const path = require('path');

const args = process.argv.slice(2);
const flags = { typescript: '', o: '-' };
while (args.length && args[0].startsWith('-')) flags[args.shift().replace(/^-+/, '')] = args.shift();
if (args.length !== 1) {
  console.error('usage: oracle.cjs [-typescript DIR] [-o FILE] REPO');
  process.exit(2);
}
const ts = require(flags.typescript ? path.resolve(flags.typescript, 'node_modules/typescript') : 'typescript');
const K = ts.SyntaxKind;
const root = fs.realpathSync(args[0]);

const repo = require('./repo.cjs')(ts, root);
const { sources, isTest, rel, abs, defs, byNode, position, isFunctionLike, unwrap, kindOf, containerOf, define, originsOf, each } = repo;

// ------------------------------------------------------------------ sites

const sites = [];
const files = [];
let checker;

function resolveAlias(symbol) {
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) {
    const s = checker.getAliasedSymbol(symbol);
    return s && s.declarations ? s : undefined;
  }
  return symbol;
}

// look says what a symbol is: {ids, ext, value}.
function look(symbol, signature) {
  if (!symbol || !symbol.declarations || !symbol.declarations.length) return { open: true };
  const ids = [];
  let ext = '', value = false;
  const declarations = [...symbol.declarations];
  const chosen = signature && signature.declaration;
  if (chosen && declarations.includes(chosen)) declarations.unshift(chosen);
  for (let d of declarations) {
    const file = d.getSourceFile().fileName;
    if (!sources.has(rel(file))) { ext = ext || external(file, symbol.name); continue; }
    const id = define(d);
    if (!id) { value = true; continue; }
    if (!ids.includes(id)) ids.push(id);
  }
  // The implementation of overloads is the definition; the others are as right.
  const body = symbol.declarations.find((d) => d.body && ids.includes(byNode.get(d)));
  if (body) { const id = byNode.get(body); ids.splice(ids.indexOf(id), 1); ids.unshift(id); }
  return { ids, ext, value };
}

function external(file, name) {
  const i = file.lastIndexOf('/node_modules/');
  const rest = i >= 0 ? file.slice(i + 14) : path.basename(file);
  return rest.split('/').slice(0, rest.startsWith('@') ? 2 : 1).join('/') + '#' + name;
}

const RELATIONS = new Set(['extends', 'implements', 'overrides']);

function put(sf, kind, froms, node, name, more) {
  const s = { t: 'site', kind, from: froms[0] };
  if (froms.length > 1) s.from_or = froms.slice(1);
  Object.assign(s, more, { file: rel(sf.fileName) }, position(sf, node), { name });
  if (isTest(s.file)) s.tags = ['test'];
  // A graph need not have what stands inside functions and object literals.
  if (s.to && defs.get(s.to).minor || RELATIONS.has(kind) && defs.get(s.from).minor) s.optional = true;
  sites.push(s);
}

function shapeOf(callee) {
  if (ts.isPropertyAccessExpression(callee)) return ts.SyntaxKind[callee.expression.kind].toLowerCase() + '.';
  return ts.SyntaxKind[callee.kind].toLowerCase();
}

function lastName(expr) {
  expr = unwrap(expr);
  if (ts.isIdentifier(expr) || ts.isPrivateIdentifier(expr)) return expr;
  if (ts.isPropertyAccessExpression(expr)) return expr.name;
  if (ts.isElementAccessExpression(expr) && ts.isStringLiteralLike(expr.argumentExpression)) return expr.argumentExpression;
  if (expr.kind === K.SuperKeyword) return expr;
  return undefined;
}

function call(sf, node, callee, froms, shape) {
  let name = lastName(callee), module;
  const made = unwrap(callee);
  if (ts.isCallExpression(made) && ts.isIdentifier(made.expression) && made.expression.text === 'require' && made.arguments.length === 1 && ts.isStringLiteralLike(made.arguments[0])) {
    name = made.arguments[0]; // require('x')(…) calls what the module is
    module = checker.getSymbolAtLocation(name)?.exports?.get('export=');
    if (!module) { put(sf, 'calls', froms, name, name.text, { open: true, shape: 'require' }); return; }
  }
  if (!name) {
    // Behind the callee, where no other call can stand.
    put(sf, 'calls', froms, callee, '', { dynamic: true, shape: shape || shapeOf(callee) });
    Object.assign(sites[sites.length - 1], position(sf, callee, callee.end));
    return;
  }
  shape = shape || shapeOf(unwrap(callee));
  const text = name.kind === K.SuperKeyword ? 'super' : name.text;
  let signature;
  try { signature = checker.getResolvedSignature(node); } catch { /* open */ }
  let symbol = resolveAlias(module || checker.getSymbolAtLocation(name));
  if (name.kind === K.SuperKeyword) {
    const c = containerOf(node);
    const base = c && ts.getClassExtendsHeritageElement?.(c);
    symbol = base && resolveAlias(checker.getSymbolAtLocation(lastName(base.expression) || base.expression));
  }
  if (!symbol && ts.isPropertyAccessExpression(unwrap(callee))) {
    put(sf, 'calls', froms, name, text, { open: true, shape });
    return;
  }
  const what = look(symbol, signature);
  if (what.open) { put(sf, 'calls', froms, name, text, { open: true, shape }); return; }
  if (!what.ids.length) {
    put(sf, 'calls', froms, name, text, what.ext && !what.value ? { ext: what.ext, shape } : { dynamic: true, shape });
    return;
  }
  const kinds = what.ids.map((i) => defs.get(i).kind);
  if (kinds.includes('class')) {
    const c = what.ids[kinds.indexOf('class')];
    if (node.kind !== K.Decorator && name.kind !== K.SuperKeyword) put(sf, 'instantiates', froms, name, text, { to: c, shape });
    const built = constructors(classNode(symbol), signature);
    put(sf, 'calls', froms, name, text, { to: built[0], ...(built.length > 1 && { to_or: built.slice(1) }), shape });
    return;
  }
  const functions = what.ids.filter((i) => ['function', 'method', 'constructor'].includes(defs.get(i).kind));
  const accessor = symbol.declarations.some((d) => d.kind === K.GetAccessor || d.kind === K.SetAccessor);
  if (!functions.length || accessor) { put(sf, 'calls', froms, name, text, { dynamic: true, shape }); return; }
  if (node.kind === K.NewExpression) put(sf, 'instantiates', froms, name, text, { to: functions[0], optional: true, shape });
  put(sf, 'calls', froms, name, text, { to: functions[0], ...(functions.length > 1 && { to_or: functions.slice(1) }), shape });
}

const classNode = (symbol) => symbol?.declarations?.find(ts.isClassLike);

// constructors are what runs for `new C`: the nearest declared one, else the class.
function constructors(c, signature) {
  const first = define(c);
  const out = [];
  const seen = new Set();
  for (let k = c; k && !seen.has(k);) {
    seen.add(k);
    const own = k.members.filter((m) => m.kind === K.Constructor);
    if (own.length) {
      const body = own.find((m) => m.body) || own[0];
      for (const m of [body, ...own]) { const id = define(m); if (id && !out.includes(id)) out.push(id); }
      break;
    }
    const base = ts.getClassExtendsHeritageElement?.(k);
    k = base && classNode(resolveAlias(checker.getSymbolAtLocation(lastName(base.expression) || base.expression)));
  }
  return out.length ? [...out, first] : [first];
}

function visit(sf, node) {
  switch (node.kind) {
    case K.CallExpression:
      if (node.expression.kind === K.ImportKeyword) { importSite(sf, node.arguments[0]); break; }
      if (ts.isIdentifier(node.expression) && node.expression.text === 'require' && node.arguments.length === 1) importSite(sf, node.arguments[0]);
      call(sf, node, node.expression, originsOf(node));
      break;
    case K.NewExpression:
      call(sf, node, node.expression, originsOf(node), 'new');
      break;
    case K.TaggedTemplateExpression:
      call(sf, node, node.tag, originsOf(node), 'template');
      break;
    case K.JsxOpeningElement: case K.JsxSelfClosingElement:
      if (!(ts.isIdentifier(node.tagName) && /^[a-z]/.test(node.tagName.text))) call(sf, node, node.tagName, originsOf(node), 'jsx');
      break;
    case K.Decorator:
      if (!ts.isCallExpression(node.expression)) call(sf, node, node.expression, originsOf(node), 'decorator');
      break;
    case K.ImportDeclaration: case K.ExportDeclaration:
      if (node.moduleSpecifier) importSite(sf, node.moduleSpecifier);
      break;
    case K.ExternalModuleReference:
      importSite(sf, node.expression);
      break;
    case K.ClassDeclaration: case K.ClassExpression: case K.InterfaceDeclaration:
      heritage(sf, node);
      break;
    case K.Identifier:
      reference(sf, node);
      break;
  }
}

function importSite(sf, spec) {
  if (!spec || !ts.isStringLiteralLike(spec)) return;
  const symbol = checker.getSymbolAtLocation(spec);
  const d = symbol?.declarations?.find(ts.isSourceFile);
  const from = define(sf);
  if (!d) { put(sf, 'imports', [from], spec, spec.text, { open: true }); return; }
  const to = define(d);
  // A declaration file and the source beside it are one module.
  const source = to && rel(d.fileName).replace(/\.d\.([cm]?)ts$/, '.$1js');
  const twin = source && source !== rel(d.fileName) && sources.has(source) ? { to_or: [source + ':0:0'] } : {};
  if (to && to !== from) put(sf, 'imports', [from], spec, spec.text, { to, ...twin });
  else if (!to) put(sf, 'imports', [from], spec, spec.text, { ext: external(d.fileName, '') });
}

function heritage(sf, node) {
  const from = define(node);
  for (const clause of node.heritageClauses || []) {
    const kind = clause.token === K.ImplementsKeyword ? 'implements' : 'extends';
    for (const t of clause.types) {
      const name = lastName(t.expression);
      if (!name || !from) continue;
      const what = look(resolveAlias(checker.getSymbolAtLocation(name)));
      if (what.open) put(sf, kind, [from], name, name.text, { open: true });
      else if (what.ids.length) put(sf, kind, [from], name, name.text, { to: what.ids[0], ...(what.ids.length > 1 && { to_or: what.ids.slice(1) }) });
      else put(sf, kind, [from], name, name.text, what.ext ? { ext: what.ext } : { open: true });
    }
  }
  if (!ts.isClassLike(node) || !from) return;
  const type = checker.getTypeAtLocation(node);
  const supers = [];
  try { supers.push(...(checker.getBaseTypes(type) || [])); } catch { /* a base in error */ }
  for (const clause of node.heritageClauses || []) {
    if (clause.token === K.ImplementsKeyword) supers.push(...clause.types.map((t) => checker.getTypeFromTypeNode(t)));
  }
  for (const m of node.members) {
    if (!m.name || m.kind === K.Constructor || ts.isPrivateIdentifier(m.name) || ts.getCombinedModifierFlags(m) & ts.ModifierFlags.Static) continue;
    if (!m.body && node.members.some((o) => o !== m && o.body && o.name && o.name.getText() === m.name.getText())) continue; // a further signature
    const id = define(m);
    if (!id || defs.get(id).kind !== 'method') continue;
    for (const s of supers) {
      const other = checker.getPropertyOfType(s, m.name.text ?? '');
      const what = other && look(other);
      for (const to of what?.ids || []) {
        if (to === id) continue;
        const optional = defs.get(to).kind !== 'method' || what.ids.length > 1;
        put(sf, 'overrides', [id], m.name, m.name.text, { to, ...(optional && { optional: true }) });
      }
    }
  }
}

// reference lists functions and methods that are used as values.
function reference(sf, node) {
  const p = node.parent;
  if (!p || (node.text === 'module' || node.text === 'exports') && ts.isPropertyAccessExpression(p)) return; // module.exports is a place
  if (p.name === node && !ts.isPropertyAccessExpression(p) && !ts.isShorthandPropertyAssignment(p)) return;
  if (ts.isImportSpecifier(p) || ts.isImportClause(p) || ts.isNamespaceImport(p) || ts.isExportSpecifier(p) || ts.isTypeNode(p) || ts.isTypeQueryNode(p) || ts.isQualifiedName(p) || ts.isExpressionWithTypeArguments(p)) return;
  let outer = ts.isPropertyAccessExpression(p) && p.name === node ? p : node;
  while (outer.parent && unwrap(outer.parent) === unwrap(outer) && outer.parent !== outer) outer = outer.parent;
  const up = outer.parent;
  if (up && ((ts.isCallExpression(up) || ts.isNewExpression(up)) && up.expression === outer || ts.isTaggedTemplateExpression(up) && up.tag === outer || ts.isDecorator(up) || ts.isJsxOpeningElement(up) || ts.isJsxSelfClosingElement(up) || ts.isJsxClosingElement(up))) return;
  if (up && ts.isBinaryExpression(up) && up.operatorToken.kind === K.EqualsToken && up.left === outer) return;
  let symbol = ts.isShorthandPropertyAssignment(p) ? checker.getShorthandAssignmentValueSymbol(p) : checker.getSymbolAtLocation(node);
  symbol = resolveAlias(symbol);
  if (!symbol) return;
  const what = look(symbol);
  const functions = (what.ids || []).filter((i) => ['function', 'method'].includes(defs.get(i).kind));
  if (!functions.length) return;
  if (symbol.declarations.some((d) => d.kind === K.GetAccessor || d.kind === K.SetAccessor)) return;
  const made = up && ts.isVariableDeclaration(up) && up.initializer === outer && ts.isPropertyAccessExpression(p) && unwrap(p.expression);
  const imports = made && ts.isCallExpression(made) && ts.isIdentifier(made.expression) && made.expression.text === 'require'; // f = require('m').f
  put(sf, 'references', originsOf(node), node, node.text, { to: functions[0], ...(functions.length > 1 && { to_or: functions.slice(1) }), ...(imports && { optional: true }) });
}

// ------------------------------------------------------------------ main

const MINIFIED = /\.min\.[cm]?js$/; // read by nobody, and one line is no place
let errors = 0;
const judged = new Set();
for (const p of repo.projects()) {
  byNode.clear();
  const program = ts.createProgram({ rootNames: p.files.map(abs), options: p.options, host: repo.host(p.options) });
  checker = program.getTypeChecker();
  for (const f of p.files) {
    const sf = program.getSourceFile(abs(f));
    if (!sf || judged.has(f) || MINIFIED.test(f)) continue;
    judged.add(f);
    errors += program.getSyntacticDiagnostics(sf).length ? 1 : 0;
    define(sf);
    each(sf, (n) => { if (kindOf(n)) define(n); });
    each(sf, (n) => visit(sf, n));
  }
}
for (const f of [...sources].sort()) files.push({ t: 'file', file: f, judged: judged.has(f), ...(judged.has(f) ? {} : { reason: MINIFIED.test(f) ? 'minified' : 'not in a program' }), ...(isTest(f) && { test: true }) });

// Functions may implement those of one name that the declaration file beside
// their file declares.
const byPlace = new Map();
for (const d of defs.values()) if (['function', 'method'].includes(d.kind)) byPlace.set(d.file + '#' + d.qname, d);
for (const d of [...byPlace.values()]) {
  const js = /\.d\.[cm]?ts$/.test(d.file) && byPlace.get(d.file.replace(/\.d\.([cm]?)ts$/, '.$1js') + '#' + d.qname);
  if (js && judged.has(js.file)) sites.push({ t: 'site', kind: 'overrides', from: js.id, to: d.id, optional: true, file: js.file, line: js.line, col: js.col, name: js.name });
}

const cmp = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const dl = [...defs.values()].sort((a, b) => cmp(a.file, b.file) || a.line - b.line || a.col - b.col || cmp(a.id, b.id));
sites.sort((a, b) => cmp(a.file, b.file) || a.line - b.line || a.col - b.col || cmp(a.kind, b.kind) || cmp(a.to || '', b.to || ''));
const meta = { t: 'meta', schema: 'kg.oracle/v1', lang: 'typescript', tool: 'typescript ' + ts.version + ', node ' + process.versions.node, closed: ['extends', 'implements'], relations: ['overrides'], errors };
const out = flags.o === '-' ? 1 : fs.openSync(flags.o, 'w');
let buffer = [];
const write = (r) => { buffer.push(JSON.stringify(r)); if (buffer.length > 5000) flush(); };
const flush = () => { if (buffer.length) fs.writeSync(out, buffer.join('\n') + '\n'); buffer = []; };
write(meta);
files.forEach(write);
dl.forEach(write);
sites.forEach(write);
write({ t: 'end', defs: dl.length, sites: sites.length, open: sites.filter((s) => s.open).length });
flush();
const tally = {};
for (const s of sites) { const k = s.kind + (s.open ? ' open' : s.dynamic ? ' dynamic' : s.ext ? ' external' : ''); tally[k] = (tally[k] || 0) + 1; }
console.error(Object.keys(tally).sort().map((k) => k + ' ' + tally[k]).join(', '));
