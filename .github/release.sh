#!/usr/bin/env bash
# Makes the files of a release: .github/release.sh build, on each system, and
# checksums, over the files of all. TAG is the tag, NAME the system, STATIC whether to
# link everything into the program.
set -euo pipefail
version=${TAG#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || {
	echo "the tag is no version: $TAG" >&2
	exit 2
}
mkdir -p dist
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
	"./dist/kg$exe" version
	"./dist/kg$exe" impact --base HEAD --head HEAD >/dev/null
	# What is in it, as a bill of materials.
	go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0 bin -json -output dist/kg.cdx.json "dist/kg$exe"
	cp LICENSE dist/
	tar -czf "dist/kg_${version}_$NAME.tar.gz" -C dist "kg$exe" LICENSE kg.cdx.json
	;;
checksums)
	(cd dist && sha256sum ./*.tar.gz | sed 's|\./||' >checksums.txt && cat checksums.txt)
	;;
*)
	echo "build or checksums" >&2
	exit 2
	;;
esac
