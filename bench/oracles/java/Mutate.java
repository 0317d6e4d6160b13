import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.api.JavacTaskImpl;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol.ClassSymbol;
import com.sun.tools.javac.tree.JCTree;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.*;
import javax.tools.*;

/**
 * Changes methods and constructors one by one and writes what javac complains of then and did not before, in the format
 * of bench/mutate. Nothing is written to the repository: the compiler reads edited text. Usage:
 *
 * <pre>java Mutate.java OUT CLASSPATH ROOT COUNT SEED KINDS &lt; list of files, relative to ROOT</pre>
 *
 * Edits keep lines where they are: what is removed becomes blanks. Only files that have the name of the method or of its
 * class are checked again and, for a method without a body, those with functions, which may stand for it.
 */
public class Mutate {
  static final String ADD = "add-parameter", DROP = "remove-parameter", REMOVE = "remove", RENAME = "rename";

  /** A member of a class that is not inside of a body, or such a class: what an error is counted to. */
  record Decl(String file, String id, String qname, int line, int from, int to, boolean type) {}

  /** A method that can be changed. */
  record Target(Decl decl, String change, int at, int end, String text, boolean exported, Pattern words) {}

  record Problem(String file, int pos, int line, String code, String message) {}

  final Path root;
  final List<String> options;
  final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  final StandardJavaFileManager fm = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
  final TreeMap<String, String> texts = new TreeMap<>();
  final Map<String, List<Decl>> decls = new HashMap<>();
  final List<Target> targets = new ArrayList<>();

  /** A source file in memory. */
  class Source extends SimpleJavaFileObject {
    final String text;

    Source(String file, String text) {
      super(root.resolve(file).toUri(), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignore) {
      return text;
    }

    @Override
    public boolean isNameCompatible(String name, Kind kind) {
      return true;
    }
  }

  Mutate(Path root, String classpath) {
    this.root = root;
    options = new ArrayList<>(List.of("-proc:none", "-implicit:none", "-nowarn", "-XDshould-stop.ifError=FLOW",
        "-XDshould-stop.ifNoError=FLOW", "-Xmaxerrs", "1000000", "-XDide"));
    options.addAll(List.of("-cp", classpath.isEmpty() ? "/nonexistent" : classpath, "-sourcepath", "/nonexistent"));
  }

  public static void main(String[] args) throws Exception {
    Mutate m = new Mutate(Path.of(args[2]), args[1]);
    m.read();
    m.run(args[0], Integer.parseInt(args[3]), Long.parseLong(args[4]), List.of(args[5].split(",")));
  }

