import com.sun.source.util.JavacTask;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.Collectors;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * Prints the API of modules of the running JDK as Java source without bodies, one file for each top-level type:
 * "-- PACKAGE NAME --" and the source. It reads the class files through the compiler's model; signatures are all
 * that it prints.
 */
public class Stubs {
  static Elements elements;
  static PrintWriter out;
  static Set<String> imports;
  static Map<String, String> simple;
  static String pkg;
  static TreeMap<String, TypeElement> hidden;

  public static void main(String[] args) throws Exception {
    JavaCompiler c = ToolProvider.getSystemJavaCompiler();
    JavacTask task = (JavacTask) c.getTask(Writer.nullWriter(), null, d -> {}, List.of("-proc:none", "--add-modules", String.join(",", args)),
        null, List.of(new SimpleJavaFileObject(java.net.URI.create("string:///X.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean b) {
            return "class X {}";
          }
        }));
    task.analyze();
    elements = task.getElements();
    out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    for (String name : args) {
      ModuleElement m = elements.getModuleElement(name);
      for (ModuleElement.Directive d : m.getDirectives()) {
        if (!(d instanceof ModuleElement.ExportsDirective e) || e.getTargetModules() != null) continue;
        hidden = new TreeMap<>();
        for (Element t : e.getPackage().getEnclosedElements()) {
          if (t instanceof TypeElement type && type.getModifiers().contains(Modifier.PUBLIC)) file(type);
        }
        for (TypeElement t : hidden.values()) file(t);
        hidden.clear();
      }
    }
    out.flush();
  }

  static void file(TypeElement t) {
    pkg = elements.getPackageOf(t).getQualifiedName().toString();
    imports = new TreeSet<>();
    simple = new HashMap<>();
    names(t);
    StringWriter body = new StringWriter();
    type(t, new PrintWriter(body));
    out.println("-- " + pkg + " " + t.getSimpleName() + " --");
    out.println("package " + pkg + ";");
    for (String i : imports) out.println("import " + i + ";");
    out.print(body);
  }

  /** The names of nested types hide imported ones. */
  static void names(TypeElement t) {
    simple.put(t.getSimpleName().toString(), t.getQualifiedName().toString());
    for (TypeElement n : ElementFilter.typesIn(t.getEnclosedElements())) names(n);
  }

  static boolean visible(Element e) {
    return e.getModifiers().contains(Modifier.PUBLIC) || e.getModifiers().contains(Modifier.PROTECTED);
  }

  static String modifiers(Element e) {
    Set<Modifier> keep = EnumSet.of(Modifier.PUBLIC, Modifier.PROTECTED, Modifier.STATIC, Modifier.ABSTRACT, Modifier.FINAL, Modifier.DEFAULT);
    return e.getModifiers().stream().filter(keep::contains).map(m -> m + " ").collect(Collectors.joining());
  }

  static void type(TypeElement t, PrintWriter w) {
    String kind = switch (t.getKind()) {
      case INTERFACE -> "interface";
      case ENUM -> "enum";
      case ANNOTATION_TYPE -> "@interface";
      default -> "class"; // a record's accessors and constructors are among its members
    };
    String mods = modifiers(t);
    if (!kind.equals("class")) mods = mods.replace("abstract ", "").replace("final ", "");
    w.print(mods + kind + " " + t.getSimpleName() + (kind.equals("enum") ? "" : params(t.getTypeParameters())));
    if (kind.equals("class") && t.getSuperclass().getKind() == TypeKind.DECLARED && !t.getSuperclass().toString().equals("java.lang.Object"))
      w.print(" extends " + base(t.getSuperclass()));
    if (!t.getInterfaces().isEmpty() && !kind.equals("@interface"))
      w.print((kind.equals("interface") ? " extends " : " implements ")
          + t.getInterfaces().stream().map(Stubs::base).collect(Collectors.joining(", ")));
    w.println(" {");
    if (kind.equals("enum"))
      w.println(t.getEnclosedElements().stream().filter(e -> e.getKind() == ElementKind.ENUM_CONSTANT).map(e -> e.getSimpleName().toString())
          .collect(Collectors.joining(", ")) + ";");
    for (Element e : t.getEnclosedElements()) {
      if (!visible(e)) continue;
      switch (e.getKind()) {
        case FIELD -> w.println(modifiers(e) + ref(e.asType()) + " " + e.getSimpleName() + ";");
        case CONSTRUCTOR, METHOD -> {
          ExecutableElement x = (ExecutableElement) e;
          if (kind.equals("enum") && (x.getKind() == ElementKind.CONSTRUCTOR || isEnumOwn(x))) continue;
          callable(x, t, w, kind);
        }
        default -> {
          if (e instanceof TypeElement n) type(n, w);
        }
      }
    }
    w.println("}");
  }

