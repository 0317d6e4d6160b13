// This test makes a release of programs that are none, pins the action to it, and
// installs from it.
package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// releaseLab is a copy of the scripts of release and installation.
type releaseLab struct {
	t   *testing.T
	dir string
}

func newReleaseLab(t *testing.T) *releaseLab {
	t.Helper()
	for _, p := range []string{"bash", "curl", "tar", "sha256sum"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(p + " is needed")
		}
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the release is for linux on amd64")
	}
	l := &releaseLab{t: t, dir: t.TempDir()}
	for _, name := range []string{".github/release.sh", ".github/action/install.sh", ".github/action/checksums.txt"} {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		l.write(name, string(text))
	}
	return l
}

func (l *releaseLab) write(name, text string) {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		l.t.Fatal(err)
	}
}

func (l *releaseLab) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(l.dir, name))
	return string(text)
}

// bash runs a script, and returns its exit code and what it said.
func (l *releaseLab) bash(env []string, args ...string) (int, string) {
	l.t.Helper()
	cmd := exec.Command("bash", args...)
	cmd.Dir = l.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.dir}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		l.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (l *releaseLab) release(step string) (int, string) {
	return l.bash([]string{"TAG=v1.2.3"}, ".github/release.sh", step)
}

// archive makes the file of one system.
func (l *releaseLab) archive(system, program string) {
	l.t.Helper()
	name := "kg"
	if strings.HasPrefix(system, "windows") {
		name = "kg.exe"
	}
	l.write("parts/"+name, program)
	if code, out := l.bash(nil, "-c", "mkdir -p dist && tar -czf dist/kg_1.2.3_"+system+".tar.gz -C parts "+name); code != 0 {
		l.t.Fatal(out)
	}
}

// install runs the installation, and returns what it said and the program.
func (l *releaseLab) install(how string, env ...string) (code int, out, kg string) {
	l.t.Helper()
	temp := l.t.TempDir()
	env = append([]string{"INPUT_INSTALL=" + how, "ACTION_DIR=" + l.dir, "RUNNER_TEMP=" + temp, "GITHUB_OUTPUT=" + temp + "/output",
		"KG_RELEASES=file://" + l.dir + "/releases"}, env...)
	code, out = l.bash(env, ".github/action/install.sh")
	text, _ := os.ReadFile(temp + "/output")
	kg, _ = strings.CutPrefix(strings.TrimSpace(string(text)), "kg=")
	return code, out, kg
}

var releaseSystems = []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64"}

// pinned is a lab whose action is pinned to a release.
func pinned(t *testing.T) *releaseLab {
	t.Helper()
	l := newReleaseLab(t)
	for _, s := range releaseSystems {
		l.archive(s, "#!/bin/sh\necho kg for "+s+"\n")
	}
	for _, step := range []string{"checksums", "pin"} {
		if code, out := l.release(step); code != 0 {
			t.Fatalf("%s: %d: %s", step, code, out)
		}
	}
	if code, out := l.bash(nil, "-c", "mkdir -p releases && cp -r dist releases/v1.2.3"); code != 0 {
		t.Fatal(out)
	}
	return l
}

func TestReleasePin(t *testing.T) {
	t.Parallel()
	l := pinned(t)
	list := l.read(".github/action/checksums.txt")
	if strings.Count(list, "\n") != 7 || strings.Count(list, "  kg_1.2.3_") != 5 || !strings.HasPrefix(list, "# ") {
		t.Errorf("got\n%s", list)
	}
	if code, out := l.bash(nil, "-c", "cd dist && grep -v '^#' ../.github/action/checksums.txt | sha256sum -c --quiet"); code != 0 {
		t.Error(out)
	}
	// The same files give the same bytes.
	if code, out := l.release("pin"); code != 0 || l.read(".github/action/checksums.txt") != list {
		t.Errorf("%d: %s", code, out)
	}
	// What does not belong to the release is not pinned, and nothing is with it.
	good := l.read("dist/checksums.txt")
	lines := strings.SplitAfter(good, "\n")
	for name, text := range map[string]string{
		"a system is missing":  strings.Join(slices.Delete(slices.Clone(lines), 2, 3), ""),
		"a system twice":       good + lines[0],
		"another version":      strings.ReplaceAll(good, "1.2.3", "1.2.4"),
		"a version like it":    strings.ReplaceAll(good, "1.2.3", "1x2.3"),
		"another file":         good + strings.Replace(lines[0], "kg_", "x_", 1),
		"a digest that is cut": good[1:],
		"none":                 "",
	} {
		l.write("dist/checksums.txt", text)
		if code, out := l.release("pin"); code == 0 || l.read(".github/action/checksums.txt") != list {
			t.Errorf("%s: code %d: %s", name, code, out)
		}
	}
	for _, tag := range []string{"", "main", "v1", "v1.2.3; touch pwned", "v1.2.3/../x"} {
		if code, _ := l.bash([]string{"TAG=" + tag}, ".github/release.sh", "checksums"); code != 2 {
			t.Errorf("%q: code %d", tag, code)
		}
	}
	if code, _ := l.release("everything"); code != 2 {
		t.Errorf("code %d", code)
	}
}