  /** Reads the files, without those that declare a class which another one declares, too. */
  void read() throws IOException {
    List<Source> all = new ArrayList<>();
    for (String f : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\n"))
      if (!f.isEmpty() && !f.endsWith("module-info.java") && !f.endsWith("package-info.java"))
        all.add(new Source(f, new String(Files.readAllBytes(root.resolve(f)), StandardCharsets.UTF_8)));
    Set<String> taken = new HashSet<>();
    JavacTask scan = (JavacTask) compiler.getTask(Writer.nullWriter(), fm, d -> {}, options, null, all);
    for (CompilationUnitTree u : scan.parse()) {
      String pkg = u.getPackageName() == null ? "" : u.getPackageName() + ".";
      boolean twice = false;
      for (Tree t : u.getTypeDecls()) if (t instanceof ClassTree c && !taken.add(pkg + c.getSimpleName())) twice = true;
      if (!twice) texts.put(file(u.getSourceFile()), u.getSourceFile().getCharContent(true).toString());
    }
  }

  /**
   * Compiles all files, one of them with another text, and returns the errors: all, or those in files that have one of
   * the words.
   */
  List<Problem> check(String file, String text, Consumer<CompilationUnitTree> each, Pattern words) throws IOException {
    List<Problem> problems = new ArrayList<>();
    List<Source> all = new ArrayList<>();
    texts.forEach((f, t) -> all.add(new Source(f, f.equals(file) ? text : t)));
    JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), fm, d -> {
      if (d.getKind() == Diagnostic.Kind.ERROR && d.getSource() != null)
        problems.add(new Problem(file(d.getSource()), (int) d.getPosition(), (int) d.getLineNumber(), d.getCode(), each == null ? d.getMessage(Locale.ROOT) : ""));
    }, options, null, all);
    List<CompilationUnitTree> units = new ArrayList<>();
    for (CompilationUnitTree u : task.parse()) units.add(u);
    if (words == null) {
      task.analyze();
    } else {
      JavacTaskImpl impl = (JavacTaskImpl) task;
      impl.enter();
      List<ClassSymbol> some = new ArrayList<>();
      for (CompilationUnitTree u : units)
        if (words.matcher(texts.get(file(u.getSourceFile()))).find())
          for (Tree t : u.getTypeDecls()) if (t instanceof JCTree.JCClassDecl c && c.sym != null) some.add(c.sym);
      impl.analyze(some);
    }
    if (each != null) {
      positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree u : units) each.accept(u);
    }
    return problems;
  }

  SourcePositions positions;

  String file(FileObject o) {
    return root.relativize(Path.of(o.toUri())).toString();
  }

  static int bytes(String s, int from, int to) {
    return s.substring(from, to).getBytes(StandardCharsets.UTF_8).length;
  }

  /** Collects the declarations of a file and what can be changed. */
  class Collect extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final String file, text;
    final boolean test;
    final List<Decl> list = new ArrayList<>();

    Collect(CompilationUnitTree unit) {
      this.unit = unit;
      file = file(unit.getSourceFile());
      text = texts.get(file);
      test = file.contains("src/test/") || file.contains("/test/") || file.startsWith("test/");
      decls.put(file, list);
    }

    int start(Tree t) {
      return (int) positions.getStartPosition(unit, t);
    }

    int end(Tree t) {
      return (int) positions.getEndPosition(unit, t);
    }

    Decl add(Tree t, int pos, String qname, boolean type) {
      int line = (int) unit.getLineMap().getLineNumber(pos);
      int col = bytes(text, (int) unit.getLineMap().getStartPosition(line), pos) + 1;
      Decl d = new Decl(file, file + ":" + line + ":" + col, qname, line, start(t), end(t), type);
      list.add(d);
      return d;
    }

    @Override
    public Void visitClass(ClassTree t, Void v) {
      ClassSymbol s = ((JCTree.JCClassDecl) t).sym;
      if (s == null || t.getSimpleName().isEmpty() || s.owner.kind != com.sun.tools.javac.code.Kinds.Kind.PCK && !(s.owner instanceof ClassSymbol)) return null;
      int from = Math.max(end(t.getModifiers()), start(t));
      String name = t.getSimpleName().toString();
      while (!text.startsWith(name, from) || Character.isJavaIdentifierPart(text.charAt(from - 1)) || Character.isJavaIdentifierPart(text.charAt(from + name.length()))) from++;
      add(t, from, s.toString(), true);
      return super.visitClass(t, v);
    }

    @Override
    public Void visitVariable(VariableTree t, Void v) {
      JCTree.JCVariableDecl d = (JCTree.JCVariableDecl) t;
      if (d.sym != null && d.sym.owner instanceof ClassSymbol o && end(t) >= 0) add(t, d.pos, o + "." + d.name, false);
      return null;
    }

    @Override
    public Void visitMethod(MethodTree t, Void v) {
      JCTree.JCMethodDecl m = (JCTree.JCMethodDecl) t;
      if (m.sym == null || (m.mods.flags & Flags.GENERATEDCONSTR) != 0 || end(t) < 0) return null;
      Decl d = add(t, m.pos, m.sym.owner + "." + m.sym, false);
      boolean init = m.name.contentEquals("<init>");
      String name = init ? m.sym.owner.name.toString() : m.name.toString();
      if (test || m.sym.type.isErroneous() || (m.mods.flags & Flags.COMPACT_RECORD_CONSTRUCTOR) != 0 || name.equals("main") || m.getDefaultValue() != null
          || (m.sym.owner.flags() & Flags.ANNOTATION) != 0) return null;
      boolean exported = m.sym.getModifiers().contains(javax.lang.model.element.Modifier.PUBLIC);
      String own = m.sym.owner.name.toString();
      Pattern words = Pattern.compile("\\b(" + Pattern.quote(name) + "|" + Pattern.quote(own) + ")\\b" + (m.body == null ? "|->|::" : init ? "|\\bsuper\\s*\\(" : ""));
      int open = text.indexOf('(', m.pos);
      int n = m.params.size();
      if (n == 0) targets.add(new Target(d, ADD, open + 1, open + 1, "int kgAdded", exported, words));
      else {
        JCTree.JCVariableDecl last = m.params.last();
        if ((last.mods.flags & Flags.VARARGS) == 0) targets.add(new Target(d, ADD, end(last), end(last), ", int kgAdded", exported, words));
        else targets.add(new Target(d, ADD, start(m.params.head), start(m.params.head), "int kgAdded, ", exported, words));
        int from = n == 1 ? start(last) : end(m.params.get(n - 2));
        targets.add(new Target(d, DROP, from, end(last), blanks(from, end(last)), exported, words));
      }
      targets.add(new Target(d, REMOVE, start(t), end(t), blanks(start(t), end(t)), exported, words));
      if (!init) targets.add(new Target(d, RENAME, m.pos, m.pos + name.length(), name.substring(0, name.length() - 1) + "$", exported, words));
      return null;
    }

    String blanks(int from, int to) { // as many bytes, so that kg sees the same columns
      StringBuilder b = new StringBuilder();
      for (char c : text.substring(from, to).toCharArray()) b.append(c == '\n' || c == '\r' ? c : ' ');
      return b.toString();
    }
  }

  void run(String out, int count, long seed, List<String> kinds) throws Exception {
    long began = System.nanoTime();
    Map<String, Integer> before = new HashMap<>();
    List<Problem> first = check("", "", u -> new Collect(u).scan(u, null), null);
    for (Problem p : first) before.merge(key(p), 1, Integer::sum);
    System.err.printf("%d files, %d errors before, %d possible changes, %.1f s%n", texts.size(), before.values().stream().mapToInt(i -> i).sum(), targets.size(), (System.nanoTime() - began) / 1e9);
    Collections.shuffle(targets, new Random(seed));
    Map<String, Integer> taken = new HashMap<>();
    int each = (count + kinds.size() - 1) / kinds.size(), broken = 0, made = 0;
    try (PrintWriter w = new PrintWriter(new OutputStreamWriter(out.equals("-") ? System.out : new FileOutputStream(out), StandardCharsets.UTF_8))) {
      // Where the compiler did not know everything before, it may not complain now.
      TreeSet<String> open = new TreeSet<>();
      for (Problem p : first) {
        Decl d = enclosing(p.file, p.pos);
        if (d != null && !d.type) open.add(d.id);
      }
      w.println(json(map("t", "meta", "files", texts.keySet(), "open", open)));
      for (Target t : targets) {
        if (!kinds.contains(t.change) || taken.getOrDefault(t.change, 0) >= each || made >= count) continue;
        List<Map<String, Object>> b = mutate(t, before);
        if (b == null) continue;
        taken.merge(t.change, 1, Integer::sum);
        made++;
        broken += b.size();
        String base = texts.get(t.decl.file);
        w.println(json(map("t", "mutation", "change", t.change, "kind", "method", "exported", t.exported, "symbol", symbol(t.decl), "broken", b, "edits",
            List.of(map("File", t.decl.file, "Start", bytes(base, 0, t.at), "End", bytes(base, 0, t.end), "Text", t.text)))));
        w.flush();
      }
    }
    System.err.printf("%d changes broke %d declarations, %.1f s%n", made, broken, (System.nanoTime() - began) / 1e9);
  }

  static String key(Problem p) {
    return p.file + ":" + p.line + " " + p.code;
  }

  static Map<String, Object> symbol(Decl d) {
    return map("id", d.id, "qname", d.qname, "file", d.file, "line", d.line);
  }

  /** What a change breaks, by declaration; null if it cannot be made. */
  List<Map<String, Object>> mutate(Target t, Map<String, Integer> before) throws IOException {
    String base = texts.get(t.decl.file);
    String text = base.substring(0, t.at) + t.text + base.substring(t.end);
    Map<String, Integer> seen = new HashMap<>();
    TreeMap<String, List<Object>> sites = new TreeMap<>();
    Map<String, Decl> at = new HashMap<>();
    int shift = t.text.length() - (t.end - t.at);
    for (Problem p : check(t.decl.file, text, null, t.words)) {
      if (seen.merge(key(p), 1, Integer::sum) <= before.getOrDefault(key(p), 0)) continue;
      int pos = p.file.equals(t.decl.file) && p.pos >= t.end + shift ? p.pos - shift : p.pos;
      if (p.code.contains("already.defined") || p.code.contains("name.clash")) return null;
      Decl d = enclosing(p.file, pos);
      if (d == null || d == t.decl) continue;
      at.put(d.id, d);
      sites.computeIfAbsent(d.id, k -> new ArrayList<>()).add(map("file", p.file, "line", p.line, "cause", cause(p.code), "error", p.code + ": " + p.message));
    }
    List<Map<String, Object>> out = new ArrayList<>();
    sites.forEach((id, list) -> out.add(map("symbol", symbol(at.get(id)), "sites", list)));
    return out;
  }

  static String cause(String code) {
    if (code.contains("does.not.override") || code.contains("override.meth") || code.contains("functional") || code.contains("not.def.abstract")) return "satisfies";
    if (code.contains("cant.apply") || code.contains("cant.resolve")) return "call";
    return "other";
  }

  Decl enclosing(String file, int pos) {
    Decl best = null;
    for (Decl d : decls.getOrDefault(file, List.of()))
      if (d.from <= pos && pos < d.to && (best == null || d.to - d.from < best.to - best.from)) best = d;
    return best;
  }

  static Map<String, Object> map(Object... kv) {
    Map<String, Object> m = new LinkedHashMap<>();
    for (int i = 0; i < kv.length; i += 2) m.put((String) kv[i], kv[i + 1]);
    return m;
  }

  static String json(Object o) {
    if (o instanceof Map<?, ?> m)
      return m.entrySet().stream().map(e -> json(e.getKey()) + ":" + json(e.getValue())).collect(Collectors.joining(",", "{", "}"));
    if (o instanceof Collection<?> c) return c.stream().map(Mutate::json).collect(Collectors.joining(",", "[", "]"));
    if (o instanceof Number || o instanceof Boolean) return o.toString();
    StringBuilder b = new StringBuilder("\"");
    for (char c : o.toString().toCharArray()) {
      if (c == '"' || c == '\\') b.append('\\').append(c);
      else if (c < ' ') b.append(String.format("\\u%04x", (int) c));
      else b.append(c);
    }
    return b.append('"').toString();
  }
}
