//go:build unix && !linux

package main

func forkedChild() *child { return nil }

func forkedDeath() (death, bool) { return death{}, false }
