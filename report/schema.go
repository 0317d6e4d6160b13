package report

import _ "embed"

//go:embed schema/impact-v1.json
var impactSchema string

//go:embed schema/diff-v1.json
var deltaSchema string

// ImpactSchema returns the JSON Schema of [Report].
func ImpactSchema() string { return impactSchema }

// DiffSchema returns the JSON Schema of [DeltaReport].
func DiffSchema() string { return deltaSchema }
