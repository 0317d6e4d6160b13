package source

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"
)

// settings are the few values of git's configuration that decide what a
// commit of the work tree would hold, and how the repository is stored.
type settings struct {
	values map[string]string // last value by lower-case "section.key" or "section.subsection.key"
}

// readSettings asks git for the effective configuration of all scopes and
// included files. Without git it reads the repository's own file and the
// user's, which is all but includes and the system's file.
func readSettings(p *program, commonDir string) settings {
	s := settings{values: map[string]string{}}
	if p != nil {
		if out, err := p.output("config", "--null", "--list"); err == nil {
			for entry := range bytes.SplitSeq(out, []byte{0}) {
				// "key LF value NUL", without LF where a key stands alone.
				key, value, found := bytes.Cut(entry, []byte{'\n'})
				if !found {
					value = []byte("true")
				}
				s.values[lowerKey(string(key))] = string(value)
			}
			return s
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		s.readFile(filepath.Join(home, ".config", "git", "config"))
		s.readFile(filepath.Join(home, ".gitconfig"))
	}
	s.readFile(filepath.Join(commonDir, "config"))
	return s
}

func (s *settings) readFile(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	c := config.New()
	if config.NewDecoder(f).Decode(c) != nil {
		return
	}
	for _, section := range c.Sections {
		for _, o := range section.Options {
			s.values[strings.ToLower(section.Name+"."+o.Key)] = o.Value
		}
		for _, sub := range section.Subsections {
			for _, o := range sub.Options {
				s.values[lowerKey(section.Name+"."+sub.Name+"."+o.Key)] = o.Value
			}
		}
	}
}

// lowerKey lowers the section and the key, and leaves the subsection, which
// is a branch or a remote and keeps its case.
func lowerKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 || first == last {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

func (s settings) get(key string) string { return s.values[key] }

// flag is a boolean value as git spells them, or the fallback.
func (s settings) flag(key string, fallback bool) bool {
	value, ok := s.values[key]
	if !ok {
		return fallback
	}
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0", "":
		return false
	}
	return fallback
}

// file is the path of a setting that names a file, with ~/ replaced, or a
// file of git's folder for the user's configuration.
func (s settings) file(key, fallback string) string {
	path, ok := s.values[key]
	if !ok {
		if dir := s.userDir(); dir != "" && fallback != "" {
			return filepath.Join(dir, fallback)
		}
		return ""
	}
	if rest, found := strings.CutPrefix(path, "~/"); found {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// userDir is ~/.config/git, where git looks when a setting names no file.
// $XDG_CONFIG_HOME moves it; os.UserConfigDir follows that on Unix.
func (s settings) userDir() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	if home, err := os.UserHomeDir(); err == nil && !strings.HasPrefix(dir, filepath.Join(home, ".config")) {
		if _, err := os.Stat(filepath.Join(dir, "git")); err != nil {
			dir = filepath.Join(home, ".config")
		}
	}
	return filepath.Join(dir, "git")
}

// sha256 reports whether the repository names its objects by SHA-256.
func (s settings) sha256() bool {
	return strings.EqualFold(s.get("extensions.objectformat"), "sha256")
}

// foreignRefs reports whether references are stored in another way than as
// files (reftable).
func (s settings) foreignRefs() bool {
	format := s.get("extensions.refstorage")
	return format != "" && !strings.EqualFold(format, "files")
}

// partial reports whether the repository was cloned without some objects.
func (s settings) partial() bool {
	if s.get("extensions.partialclone") != "" {
		return true
	}
	for key, value := range s.values {
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") && value != "false" {
			return true
		}
	}
	return false
}
