#!/usr/bin/env bash
# Installs kg: the binary of the release that this commit of the action names, if
# its digest is the one in .github/action/checksums.txt, or built from the action's own
# source. Both are fixed by the commit that a workflow pins the action to.
set -euo pipefail

fail() {
	echo "::error title=kg::$*"
	exit 2
}

dir=${RUNNER_TEMP:?}/kg
mkdir -p "$dir/bin"
exe=
case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
MINGW* | MSYS* | CYGWIN*) os=windows exe=.exe ;;
*) os=unknown ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) arch=unknown ;;
esac

digest() {
	if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# The release that is asked for; any, if none is.
asked=${INPUT_VERSION:-}
asked=${asked#v}
[[ $asked =~ ^[0-9A-Za-z.-]*$ ]] || fail "version is none"

# known prints the digest and the name of the release's file for this machine.
known() {
	local release='[0-9A-Za-z.-]+'
	[ -z "$asked" ] || release=${asked//./\\.}
	[ -f "$ACTION_DIR/.github/action/checksums.txt" ] || return 0
	tr -d '\r' <"$ACTION_DIR/.github/action/checksums.txt" | grep -E "^[0-9a-f]{64}  kg_${release}_${os}_${arch}\.tar\.gz$" | head -n 1 || true
}

binary() {
	local want file version
	read -r want file <<<"$(known)" || true
	[ -n "${file:-}" ] || return 1
	version=${file#kg_} version=${version%_"${os}"_*}
	echo "kg $version, whose digest this commit of the action knows"
	curl -fsSL --retry 3 --max-time 120 -o "$dir/$file" \
		"${KG_RELEASES:-https://github.com/codekg/kg/releases/download}/v$version/$file" || fail "cannot download kg $version"
	[ "$(digest "$dir/$file")" = "$want" ] || fail "the digest of $file is not the one that this action knows"
	tar -xzf "$dir/$file" -C "$dir/bin" "kg$exe" || fail "there is no kg in $file"
	rm "$dir/$file"
	kg=$dir/bin/kg$exe
}

source_() {
	command -v go >/dev/null || fail "kg is built from source, and there is no Go; set it up first, with actions/setup-go"
	(cd "$ACTION_DIR" && GOWORK=off GOFLAGS=-buildvcs=false go build -trimpath -o "$dir/bin/kg$exe" ./cmd/kg) || fail "cannot build kg"
	kg=$dir/bin/kg$exe
}

case ${INPUT_INSTALL:-auto} in
auto)
	binary || {
		[ -z "$asked" ] || fail "this commit of the action knows no release $asked for $os on $arch"
		echo "no binary for $os on $arch is known to this commit of the action: kg is built from its source"
		source_
	}
	;;
binary) binary || fail "this commit of the action knows no release${asked:+ $asked} for $os on $arch" ;;
source) source_ ;;
none) kg=$(command -v kg) || fail "there is no kg in the PATH" ;;
*) fail "install is one of auto, binary, source, none" ;;
esac
"$kg" version
echo "kg=$kg" >>"$GITHUB_OUTPUT"
