//go:build !linux

package artifact

func adviseLarge([]byte) {}
