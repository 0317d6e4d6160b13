// A TypeScript or JavaScript repository as the compiler sees it: its source files
// in their projects, their declarations, and who a place counts to.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');

// open is a repository in the folder root, read by the compiler ts.
module.exports = function open(ts, root) {
  const K = ts.SyntaxKind;

  // ------------------------------------------------------------------ files

  const SOURCE = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;
  const tracked = execFileSync('git', ['-C', root, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 1 << 28 })
    .split('\0').filter((f) => f && isPlain(f)).sort();
  const sources = new Set(tracked.filter((f) => SOURCE.test(f) && !/(^|\/)node_modules\//.test(f)));
  const isTest = (f) => /(^|\/)(__tests__|tests?|spec|e2e)\//.test(f) || /\.(test|spec)(-d)?\.[cm]?[jt]sx?$/.test(f);

  function isPlain(f) {
    try { return fs.lstatSync(path.join(root, f)).isFile(); } catch { return false; }
  }
  const rel = (f) => path.relative(root, f).split(path.sep).join('/');
  const abs = (f) => path.join(root, f);

  // The packages of the repository: their names stand for their sources.
  function workspacePaths() {
    const paths = {};
    for (const f of tracked.filter((f) => /(^|\/)package\.json$/.test(f) && f !== 'package.json')) {
      let name;
      try { name = JSON.parse(fs.readFileSync(abs(f), 'utf8')).name; } catch { continue; }
      if (!name || paths[name]) continue;
      const dir = path.dirname(f);
      const entry = ['src/index', 'index', 'src/main', 'lib/index'].flatMap((b) => ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs'].map((e) => dir + '/' + b + e)).find((p) => sources.has(p));
      if (entry) paths[name] = [abs(entry)];
      paths[name + '/*'] = [abs(dir) + '/src/*', abs(dir) + '/*'];
    }
    return paths;
  }

  // Projects: options and the files judged in them.
  function projects() {
    const configs = tracked.filter((f) => /(^|\/)[tj]sconfig[^/]*\.json$/.test(f));
    const workspace = workspacePaths();
    const common = { noEmit: true, skipLibCheck: true, allowJs: true, checkJs: false, composite: false, incremental: false, declaration: false, noLib: false, maxNodeModuleJsDepth: 0, traceResolution: false, listFiles: false, explainFiles: false, extendedDiagnostics: false };
    const list = [];
    const taken = new Map();
    // The most specific folder first, and tsconfig.json before its variants.
    configs.sort((a, b) => b.split('/').length - a.split('/').length || (path.basename(a) === 'tsconfig.json' ? -1 : 0) - (path.basename(b) === 'tsconfig.json' ? -1 : 0) || (a < b ? -1 : 1));
    const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
    for (const c of configs) {
      const parsed = ts.getParsedCommandLineOfConfigFile(abs(c), common, host);
      if (!parsed) continue;
      const files = parsed.fileNames.map(rel).filter((f) => sources.has(f) && !taken.has(f));
      if (!files.length) continue;
      for (const f of files) taken.set(f, c);
      const options = { ...parsed.options, ...common };
      options.paths = { ...workspace, ...options.paths };
      list.push({ config: c, options, files });
    }
    const rest = [...sources].filter((f) => !taken.has(f));
    const loose = { ...common, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.Preserve, paths: workspace, esModuleInterop: true, experimentalDecorators: true };
    // Plain JavaScript outside of every project is resolved as Node does.
    const scripts = rest.filter((f) => /\.c?jsx?$/.test(f));
    const others = rest.filter((f) => !/\.c?jsx?$/.test(f));
    if (others.length) list.push({ config: '', options: loose, files: others });
    if (scripts.length) list.push({ config: '', options: loose, files: scripts });
    return list;
  }

  // host reads for a program. Projects share the files that their options make
  // alike: the language's own and those of dependencies are most of what is read.
  const parsed = new Map(); // options and format of a file → path → file
  function host(options) {
    const h = ts.createCompilerHost(options, true);
    const read = h.getSourceFile.bind(h);
    const same = JSON.stringify(ts.sourceFileAffectingCompilerOptions.map((o) => options[o.name]));
    h.getSourceFile = (name, how, ...rest) => {
      const alike = same + JSON.stringify([how.languageVersion ?? how, how.impliedNodeFormat, how.jsDocParsingMode]);
      if (!parsed.has(alike)) parsed.set(alike, new Map());
      const files = parsed.get(alike);
      if (!files.has(name)) files.set(name, read(name, how, ...rest));
      return files.get(name);
    };
    return h;
  }

  // ------------------------------------------------------------------ definitions

  const defs = new Map(); // id → def
  const byNode = new Map(); // declaration node → id, of the program at hand
  const tests = new Set(); // ids of the functions of tests

  function position(sf, node, start = node.getStart(sf)) {
    const { line } = sf.getLineAndCharacterOfPosition(start);
    const from = sf.getPositionOfLineAndCharacter(line, 0);
    return { line: line + 1, col: Buffer.byteLength(sf.text.slice(from, start)) + 1 };
  }
  const lineOf = (sf, pos) => sf.getLineAndCharacterOfPosition(pos).line + 1;
  const isFunctionLike = (n) => n && (n.kind === K.ArrowFunction || n.kind === K.FunctionExpression);
  const unwrap = (n) => {
    while (n && (ts.isParenthesizedExpression(n) || ts.isAsExpression(n) || ts.isSatisfiesExpression?.(n) || ts.isNonNullExpression(n) || n.kind === K.TypeAssertionExpression)) n = n.expression;
    return n;
  };

  // kindOf says what a declaration is, or '' if it is none that counts.
  function kindOf(node) {
    switch (node.kind) {
      case K.FunctionDeclaration: return 'function';
      case K.ClassDeclaration: return 'class';
      case K.ClassExpression: return node.name ? 'class' : '';
      case K.InterfaceDeclaration: return 'interface';
      case K.EnumDeclaration: return 'enum';
      case K.EnumMember: return 'enum_member';
      case K.TypeAliasDeclaration: return 'type_alias';
      case K.ModuleDeclaration: return ts.isIdentifier(node.name) ? 'namespace' : '';
      case K.MethodDeclaration: case K.MethodSignature: case K.GetAccessor: case K.SetAccessor: return 'method';
      case K.Constructor: return 'constructor';
      case K.PropertySignature: return 'field';
      case K.PropertyDeclaration: return isFunctionLike(unwrap(node.initializer)) ? 'method' : 'field';
      case K.VariableDeclaration: return !ts.isIdentifier(node.name) ? '' : isFunctionLike(unwrap(node.initializer)) ? 'function' : 'variable';
      case K.PropertyAssignment: return isFunctionLike(unwrap(node.initializer)) ? 'method' : 'field';
      case K.ShorthandPropertyAssignment: return '';
      case K.BindingElement: return ts.isIdentifier(node.name) ? 'variable' : '';
      case K.BinaryExpression: case K.PropertyAccessExpression: return assigned(node) ? 'function' : given(node) ? 'field' : '';
      case K.ExportAssignment: return node.isExportEquals || ts.isIdentifier(unwrap(node.expression)) || ts.isClassLike(unwrap(node.expression)) ? '' : isFunctionLike(unwrap(node.expression)) ? 'function' : 'variable';
      case K.Parameter: return ts.isParameterPropertyDeclaration(node, node.parent) ? 'field' : '';
    }
    return '';
  }

  // testTitle is the title of the test that a node is given to, if it is one: its
  // function, what gives it, or what else it is given behind the title.
  function testTitle(fn) {
    const call = fn.parent;
    if (!call || !ts.isCallExpression(call) || !call.arguments.includes(fn)) return undefined;
    let callee = call.expression;
    while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) callee = callee.expression;
    const hook = (ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression).getText();
    if (/^(before|after)(Each|All)?$|^setup$|^teardown$/.test(hook)) return isFunctionLike(fn) ? call.expression : undefined;
    const title = call.arguments[0];
    if (!title || title === fn || ts.isObjectLiteralExpression(title) || ts.isArrayLiteralExpression(title)) return undefined;
    if (!isFunctionLike(fn)) return /^(it|test|specify)$/.test(callee.getText()) ? title : undefined;
    return ts.isStringLiteralLike(title) || ts.isTemplateExpression(title) || /^(it|test|specify)$/.test(callee.getText()) ? title : undefined; // some are computed
  }

  // assigned is the function of `a.b = function …`, given either side of it.
  function assigned(node) {
    const a = ts.isBinaryExpression(node) ? node : node.parent;
    if (a && ts.isBinaryExpression(a) && a.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(a.left) && isFunctionLike(unwrap(a.right))) return a;
    return undefined;
  }

  // given reports whether a statement of a file gives an object a member: a.b = c.
  function given(node) {
    return ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(node.left) && ts.isExpressionStatement(node.parent) && ts.isSourceFile(node.parent.parent);
  }

  function nameNode(node) {
    if (node.kind === K.Constructor) return node.getChildren().find((c) => c.kind === K.ConstructorKeyword) || node;
    if (node.kind === K.BinaryExpression && given(node)) return node.left.name;
    if (node.kind === K.BinaryExpression || node.kind === K.PropertyAccessExpression) return assigned(node).left.name;
    if (node.kind === K.ExportAssignment) return node.getChildren().find((c) => c.kind === K.DefaultKeyword);
    return node.name || node.modifiers?.find((m) => m.kind === K.DefaultKeyword);
  }

  function minor(node) {
    // Inside a function body, or a member of an object literal.
    for (let p = node.parent; p; p = p.parent) {
      if (ts.isFunctionLike(p) && p.body) return true;
      if (ts.isObjectLiteralExpression(p) || ts.isTypeLiteralNode(p)) return true;
    }
    return false;
  }

  function containerOf(node) {
    for (let p = node.parent; p; p = p.parent) {
      if (ts.isClassLike(p) || ts.isInterfaceDeclaration(p) || ts.isEnumDeclaration(p)) return p;
      if (ts.isFunctionLike(p) || ts.isObjectLiteralExpression(p)) return undefined;
    }
    return undefined;
  }

  // define returns the id of a declaration in the repository, or ''.
  function define(node) {
    if (byNode.has(node)) return byNode.get(node);
    byNode.set(node, '');
    const sf = node.getSourceFile();
    const file = rel(sf.fileName);
    if (!sources.has(file)) return '';
    if (ts.isSourceFile(node)) {
      const id = file + ':0:0';
      byNode.set(node, id);
      if (!defs.has(id)) defs.set(id, { t: 'def', id, kind: 'file', name: path.basename(file), qname: file, file, def_line: 1, line: 1, col: 1, end_line: lineOf(sf, sf.end), ...(isTest(file) && { test: true }) });
      return id;
    }
    const kind = kindOf(node);
    const name = kind && nameNode(node);
    if (!name) return '';
    const at = position(sf, name.kind === K.DefaultKeyword ? node : name);
    const id = file + ':' + at.line + ':' + at.col;
    byNode.set(node, id);
    if (defs.has(id)) return id;
    let first = node;
    if (node.kind === K.VariableDeclaration && node.parent?.parent && ts.isVariableStatement(node.parent.parent)) first = node.parent.parent;
    const text = node.kind === K.Constructor ? 'constructor' : name.text ?? name.getText(sf);
    const d = { t: 'def', id, kind, name: text, qname: text, file, def_line: lineOf(sf, first.getStart(sf)), ...at, end_line: lineOf(sf, node.end) };
    defs.set(id, d);
    const around = containerOf(node);
    if (around) {
      const parent = define(around);
      if (parent) { d.parent = parent; d.qname = defs.get(parent).qname + '.' + text; }
    }
    if (minor(node) || kind === 'field' && given(node)) d.minor = true;
    if (isTest(file)) d.test = true;
    return id;
  }

  // titleText is a test's title; what is computed stands in it as its source does.
  function titleText(sf, n) {
    if (ts.isStringLiteralLike(n)) return n.text;
    if (ts.isTemplateExpression(n)) return n.getText(sf).slice(1, -1);
    if (ts.isBinaryExpression(n) && n.operatorToken.kind === K.PlusToken) return titleText(sf, n.left) + titleText(sf, n.right);
    return '${' + n.getText(sf) + '}';
  }

  function defineTest(fn, title) {
    const sf = fn.getSourceFile();
    const file = rel(sf.fileName);
    if (!sources.has(file)) return '';
    const hook = title === fn.parent.expression;
    const at = position(sf, title);
    const id = file + ':' + at.line + ':' + at.col;
    tests.add(id);
    const name = hook ? (ts.isPropertyAccessExpression(title) ? title.name.text : title.getText(sf)) : titleText(sf, title).split(/\s+/).filter(Boolean).join(' ').slice(0, 160);
    if (!defs.has(id)) defs.set(id, { t: 'def', id, kind: 'function', name, qname: name, file, def_line: lineOf(sf, fn.parent.getStart(sf)), ...at, end_line: lineOf(sf, fn.end), minor: true, test: isTest(file) || undefined });
    return id;
  }

  // ------------------------------------------------------------------ origins

  // origins are who the sites of a node count to, the best first.
  function originsOf(node) {
    const out = [];
    const nested = [];
    for (let p = node.parent, child = node; p; child = p, p = p.parent) {
      let d = '';
      if (ts.isDecorator(p)) continue;
      if (ts.isFunctionLike(p) && p.body) {
        const outside = child !== p.body; // parameters, decorators, names
        const decl = isFunctionLike(p) ? named(p) : p;
        d = decl ? define(decl) : '';
        const title = testTitle(p);
        if (title) { // a graph may have tests as definitions of their own
          const t = defineTest(p, title);
          if (t) nested.push(t);
        }
        if (d && defs.get(d).minor) { nested.push(d); continue; }
        if (d && outside) { nested.push(d); if (!isParameterOf(child, p)) continue; }
        if (d) { out.unshift(d); break; }
      } else if (ts.isCallExpression(p) && !isFunctionLike(child) && testTitle(child)) {
        const t = defineTest(child, testTitle(child));
        if (t) nested.push(t);
      } else if (isSignature(p)) { // of an overload, or one that is only declared
        d = define(p.symbol?.declarations?.find((o) => o.body) || p);
        if (d) (defs.get(d).minor ? nested : out).push(d);
      } else if (kindOf(p) === 'variable' || kindOf(p) === 'field' || (ts.isVariableDeclaration(p) || ts.isPropertyDeclaration(p)) && kindOf(p) && child !== p.initializer) {
        d = define(p);
        if (d) (defs.get(d).minor ? nested : out).push(d);
      } else if (given(p)) { // to the statement's file, or the member
        d = define(p);
        if (d) nested.push(d);
      } else if (ts.isClassLike(p)) {
        d = define(p);
        if (d) out.push(d);
      } else if (ts.isSourceFile(p)) {
        out.push(define(p));
      } else if (ts.isModuleDeclaration(p) || ts.isTypeAliasDeclaration(p) || ts.isInterfaceDeclaration(p) || ts.isEnumDeclaration(p) || ts.isMethodSignature(p) || ts.isPropertySignature(p)) {
        d = define(p);
        if (d) nested.push(d);
      }
    }
    return [...new Set([...out, ...nested])];
  }
  const isSignature = (n) => (ts.isFunctionDeclaration(n) || ts.isMethodDeclaration(n) || n.kind === K.Constructor) && !n.body;
  const isParameterOf = (child, fn) => fn.parameters?.includes(child) || fn.type === child;

  // named is the declaration that a function expression is the value of.
  function named(fn) {
    let p = fn.parent, child = fn;
    while (p && unwrap(p) === fn) { child = p; p = p.parent; }
    if (!p) return undefined;
    if ((ts.isVariableDeclaration(p) || ts.isPropertyDeclaration(p) || ts.isPropertyAssignment(p)) && p.initializer === child) return p;
    if (ts.isBinaryExpression(p) && p.right === child && assigned(p)) return p;
    if (ts.isExportAssignment(p) && !p.isExportEquals) return p;
    return undefined;
  }

  function each(node, f) {
    const stack = [node];
    while (stack.length) {
      const n = stack.pop();
      f(n);
      const children = [];
      ts.forEachChild(n, (c) => { children.push(c); });
      for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
    }
  }

  return { sources, isTest, rel, abs, projects, host, defs, byNode, tests, position, isFunctionLike, unwrap, kindOf, nameNode, containerOf, define, originsOf, each };
};
