package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A facts file says what files hold, and only who reads the files again can tell
// whether that is true. Where a gate decides by it, it is taken only if this
// machine vouches for it: kg made it here of what it read itself, or kg stored
// fetched it and knows the run that made it. The names of such files, by
// content, are empty files in the cache folder, where nothing that is fetched can
// write. Without a cache nothing is vouched for, and all files are read.

// vouchedFor is how long the machine remembers.
const vouchedFor = 30 * 24 * time.Hour

// vouchedName returns the name under which the machine vouches for a file;
// empty if it cannot.
func (a *app) vouchedName(path string) string {
	dir := a.cacheFolder()
	if dir == "" || a.noCache {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return filepath.Join(dir, "vouched", hex.EncodeToString(sum.Sum(nil)))
}

// vouch makes the machine vouch for a facts file. If that fails, what is made of
// the file is only slower.
func (a *app) vouch(path string) {
	name := a.vouchedName(path)
	if name == "" {
		return
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return
	}
	if entries, err := os.ReadDir(dir); err == nil {
		for _, e := range entries {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > vouchedFor {
				os.Remove(filepath.Join(dir, e.Name()))
			}
		}
	}
	os.WriteFile(name, nil, 0o600)
}

// vouches reports whether the machine vouches for a facts file.
func (a *app) vouches(path string) bool {
	name := a.vouchedName(path)
	if name == "" {
		return false
	}
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) <= vouchedFor
}
