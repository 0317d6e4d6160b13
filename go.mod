module github.com/codekg/kg

go 1.26.0

// The product.
require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // globs of paths and names, in questions and configurations
	github.com/cespare/xxhash/v2 v2.3.0 // checksums in graph files
	github.com/fsnotify/fsnotify v1.10.1 // kg build --watch
	github.com/go-git/go-billy/v5 v5.9.2 // the folder that go-git reads
	github.com/go-git/go-git/v5 v5.19.3 // objects and references of git repositories
	github.com/goccy/go-json v0.12.0 // reports as JSON
	github.com/goccy/go-yaml v1.19.2 // configurations
	github.com/google/go-github/v60 v60.0.0 // comments, checks and artifacts of GitHub
	github.com/hmarr/codeowners v1.2.1 // who owns a file
	github.com/klauspost/compress v1.20.3 // zstd in graph files and stored facts
	github.com/kljensen/snowball v0.10.0 // stems of English words in searches
	github.com/modelcontextprotocol/go-sdk v1.8.0 // the MCP server
	github.com/sourcegraph/conc v0.3.0 // pools of workers
	github.com/spf13/cobra v1.10.2 // commands and their help
	github.com/spf13/pflag v1.0.9 // cobra's flags, for errors that say what was meant
	github.com/tree-sitter/go-tree-sitter v0.25.0 // the parsers' runtime
	github.com/tree-sitter/tree-sitter-go v0.25.0 // the grammar of Go
	github.com/tree-sitter/tree-sitter-java v0.23.5 // the grammar of Java
	github.com/tree-sitter/tree-sitter-python v0.25.0 // the grammar of Python
	github.com/tree-sitter/tree-sitter-typescript v0.23.2 // the grammars of TypeScript and TSX, which JavaScript is read with, too
	golang.org/x/mod v0.42.0 // go.mod files of the code that is analysed
	golang.org/x/sys v0.49.0 // memory without a file, which a build shares with the process that watches it
	modernc.org/sqlite v1.61.1 // graphs as SQLite databases, and SQL to ask them
)

// Tests and bench.
require (
	github.com/getkin/kin-openapi v0.152.0 // requests against GitHub's description of its API
	github.com/rogpeppe/go-internal v1.16.0 // testscript: sessions of kg as tests
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // reports against their JSON Schema
	github.com/yuin/goldmark v1.8.7 // Markdown reports as GitHub renders them
	golang.org/x/tools v0.52.0 // txtar: trees of files as tests
)

require (
	github.com/cyphar/filepath-securejoin v0.6.1 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/go-openapi/jsonpointer v0.22.5 // indirect
	github.com/go-openapi/swag/jsonname v0.25.5 // indirect
	github.com/google/go-querystring v1.1.0 // indirect
	github.com/gorilla/mux v1.8.0 // indirect
	github.com/oasdiff/yaml v0.1.1 // indirect
	github.com/oasdiff/yaml3 v0.0.14 // indirect
	github.com/go-git/gcfg v1.5.1-0.20230307220236-3a3c6141e376 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/jbenet/go-context v0.0.0-20150711004518-d14ea06fba99 // indirect
	github.com/mattn/go-pointer v0.0.1 // indirect
	github.com/pjbgf/sha1cd v0.7.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	gopkg.in/warnings.v0 v0.1.2 // indirect
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
