//go:build !linux

package main

// largePages does nothing: nobody can be asked for large pages here.
func largePages(int64) {}
