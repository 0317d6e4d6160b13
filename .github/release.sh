#!/usr/bin/env bash
# Makes the files of a release. TAG is the tag.
#
#	.github/release.sh build      on each system; NAME is the system, STATIC whether
#	                              to link everything into the program
#	.github/release.sh checksums  over the files of all systems, in dist
#	.github/release.sh pin        puts them into the action
#
# The commit of a tag cannot hold the digests of what is built from it. So pin makes
# the commit after it: who pins the action to that commit pins the binaries, too.
set -euo pipefail
systems=(darwin_amd64 darwin_arm64 linux_amd64 linux_arm64 windows_amd64)
version=${TAG#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || {
	echo "the tag is no version: $TAG" >&2
	exit 2
}
mkdir -p dist

# listed FILE prints the digests of a file of digests, and fails unless they are of
# this version's files for all systems, and of nothing else.
listed() {
	local system line
	for system in "${systems[@]}"; do
		line=$(grep -E "^[0-9a-f]{64}  kg_${version//./\\.}_$system\.tar\.gz$" "$1") && [ "$(wc -l <<<"$line")" = 1 ] || {
			echo "$1 has not one line for $system" >&2
			return 1
		}
		echo "$line"
	done
	[ "$(wc -l <"$1")" = "${#systems[@]}" ] || {
		echo "$1 names files that do not belong to kg $version" >&2
		return 1
	}
}

case ${1:-} in
build)
	exe=
	if [[ $NAME == windows_* ]]; then exe=.exe; fi
	flags=(-trimpath -buildvcs=true)
	if [ "$STATIC" = true ]; then
		# Every libc, old and new: nothing is asked of the machine.
		CC=musl-gcc CGO_ENABLED=1 go build "${flags[@]}" -tags netgo,osusergo \
			-ldflags '-s -w -linkmode external -extldflags "-static"' -o "dist/kg$exe" ./cmd/kg
		if readelf -l "dist/kg$exe" | grep -q INTERP; then
			echo "the program is not static" >&2
			exit 1
		fi
	else
		CGO_ENABLED=1 go build "${flags[@]}" -ldflags '-s -w' -o "dist/kg$exe" ./cmd/kg
	fi
	said=$("./dist/kg$exe" version | head -n 1)
	echo "$said"
	if [[ $said != "kg v$version, commit "* || $said == *"with changes"* ]]; then
		echo "the program does not say that it is v$version" >&2
		exit 1
	fi
	"./dist/kg$exe" impact --base HEAD --head HEAD >/dev/null
	# What is in it, as a bill of materials.
	go run ./bench/sbom "dist/kg$exe" >dist/kg.cdx.json
	cp LICENSE dist/
	tar -czf "dist/kg_${version}_$NAME.tar.gz" -C dist "kg$exe" LICENSE kg.cdx.json
	;;
checksums)
	(cd dist && sha256sum ./*.tar.gz | sed 's|\./||' >checksums.txt)
	listed dist/checksums.txt
	;;
pin)
	lines=$(listed dist/checksums.txt)
	{
		echo "# Digests of the files of the release that this commit of the action installs, as"
		echo "# sha256sum writes them; .github/release.sh pin made this file."
		echo "$lines"
	} >.github/action/checksums.txt
	;;
*)
	echo "build, checksums or pin" >&2
	exit 2
	;;
esac