func TestInstall(t *testing.T) {
	t.Parallel()
	l := pinned(t)
	for _, how := range []string{"auto", "binary"} {
		code, out, kg := l.install(how)
		if code != 0 || !strings.Contains(out, "kg 1.2.3, whose digest this commit of the action knows") || !strings.Contains(out, "kg for linux_amd64") || !strings.HasSuffix(kg, "/kg/bin/kg") {
			t.Errorf("%s: %d, %q:\n%s", how, code, kg, out)
		}
	}
	for _, version := range []string{"1.2.3", "v1.2.3"} {
		if code, out, kg := l.install("auto", "INPUT_VERSION="+version); code != 0 || kg == "" {
			t.Errorf("%s: %d:\n%s", version, code, out)
		}
	}
	// A release without a digest here is refused, and kg is not built instead.
	for version, says := range map[string]string{"1.2.4": "knows no release 1.2.4 for linux", "1x2.3": "knows no release 1x2.3", "../1.2.3": "version is none", "$(touch pwned)": "version is none", "1.2.3_linux": "version is none"} {
		for _, how := range []string{"auto", "binary"} {
			if code, out, kg := l.install(how, "INPUT_VERSION="+version); code != 2 || kg != "" || !strings.Contains(out, says) {
				t.Errorf("%s, %s: %d:\n%s", how, version, code, out)
			}
		}
	}
	// A release that was written anew is refused, and kg is not built instead.
	l.archive("linux_amd64", "#!/bin/sh\necho evil >"+l.dir+"/pwned\n")
	l.bash(nil, "-c", "cp dist/kg_1.2.3_linux_amd64.tar.gz releases/v1.2.3/ && cd dist && sha256sum *.tar.gz >../releases/v1.2.3/checksums.txt")
	for _, how := range []string{"auto", "binary"} {
		code, out, kg := l.install(how)
		if code != 2 || kg != "" || !strings.Contains(out, "::error title=kg::the digest of kg_1.2.3_linux_amd64.tar.gz is not the one that this action knows") {
			t.Errorf("%s: %d, %q:\n%s", how, code, kg, out)
		}
	}
	if l.read("pwned") != "" {
		t.Error("a program with another digest was run")
	}
	// One that is gone is an error, too.
	os.RemoveAll(filepath.Join(l.dir, "releases"))
	if code, out, _ := l.install("auto"); code != 2 || !strings.Contains(out, "cannot download kg 1.2.3") {
		t.Errorf("%d:\n%s", code, out)
	}
}

// TestInstallFromSource: a commit of the action that knows no release, such as this
// one, is built, and says so.
func TestInstallFromSource(t *testing.T) {
	t.Parallel()
	l := newReleaseLab(t)
	// A compiler that makes a program, and says where it was.
	l.write("tools/go", "#!/bin/sh\n[ \"$1 $2 $3\" = 'build -trimpath -o' ] && [ \"$5\" = ./cmd/kg ] || exit 1\nprintf '#!/bin/sh\\necho kg built in %s\\n' \"$(pwd)\" >\"$4\"\nchmod +x \"$4\"\n")
	path := "PATH=" + l.dir + "/tools" + string(filepath.ListSeparator) + os.Getenv("PATH")
	others := "# none for this system\n" + strings.Repeat("0", 64) + "  kg_1.2.3_linux_arm64.tar.gz\n" + strings.Repeat("0", 64) + "  kg_1.2.3_plan9_amd64.tar.gz\n"
	for name, list := range map[string]string{"as it is": l.read(".github/action/checksums.txt"), "empty": "", "other systems": others} {
		l.write(".github/action/checksums.txt", list)
		code, out, kg := l.install("auto", path)
		if code != 0 || kg == "" || !strings.Contains(out, "no binary for linux on amd64 is known to this commit of the action: kg is built from its source") || !strings.Contains(out, "kg built in "+l.dir) {
			t.Errorf("%s: %d, %q:\n%s", name, code, kg, out)
		}
		if code, out, _ := l.install("binary", path); code != 2 || !strings.Contains(out, "knows no release for linux on amd64") {
			t.Errorf("%s: %d:\n%s", name, code, out)
		}
	}
	if code, out, _ := l.install("source", "PATH=/usr/bin:/bin"); code != 2 || !strings.Contains(out, "there is no Go") {
		if _, err := exec.LookPath("/usr/bin/go"); err != nil {
			t.Errorf("%d:\n%s", code, out)
		}
	}
	if code, _, _ := l.install("somehow"); code != 2 {
		t.Errorf("code %d", code)
	}
}
