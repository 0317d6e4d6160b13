import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.*;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * Asks javac what the code of a repository refers to and writes the answer in the format of bench/README.md. All
 * files are attributed in one task, without annotation processing. Usage:
 *
 * <pre>java Oracle.java OUT CLASSPATH ROOT &lt; list of files, relative to ROOT</pre>
 */
public class Oracle {
  static final long MISSING = javax.tools.Diagnostic.NOPOS;

  public static void main(String[] args) throws Exception {
    new Oracle(Path.of(args[2]), args[1]).run(args[0]);
  }

  final Path root;
  final String classpath;
  final Map<String, String> unjudged = new TreeMap<>(); // file to reason
  final List<String> files = new ArrayList<>();
  final TreeMap<String, Map<String, Object>> defs = new TreeMap<>();
  final List<Map<String, Object>> sites = new ArrayList<>();
  final Map<Symbol, String> ids = new HashMap<>();
  final Set<String> minor = new HashSet<>();
  Trees trees;
  Elements elements;
  Types types;
  int errors;
  final Set<String> duplicate = new HashSet<>(); // classes that several files declare: which one is meant, a build decides

  Oracle(Path root, String classpath) {
    this.root = root;
    this.classpath = classpath;
  }

  void run(String out) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Map<String, String> first = new HashMap<>();
    List<String> judged = new ArrayList<>();
    for (String line; (line = in.readLine()) != null; ) {
      files.add(line);
      if (line.endsWith("module-info.java") || line.endsWith("package-info.java")) {
        unjudged.put(line, "no class");
        continue;
      }
      judged.add(line);
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager fm = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    List<String> options = new ArrayList<>(List.of("-proc:none", "-implicit:none", "-nowarn", "-XDshould-stop.ifError=FLOW",
        "-XDshould-stop.ifNoError=FLOW", "-Xmaxerrs", "1000000", "-XDide"));
    options.addAll(List.of("-cp", classpath.isEmpty() ? "/nonexistent" : classpath, "-sourcepath", "/nonexistent"));
    // A file whose class another file declares, too, judges nobody.
    Iterable<? extends JavaFileObject> all = fm.getJavaFileObjectsFromPaths(judged.stream().map(root::resolve).toList());
    JavacTask scan = (JavacTask) compiler.getTask(Writer.nullWriter(), fm, d -> {}, options, null, all);
    Set<String> taken = new HashSet<>();
    List<String> kept = new ArrayList<>();
    for (CompilationUnitTree u : scan.parse()) {
      String file = relative(u);
      String pkg = u.getPackageName() == null ? "" : u.getPackageName() + ".";
      boolean twice = false;
      for (Tree t : u.getTypeDecls()) if (t instanceof ClassTree c && !taken.add(pkg + c.getSimpleName())) twice = true;
      if (twice) for (Tree t : u.getTypeDecls()) if (t instanceof ClassTree c) duplicate.add(pkg + c.getSimpleName());
      if (twice) unjudged.put(file, "a class of the same name is declared in another file");
      else kept.add(file);
    }
    JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), fm, d -> {
      if (d.getKind() == javax.tools.Diagnostic.Kind.ERROR) errors++;
    }, options, null, fm.getJavaFileObjectsFromPaths(kept.stream().map(root::resolve).toList()));
    trees = Trees.instance(task);
    elements = task.getElements();
    types = task.getTypes();
    List<CompilationUnitTree> units = new ArrayList<>();
    for (CompilationUnitTree u : task.parse()) units.add(u);
    task.analyze();
    units.sort(Comparator.comparing(this::relative));
    for (CompilationUnitTree u : units) new Definitions(u).scan(u, null);
    for (CompilationUnitTree u : units) new Uses(u).scan(u, null);
    write(out);
  }

  String relative(CompilationUnitTree u) {
    return root.relativize(Path.of(u.getSourceFile().toUri())).toString();
  }

  static boolean isTest(String file) {
    return file.contains("src/test/") || file.contains("/test/") || file.startsWith("test/");
  }

  void write(String out) throws IOException {
    try (PrintWriter w = new PrintWriter(new BufferedWriter(new OutputStreamWriter(
        out.equals("-") ? System.out : new FileOutputStream(out), StandardCharsets.UTF_8)))) {
      w.println(json(map("t", "meta", "schema", "kg.oracle/v1", "lang", "java", "tool", "javac " + Runtime.version(),
          "closed", List.of("calls", "references", "reads", "writes", "instantiates", "uses-type", "throws"),
          "relations", List.of("extends", "implements", "overrides", "injects"), "errors", errors)));
      Collections.sort(files);
      for (String f : files) {
        String why = unjudged.get(f);
        Map<String, Object> m = map("t", "file", "file", f, "judged", why == null);
        if (why != null) m.put("reason", why);
        if (isTest(f)) m.put("test", true);
        w.println(json(m));
      }
      for (Map<String, Object> d : defs.values()) w.println(json(d));
      sites.sort(Comparator.comparing((Map<String, Object> s) -> (String) s.get("file"))
          .thenComparing(s -> (Integer) s.get("line")).thenComparing(s -> (Integer) s.get("col"))
          .thenComparing(s -> (String) s.get("kind")).thenComparing(s -> String.valueOf(s.get("to"))));
      int open = 0;
      for (Map<String, Object> s : sites) {
        if (s.containsKey("open")) open++;
        w.println(json(s));
      }
      w.println(json(map("t", "end", "defs", defs.size(), "sites", sites.size(), "open", open)));
    }
  }

  static Map<String, Object> map(Object... kv) {
    Map<String, Object> m = new LinkedHashMap<>();
    for (int i = 0; i < kv.length; i += 2) m.put((String) kv[i], kv[i + 1]);
    return m;
  }

  static String json(Object o) {
    if (o instanceof Map<?, ?> m)
      return m.entrySet().stream().map(e -> json(e.getKey()) + ":" + json(e.getValue())).collect(Collectors.joining(",", "{", "}"));
    if (o instanceof Collection<?> c) return c.stream().map(Oracle::json).collect(Collectors.joining(",", "[", "]"));
    if (o instanceof Number || o instanceof Boolean) return o.toString();
    StringBuilder b = new StringBuilder("\"");
    for (char c : o.toString().toCharArray()) {
      if (c == '"' || c == '\\') b.append('\\').append(c);
      else if (c < ' ') b.append(String.format("\\u%04x", (int) c));
      else b.append(c);
    }
    return b.append('"').toString();
  }

  /** What both passes over a file know. */
  abstract class Pass extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final String file, text;
    final int[] lines;
    final SourcePositions positions = trees.getSourcePositions();

    Pass(CompilationUnitTree unit) {
      this.unit = unit;
      file = relative(unit);
      String s;
      try {
        s = unit.getSourceFile().getCharContent(true).toString();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      text = s;
      lines = IntStream.concat(IntStream.of(0), IntStream.range(0, s.length()).filter(i -> s.charAt(i) == '\n').map(i -> i + 1)).toArray();
    }

    int line(int pos) {
      int i = Arrays.binarySearch(lines, pos);
      return i >= 0 ? i + 1 : -i - 1;
    }

    int col(int pos) {
      return text.substring(lines[line(pos) - 1], pos).getBytes(StandardCharsets.UTF_8).length + 1;
    }

    int start(Tree t) {
      return (int) positions.getStartPosition(unit, t);
    }

    int end(Tree t) {
      return (int) positions.getEndPosition(unit, t);
    }

    /** The position of a word in the text at or after from, not part of another word. */
    int word(String w, int from) {
      for (int i = from; (i = text.indexOf(w, i)) >= 0; i++) {
        boolean before = i > 0 && Character.isJavaIdentifierPart(text.charAt(i - 1));
        boolean after = i + w.length() < text.length() && Character.isJavaIdentifierPart(text.charAt(i + w.length()));
        if (!before && !after) return i;
      }
      return from;
    }

    boolean local(Symbol s) { // declared inside of a body
      for (; s != null && s.kind != com.sun.tools.javac.code.Kinds.Kind.PCK; s = s.owner)
        if (s instanceof ClassSymbol c && (c.name.isEmpty() || !(c.owner instanceof ClassSymbol || c.owner instanceof PackageSymbol))) return true;
      return false;
    }
  }

  /** Collects the declarations. */
  class Definitions extends Pass {
    Definitions(CompilationUnitTree unit) {
      super(unit);
    }

    @Override
    public Void visitCompilationUnit(CompilationUnitTree t, Void v) {
      defs.put(file, map("t", "def", "id", file, "kind", "file", "name", file.substring(file.lastIndexOf('/') + 1), "file", file,
          "def_line", 1, "line", 1, "col", 1, "end_line", lines.length));
      return super.visitCompilationUnit(t, v);
    }

    void add(Symbol s, String kind, String name, Tree t, int pos) {
      if (s == null || pos < 0) return;
      String id = file + ":" + line(pos) + ":" + col(pos);
      int first = start(t);
      if (first < 0) return;
      Map<String, Object> d = map("t", "def", "id", id, "kind", kind, "name", name, "qname", s.toString());
      if (s.owner instanceof ClassSymbol o && ids.containsKey(o)) d.put("parent", ids.get(o));
      d.put("file", file);
      d.put("def_line", line(first));
      d.put("line", line(pos));
      d.put("col", col(pos));
      d.put("end_line", line(Math.max(first, end(t) - 1)));
      if (local(s)) {
        d.put("minor", true);
        minor.add(id);
      }
      if (isTest(file)) d.put("test", true);
      if (s instanceof MethodSymbol x && x.type != null && x.type.isErroneous()) d.put("unjudged", List.of("overrides")); // nor what overrides it
      ids.put(s, id);
      defs.put(id, d);
    }

    @Override
    public Void visitClass(ClassTree t, Void v) {
      ClassSymbol s = ((JCTree.JCClassDecl) t).sym;
      if (s != null && !t.getSimpleName().isEmpty()) {
        String kind = switch (t.getKind()) {
          case INTERFACE -> "interface";
          case ENUM -> "enum";
          case RECORD -> "record";
          case ANNOTATION_TYPE -> "annotation";
          default -> "class";
        };
        int from = end(t.getModifiers()) >= 0 ? end(t.getModifiers()) : start(t);
        add(s, kind, t.getSimpleName().toString(), t, word(t.getSimpleName().toString(), from));
      }
      return super.visitClass(t, v);
    }

    @Override
    public Void visitMethod(MethodTree t, Void v) {
      JCTree.JCMethodDecl m = (JCTree.JCMethodDecl) t;
      if (m.sym != null && (m.mods.flags & Flags.GENERATEDCONSTR) == 0 && (m.sym.flags() & Flags.SYNTHETIC) == 0 && end(t) >= 0) {
        boolean init = m.name.contentEquals("<init>");
        add(m.sym, init ? "constructor" : "method", init ? m.sym.owner.name.toString() : m.name.toString(), t, m.pos);
      }
      return super.visitMethod(t, v);
    }

    @Override
    public Void visitVariable(VariableTree t, Void v) {
      JCTree.JCVariableDecl d = (JCTree.JCVariableDecl) t;
      if (d.sym != null && d.sym.owner instanceof ClassSymbol) {
        boolean member = (d.mods.flags & Flags.ENUM) != 0;
        add(d.sym, member ? "enum_member" : "field", d.name.toString(), t, d.pos);
      }
      return super.visitVariable(t, v);
    }
  }

  /** Collects the uses and relations. */
  class Uses extends Pass {
    Uses(CompilationUnitTree unit) {
      super(unit);
    }

    @Override
    public Void visitImport(ImportTree t, Void v) {
      return null;
    }

    @Override
    public Void visitPackage(PackageTree t, Void v) {
      return null;
    }

    /** The innermost member of a class that is not local; closures and local classes count to it. */
    String owner() {
      String best = null;
      boolean initialiser = false;
      for (TreePath p = getCurrentPath(); p != null; p = p.getParentPath()) {
        Tree t = p.getLeaf();
        Symbol s = t instanceof JCTree.JCMethodDecl m ? m.sym
            : t instanceof JCTree.JCVariableDecl d && d.sym != null && d.sym.owner instanceof ClassSymbol ? d.sym
            : t instanceof JCTree.JCClassDecl c ? c.sym : null;
        if (s == null) continue;
        if (local(s)) {
          best = null;
          continue;
        }
        if (best == null) {
          String id = ids.get(s);
          if (id == null && s.owner instanceof ClassSymbol o) id = ids.get(o);
          if (id != null) best = id;
        }
      }
      return best == null ? file : best;
    }

    List<String> tags(Symbol s, boolean inherited) {
      List<String> tags = new ArrayList<>();
      if (isTest(file)) tags.add("test");
      boolean closure = false, field = false;
      for (TreePath p = getCurrentPath(); p != null; p = p.getParentPath()) {
        Tree t = p.getLeaf();
        if (t instanceof LambdaExpressionTree || t instanceof ClassTree && ((ClassTree) t).getSimpleName().isEmpty()) closure = true;
        if (t instanceof JCTree.JCVariableDecl d && d.sym != null && d.sym.owner instanceof ClassSymbol) field = true;
      }
      if (closure) tags.add("closure");
      if (field) tags.add("init");
      if (s instanceof MethodSymbol m) {
        if ((m.flags() & Flags.ABSTRACT) != 0) tags.add("interface");
        if (!m.type.getTypeArguments().isEmpty() || !m.owner.type.getTypeArguments().isEmpty()) tags.add("generic");
        int n = 0;
        if (m.owner.members() != null) for (Symbol o : m.owner.members().getSymbolsByName(m.name)) n++;
        if (n > 1) tags.add("overloaded");
      }
      if (inherited) tags.add("promoted");
      return tags;
    }

    static boolean bad(Symbol s) {
      return s == null || s.kind.isResolutionError() || s.type == null || s.type.isErroneous() || s.type.hasTag(TypeTag.ERROR)
          || s instanceof ClassSymbol c && c.type.isErroneous();
    }

    /** Whether a symbol is of a class that several files declare. */
    boolean unclear(Symbol s) {
      if (duplicate.isEmpty() || s == null || s.kind.isResolutionError()) return false;
      ClassSymbol c = null; // outermostClass fails for what is in no class
      for (Symbol x = s; x != null; x = x.owner) if (x instanceof ClassSymbol k) c = k;
      return c != null && duplicate.contains(c.flatname.toString());
    }

    void site(String kind, Symbol s, int pos, String name, String shape, boolean inherited) {
      site(kind, s, pos, name, shape, inherited, false);
    }

    void site(String kind, Symbol s, int pos, String name, String shape, boolean inherited, boolean erroneous) {
      if (pos < 0) return;
      Map<String, Object> m = map("t", "site", "kind", kind, "from", owner());
      if (erroneous || s == null || bad(s) || unclear(s)) {
        m.put("open", true);
      } else {
        String id = ids.get(s);
        if (id == null && s instanceof MethodSymbol c && c.isConstructor()) id = ids.get(c.owner); // a default constructor
        if (id == null && s instanceof MethodSymbol c && c.owner instanceof ClassSymbol o && ids.containsKey(o)) {
          // An accessor of a record, a method of an enum: what the compiler adds.
          if ((o.flags() & Flags.RECORD) != 0)
            for (Symbol f : o.members().getSymbolsByName(c.name)) if (ids.containsKey(f)) id = ids.get(f);
        }
        if (id != null) m.put("to", id);
        else if (s.owner instanceof ClassSymbol o && ids.containsKey(o) && !(s instanceof ClassSymbol)) m.put("open", true); // values, valueOf
        else m.put("ext", (s.owner == null ? "" : s.owner.toString()) + "#" + s.name);
        if (id != null && minor.contains(id)) minorSite(m, s);
      }
      m.put("file", file);
      m.put("line", line(pos));
      m.put("col", col(pos));
      m.put("name", name);
      List<String> tags = tags(s, inherited);
      if (!tags.isEmpty()) m.put("tags", tags);
      if (shape != null) m.put("shape", shape);
      sites.add(m);
    }

    /** What a method of an anonymous class overrides is as right as the method. */
    void minorSite(Map<String, Object> m, Symbol s) {
      m.put("optional", true);
      if (!(s instanceof MethodSymbol x) || x.isConstructor() || x.isStatic() || !(x.owner instanceof ClassSymbol o)) return;
      Set<Symbol> found = new LinkedHashSet<>();
      overridden(x, o, found, new HashSet<>());
      List<String> or = found.stream().map(ids::get).filter(Objects::nonNull).toList();
      if (!or.isEmpty()) m.put("to_or", or);
    }

    int nameAt(Tree t, String name) { // the last name of an expression
      int e = end(t);
      if (e < 0) return -1;
      return t instanceof MemberSelectTree ? e - name.length() : start(t);
    }

    String shape(Tree t) {
      if (t instanceof MemberSelectTree m) return shapeOf(m.getExpression()) + ".";
      return "name";
    }

    String shapeOf(Tree t) {
      return switch (t.getKind()) {
        case METHOD_INVOCATION -> "call()";
        case IDENTIFIER -> {
          Symbol s = TreeInfo.symbol((JCTree) t);
          String n = ((IdentifierTree) t).getName().toString();
          if (n.equals("this") || n.equals("super")) yield n;
          yield s instanceof ClassSymbol ? "Type" : s instanceof VarSymbol v && v.owner instanceof ClassSymbol ? "field" : "local";
        }
        case MEMBER_SELECT -> TreeInfo.symbol((JCTree) t) instanceof ClassSymbol ? "Type" : "x.field";
        case NEW_CLASS -> "new";
        case PARENTHESIZED -> "()";
        case ARRAY_ACCESS -> "[]";
        case STRING_LITERAL -> "literal";
        default -> t.getKind().toString().toLowerCase();
      };
    }

    boolean inherited(Tree select, Symbol s) {
      if (!(s.owner instanceof ClassSymbol)) return false;
      if (select instanceof JCTree.JCFieldAccess f && f.selected.type != null && f.selected.type.tsym != null)
        return f.selected.type.tsym != s.owner;
      return false;
    }

    static boolean argsErroneous(List<? extends ExpressionTree> args) {
      for (ExpressionTree a : args) {
        Type t = ((JCTree) a).type;
        if (t != null && t.isErroneous()) return true;
        if (a instanceof JCTree.JCMethodInvocation m && (t == null || m.meth.type == null || m.meth.type.isErroneous())) return true;
      }
      return false;
    }

    /** With an erroneous argument javac may choose another overload. */
    boolean doubtful(Symbol s, List<? extends ExpressionTree> args) {
      if (!(s instanceof MethodSymbol m)) return false;
      boolean erroneous = argsErroneous(args);
      int n = 0;
      for (Symbol c = m.owner; c instanceof ClassSymbol k; c = k.getSuperclass().tsym) {
        if (k.members() == null) break;
        for (Symbol o : k.members().getSymbolsByName(m.name))
          if (o instanceof MethodSymbol x) {
            n++;
            for (Type p : x.type.getParameterTypes()) erroneous |= p.isErroneous();
          }
        if (k.getSuperclass().tsym == null || k.getSuperclass().tsym == c) break;
      }
      return erroneous && n > 1;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree t, Void v) {
      JCTree.JCMethodInvocation m = (JCTree.JCMethodInvocation) t;
      Symbol s = TreeInfo.symbol(m.meth);
      ExpressionTree sel = t.getMethodSelect();
      String name = sel instanceof MemberSelectTree f ? f.getIdentifier().toString() : sel.toString();
      int pos = nameAt(sel, name);
      boolean written = pos >= 0 && text.startsWith(name, pos);
      if (written) {
        boolean err = m.meth.type == null || m.meth.type.isErroneous() && (s == null || bad(s)) || doubtful(s, t.getArguments());
        if (!err && s != null && s.type != null && s.type.isErroneous() && !(s.type instanceof Type.ErrorType) && !s.kind.isResolutionError()) {
          // Its signature names a missing class: the target is known all the same.
          known("calls", s, pos, name, shape(sel), inherited(sel, s));
        } else site("calls", s, pos, name, shape(sel), s != null && !bad(s) && inherited(sel, s), err);
        if (sel instanceof MemberSelectTree f) scan(f.getExpression(), v);
        scan(t.getTypeArguments(), v);
        scan(t.getArguments(), v);
      } else {
        scan(t.getArguments(), v); // made by the compiler
      }
      return null;
    }

    /** A site whose target is known although its signature has errors. */
    void known(String kind, Symbol s, int pos, String name, String shape, boolean inherited) {
      String id = ids.get(s);
      if (id == null || unclear(s)) {
        site(kind, null, pos, name, shape, false, true);
        return;
      }
      Map<String, Object> m = map("t", "site", "kind", kind, "from", owner(), "to", id, "file", file, "line", line(pos), "col", col(pos), "name", name);
      List<String> tags = tags(s, inherited);
      if (!tags.isEmpty()) m.put("tags", tags);
      m.put("shape", shape);
      if (minor.contains(id)) minorSite(m, s);
      sites.add(m);
    }

    @Override
    public Void visitNewClass(NewClassTree t, Void v) {
      JCTree.JCNewClass n = (JCTree.JCNewClass) t;
      Symbol c = n.constructor;
      boolean constant = getCurrentPath().getParentPath().getLeaf() instanceof JCTree.JCVariableDecl d && (d.mods.flags & Flags.ENUM) != 0;
      if (constant) {
        JCTree.JCVariableDecl d = (JCTree.JCVariableDecl) getCurrentPath().getParentPath().getLeaf();
        if (c != null && n.def == null) site("calls", c, d.pos, d.name.toString(), "enum", false, bad(c));
        else if (c != null) site("calls", superConstructor(n), d.pos, d.name.toString(), "enum", false);
        scan(t.getArguments(), v);
        scan(t.getClassBody(), v);
        return null;
      }
      ExpressionTree id = t.getIdentifier();
      Tree named = id;
      while (named instanceof ParameterizedTypeTree p) named = p.getType();
      while (named instanceof AnnotatedTypeTree a) named = a.getUnderlyingType();
      Symbol cls = TreeInfo.symbol((JCTree) named);
      String name = named instanceof MemberSelectTree f ? f.getIdentifier().toString() : named.toString();
      int pos = nameAt(named, name);
      site("instantiates", cls, pos, name, "new", false, cls == null || bad(cls));
      boolean face = cls instanceof ClassSymbol k && (k.flags() & Flags.INTERFACE) != 0;
      if (n.def != null) c = superConstructor(n);
      if (!face) {
        if (c != null && !c.kind.isResolutionError() && c.type != null && c.type.isErroneous() && cls != null && !bad(cls)) {
          if (doubtful(c, t.getArguments())) site("calls", null, pos, name, "new", false, true);
          else if (ids.containsKey(c)) known("calls", c, pos, name, "new", false);
          else site("calls", null, pos, name, "new", false, true);
        } else site("calls", c, pos, name, "new", false, cls == null || bad(cls) || c == null || bad(c) || doubtful(c, t.getArguments()));
      }
      scan(t.getEnclosingExpression(), v);
      scan(t.getTypeArguments(), v);
      if (named instanceof MemberSelectTree f) scan(f.getExpression(), v);
      if (id instanceof ParameterizedTypeTree p) scan(p.getTypeArguments(), v);
      scan(t.getArguments(), v);
      if (t.getClassBody() != null) {
        scan(t.getClassBody().getMembers(), v, t.getClassBody());
      }
      return null;
    }

    void scan(List<? extends Tree> members, Void v, ClassTree within) {
      TreePath path = new TreePath(getCurrentPath(), within);
      for (Tree m : members) {
        if (m instanceof JCTree.JCMethodDecl d && (d.mods.flags & (Flags.GENERATEDCONSTR | Flags.ANONCONSTR)) != 0) continue;
        if (m instanceof JCTree.JCMethodDecl d && d.name.contentEquals("<init>")) continue;
        new Uses(unit).scan(new TreePath(path, m), v);
      }
    }

    Symbol superConstructor(JCTree.JCNewClass n) {
      for (JCTree m : n.def.defs)
        if (m instanceof JCTree.JCMethodDecl d && d.name.contentEquals("<init>") && d.body != null)
          for (JCTree.JCStatement s : d.body.stats)
            if (s instanceof JCTree.JCExpressionStatement e && e.expr instanceof JCTree.JCMethodInvocation i) return TreeInfo.symbol(i.meth);
      return n.constructor;
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree t, Void v) {
      JCTree.JCMemberReference r = (JCTree.JCMemberReference) t;
      String name = t.getName().toString();
      int pos = end(t) - (t.getMode() == MemberReferenceTree.ReferenceMode.NEW ? 3 : name.length());
      Symbol s = r.sym;
      if (s != null && !s.kind.isResolutionError() && s.type != null && s.type.isErroneous() && ids.containsKey(s)) known("references", s, pos, name, "::", false);
      else site("references", s, pos, name, "::", false, s == null || bad(s));
      scan(t.getQualifierExpression(), v);
      scan(t.getTypeArguments(), v);
      return null;
    }

    @Override
    public Void visitIdentifier(IdentifierTree t, Void v) {
      name((JCTree.JCIdent) t, ((JCTree.JCIdent) t).sym, start(t), t.getName().toString());
      return null;
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree t, Void v) {
      JCTree.JCFieldAccess f = (JCTree.JCFieldAccess) t;
      String n = t.getIdentifier().toString();
      if (!n.equals("class") && !n.equals("this") && !n.equals("super")) name(f, f.sym, end(t) - n.length(), n);
      scan(t.getExpression(), v);
      return null;
    }

    void name(JCTree t, Symbol s, int pos, String n) {
      if (n.equals("this") || n.equals("super") || pos < 0 || s instanceof PackageSymbol) return;
      TreePath up = getCurrentPath().getParentPath();
      Tree parent = up.getLeaf();
      if (s instanceof TypeVariableSymbol) return;
      if (s instanceof ClassSymbol || s != null && s.kind.isResolutionError() && (isType(t, parent))) {
        Tree at = t;
        while (parent instanceof ParameterizedTypeTree p && p.getType() == at || parent instanceof AnnotatedTypeTree) {
          at = parent;
          up = up.getParentPath();
          parent = up.getLeaf();
        }
        if (parent instanceof AnnotationTree) return;
        if (parent instanceof ClassTree c && (c.getExtendsClause() == at || c.getImplementsClause().contains(at)) && !local(((JCTree.JCClassDecl) c).sym)) return;
        if (parent instanceof ClassTree c && c.getExtendsClause() == at && up.getParentPath().getParentPath().getLeaf() instanceof JCTree.JCVariableDecl d
            && (d.mods.flags & Flags.ENUM) != 0) return; // the body of a constant: nothing is written there
        String kind = parent instanceof MethodTree m && m.getThrows().contains(at) ? "throws" : "uses-type";
        site(kind, s, pos, n, parent.getKind().toString().toLowerCase(), false, bad(s));
        return;
      }
      if (s instanceof VarSymbol x && x.owner instanceof ClassSymbol) {
        boolean write = false, read = true;
        Tree at = t;
        while (parent instanceof ParenthesizedTree) {
          at = parent;
          up = up.getParentPath();
          parent = up.getLeaf();
        }
        if (parent instanceof AssignmentTree a && a.getVariable() == at) {
          write = true;
          read = false;
          if (up.getParentPath().getLeaf() instanceof AnnotationTree) return; // an element of an annotation
        } else if (parent instanceof CompoundAssignmentTree a && a.getVariable() == at) write = true;
        else if (parent instanceof UnaryTree u && (u.getKind() == Tree.Kind.POSTFIX_INCREMENT || u.getKind() == Tree.Kind.POSTFIX_DECREMENT
            || u.getKind() == Tree.Kind.PREFIX_INCREMENT || u.getKind() == Tree.Kind.PREFIX_DECREMENT)) write = true;
        boolean inherited = inherited(t, s);
        boolean erroneous = s.kind.isResolutionError();
        for (String kind : new String[] {write ? "writes" : null, read ? "reads" : null}) {
          if (kind == null) continue;
          if (!erroneous && ids.containsKey(s)) known(kind, s, pos, n, shape(t), inherited);
          else site(kind, s, pos, n, shape(t), inherited, erroneous || bad(s));
        }
        return;
      }
      if (s instanceof VarSymbol) return; // a local variable
      if (s instanceof MethodSymbol) return; // of an annotation
      if (s == null || bad(s)) site("unresolved", null, pos, n, null, false, true);
    }

    boolean isType(Tree t, Tree parent) {
      return !(parent instanceof MemberSelectTree) && !(parent instanceof MethodInvocationTree) && Character.isUpperCase(
          (t instanceof IdentifierTree i ? i.getName() : ((MemberSelectTree) t).getIdentifier()).charAt(0));
    }

    /** Arrays count as what they hold. */
    Symbol element(Type t) {
      while (t instanceof Type.ArrayType a) t = a.elemtype;
      return t.tsym;
    }

    void relation(String kind, Symbol from, Symbol to, int pos) {
      relation(kind, ids.get(from), to, pos);
    }

    /** Relations of a kind are not judged of what a definition declares: the compiler does not know them. */
    @SuppressWarnings("unchecked")
    void exempt(String id, String kind) {
      Map<String, Object> d = defs.get(id);
      if (d == null) return;
      List<String> kinds = new ArrayList<>((List<String>) d.getOrDefault("unjudged", List.of()));
      if (!kinds.contains(kind)) kinds.add(kind);
      d.put("unjudged", kinds);
    }

    void relation(String kind, String a, Symbol to, int pos) {
      if (unclear(to)) exempt(a, kind);
      if (to == null || bad(to) || unclear(to)) return;
      String b = ids.get(to);
      if (a == null || b == null || minor.contains(a) || minor.contains(b) || pos < 0) return;
      Map<String, Object> m = map("t", "site", "kind", kind, "from", a, "to", b, "file", file, "line", line(pos), "col", col(pos),
          "name", to.name.toString());
      if (isTest(file)) m.put("tags", List.of("test"));
      sites.add(m);
    }

    @Override
    public Void visitClass(ClassTree t, Void v) {
      JCTree.JCClassDecl c = (JCTree.JCClassDecl) t;
      if (c.sym != null && !local(c.sym)) {
        if (t.getExtendsClause() != null && ((JCTree) t.getExtendsClause()).type != null) relation("extends", c.sym, ((JCTree) t.getExtendsClause()).type.tsym, start(t.getExtendsClause()));
        for (Tree i : t.getImplementsClause())
          if (((JCTree) i).type != null) relation(t.getKind() == Tree.Kind.INTERFACE ? "extends" : "implements", c.sym, ((JCTree) i).type.tsym, start(i));
      }
      return super.visitClass(t, v);
    }

    @Override
    public Void visitMethod(MethodTree t, Void v) {
      JCTree.JCMethodDecl m = (JCTree.JCMethodDecl) t;
      if ((m.mods.flags & Flags.GENERATEDCONSTR) != 0 || end(t) < 0) return null;
      if (m.sym != null && !m.sym.isStatic() && !m.sym.isConstructor()) {
        Set<Symbol> seen = new LinkedHashSet<>(), above = new HashSet<>();
        if (!m.sym.type.isErroneous()) overridden(m.sym, (ClassSymbol) m.sym.owner, seen, above);
        // What a type inside of a body overrides counts to the member around it, as its calls do.
        String from = local(m.sym) ? owner() : ids.get(m.sym);
        for (Symbol s : above) if (unclear(s)) exempt(from, "overrides");
        if (m.sym.type.isErroneous()) exempt(from, "overrides"); // it cannot be compared
        for (Symbol s : seen) if (!s.type.isErroneous() && !Objects.equals(from, ids.get(s))) relation("overrides", from, s, m.pos);
      }
      if (m.sym != null && !local(m.sym) && m.sym.isConstructor() && (m.sym.owner.flags() & (Flags.RECORD | Flags.ENUM)) == 0)
        for (JCTree.JCVariableDecl p : m.params) inject(m.sym.owner, p, has(m.mods, POINTS) || managed());
      if (m.sym != null && !local(m.sym) && !m.sym.isConstructor() && has(m.mods, POINTS, MAKERS))
        for (JCTree.JCVariableDecl p : m.params) inject(m.sym.owner, p, true);
      return super.visitMethod(t, v);
    }

    /** The nearest methods that m overrides, on each way up. */
    void overridden(MethodSymbol m, ClassSymbol in, Set<Symbol> found, Set<Symbol> seen) {
      List<Type> supers = new ArrayList<>();
      if (in.getSuperclass().tsym != null) supers.add(in.getSuperclass());
      supers.addAll(in.getInterfaces());
      for (Type st : supers) {
        if (!(st.tsym instanceof ClassSymbol s) || !seen.add(s)) continue;
        boolean here = false;
        for (Symbol o : s.members().getSymbolsByName(m.name))
          if (o instanceof MethodSymbol om && !om.isStatic() && elements.overrides(m, om, (TypeElement) m.owner)) {
            found.add(om);
            here = true;
          }
        if (!here) overridden(m, s, found, seen);
      }
    }

    static final Set<String> POINTS = Set.of("Autowired", "Inject", "Resource", "EJB"), MAKERS = Set.of("Bean", "Provides"),
        MANAGED = Set.of("Component", "Service", "Repository", "Controller", "RestController", "Configuration", "ControllerAdvice", "RestControllerAdvice",
            "SpringBootApplication", "Named", "ApplicationScoped", "RequestScoped", "SessionScoped", "Dependent", "Singleton", "Stateless", "Stateful", "MessageDriven"),
        HOLDERS = Set.of("Optional", "Provider", "Lazy", "ObjectProvider", "ObjectFactory", "List", "Set", "Collection", "Map", "Iterable", "Stream", "Instance");

    @SafeVarargs
    static boolean has(JCTree.JCModifiers mods, Set<String>... names) {
      for (JCTree.JCAnnotation a : mods.annotations) {
        String name = a.annotationType instanceof JCTree.JCFieldAccess f ? f.name.toString() : a.annotationType.toString();
        for (Set<String> n : names) if (n.contains(name)) return true;
      }
      return false;
    }

    /** Whether a container makes the class that is open. */
    boolean managed() {
      for (TreePath p = getCurrentPath(); p != null; p = p.getParentPath())
        if (p.getLeaf() instanceof JCTree.JCClassDecl c) return has(c.mods, MANAGED);
      return false;
    }

    /** What a variable is given: a value of its type and, by a container, what that holds. */
    void inject(Symbol owner, JCTree.JCVariableDecl p, boolean contained) {
      JCTree t = p.vartype;
      if (t == null || t.type == null) return;
      relation("injects", owner, element(t.type), p.pos);
      for (int n = 0; contained && n < 4; n++) {
        while (t instanceof JCTree.JCAnnotatedType a) t = a.underlyingType;
        if (!(t instanceof JCTree.JCTypeApply g)) return;
        String name = g.clazz instanceof JCTree.JCFieldAccess f ? f.name.toString() : g.clazz.toString();
        if (!HOLDERS.contains(name)) return;
        t = g.arguments.last();
        if (t instanceof JCTree.JCWildcard w && w.inner != null) t = w.inner;
        if (t.type != null) relation("injects", owner, element(t.type), p.pos);
      }
    }

    static final Set<String> INJECTING = Set.of("Autowired", "Inject", "Resource", "EJB", "PersistenceContext", "Mock", "InjectMocks", "MockBean", "MockitoBean", "SpyBean", "Spy");

    @Override
    public Void visitVariable(VariableTree t, Void v) {
      JCTree.JCVariableDecl d = (JCTree.JCVariableDecl) t;
      if (d.sym != null && d.sym.owner instanceof ClassSymbol o && !local(o) && has(d.mods, INJECTING)) inject(o, d, has(d.mods, POINTS));
      if (d.sym != null && (d.mods.flags & Flags.ENUM) != 0) { // a constant of an enum: its type is not written
        scan(d.init, v);
        scan(d.mods, v);
        return null;
      }
      return super.visitVariable(t, v);
    }
  }
}
