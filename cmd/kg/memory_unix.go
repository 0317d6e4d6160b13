//go:build unix && !linux

package main

import "os"

// memoryFile makes a file that goes with the last process that has it open.
func memoryFile(name string) (*os.File, error) {
	f, err := os.CreateTemp("", name)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