  /** A base that is not public gives its members to types that are, so it is printed, too. */
  static String base(TypeMirror t) {
    TypeElement e = (TypeElement) ((DeclaredType) t).asElement();
    if (!e.getModifiers().contains(Modifier.PUBLIC) && e.getEnclosingElement() instanceof PackageElement p
        && p.getQualifiedName().contentEquals(pkg)) hidden.put(e.getQualifiedName().toString(), e);
    return ref(t);
  }

  static boolean isEnumOwn(ExecutableElement x) {
    String n = x.getSimpleName().toString();
    return n.equals("values") && x.getParameters().isEmpty() || n.equals("valueOf") && x.getParameters().size() == 1;
  }

  static void callable(ExecutableElement x, TypeElement owner, PrintWriter w, String kind) {
    boolean ctor = x.getKind() == ElementKind.CONSTRUCTOR;
    String mods = modifiers(x);
    if (kind.equals("interface") || kind.equals("@interface")) mods = mods.replace("abstract ", "").replace("public ", "");
    String ps = params(x.getTypeParameters());
    w.print(mods + (ps.isEmpty() ? "" : ps + " ") + (ctor ? owner.getSimpleName() : ref(x.getReturnType()) + " " + x.getSimpleName()) + "(");
    int n = x.getParameters().size(), i = 0;
    StringJoiner list = new StringJoiner(", ");
    for (VariableElement p : x.getParameters()) {
      String type = ref(p.asType());
      if (x.isVarArgs() && ++i == n) type = type.substring(0, type.length() - 2) + "...";
      else if (!x.isVarArgs()) i++;
      list.add(type + " p" + i);
    }
    boolean body = !x.getModifiers().contains(Modifier.ABSTRACT);
    w.println(list + ")" + (body ? " {}" : ";"));
  }

  static String params(List<? extends TypeParameterElement> ps) {
    if (ps.isEmpty()) return "";
    return ps.stream().map(p -> {
      String bounds = p.getBounds().stream().filter(b -> !b.toString().equals("java.lang.Object")).map(Stubs::ref).collect(Collectors.joining(" & "));
      return p.getSimpleName() + (bounds.isEmpty() ? "" : " extends " + bounds);
    }).collect(Collectors.joining(", ", "<", ">"));
  }

  static String ref(TypeMirror t) {
    return switch (t.getKind()) {
      case DECLARED -> {
        DeclaredType d = (DeclaredType) t;
        String args = d.getTypeArguments().stream().map(Stubs::ref).collect(Collectors.joining(", "));
        yield name((TypeElement) d.asElement()) + (args.isEmpty() ? "" : "<" + args + ">");
      }
      case ARRAY -> ref(((ArrayType) t).getComponentType()) + "[]";
      case TYPEVAR -> ((TypeVariable) t).asElement().getSimpleName().toString();
      case WILDCARD -> {
        WildcardType w = (WildcardType) t;
        yield w.getExtendsBound() != null ? "? extends " + ref(w.getExtendsBound()) : w.getSuperBound() != null ? "? super " + ref(w.getSuperBound()) : "?";
      }
      case INTERSECTION -> ref(((IntersectionType) t).getBounds().get(0));
      default -> t.toString();
    };
  }

  /** Imports a type and returns its simple name, or its full name where that means another type. */
  static String name(TypeElement t) {
    String full = t.getQualifiedName().toString(), s = t.getSimpleName().toString();
    if (t.getEnclosingElement() instanceof TypeElement outer) {
      if (full.equals(simple.get(s))) return s;
      return name(outer) + "." + s;
    }
    String was = simple.putIfAbsent(s, full);
    if (was != null && !was.equals(full)) return full;
    String p = elements.getPackageOf(t).getQualifiedName().toString();
    if (!p.equals(pkg) && !p.equals("java.lang")) imports.add(full);
    return s;
  }
}
