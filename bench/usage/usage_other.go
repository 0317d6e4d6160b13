//go:build !unix

package usage

import (
	"os"
	"time"
)

// peak is not known on this system.
func peak(*os.ProcessState) int64 { return 0 }

// Self is not known on this system.
func Self() time.Duration { return 0 }
