//go:build unix && !linux

package main

func withSlack(start func() error) error { return start() }
