#!/usr/bin/env bash
# Says what is compared, and fetches what the clone lacks of it. Nothing is checked
# out. Everything from the event and the inputs is hostile: it is only ever a quoted
# word, and names of branches go to git below refs/.
set -euo pipefail

fail() {
	printf '::error title=kg::%s\n' "$(printf '%s' "$*" | tr -d '\r' | tr '\n' ' ' | sed 's/%/%25/g')"
	exit 2
}

# event PATH prints a value of the event, empty if there is none, or if it is not
# what it should be.
event() {
	"$KG" event "$1" 2>/dev/null || true
}

git_() {
	if [ -n "${TOKEN:-}" ] && [[ ${GITHUB_SERVER_URL:-} == https://* ]]; then
		local basic
		basic=$(printf 'x-access-token:%s' "$TOKEN" | base64 | tr -d '\r\n')
		echo "::add-mask::$basic"
		# Through the environment: arguments can be seen by other programs.
		GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0="http.$GITHUB_SERVER_URL/.extraheader" GIT_CONFIG_VALUE_0= \
			GIT_CONFIG_KEY_1="http.$GITHUB_SERVER_URL/.extraheader" GIT_CONFIG_VALUE_1="Authorization: Basic $basic" \
			git -c core.hooksPath=/dev/null -c protocol.ext.allow=never "$@"
	else
		git -c core.hooksPath=/dev/null -c protocol.ext.allow=never "$@"
	fi
}

shallow() { [ "$(git rev-parse --is-shallow-repository)" = true ]; }

fetch() { git_ fetch --quiet --no-tags --no-recurse-submodules --no-auto-maintenance "$@"; }

# get REF… fetches what is named, and of a shallow clone no more than it needs.
get() {
	if shallow; then fetch --deepen=1 origin "$@"; else fetch origin "$@"; fi
}

# has REV reports whether a commit is in the clone.
has() { git rev-parse --verify --quiet --end-of-options "$1^{commit}" >/dev/null; }

# together REF REF deepens a shallow clone until both have a common ancestor. What
# is there is never cut: --depth would, --deepen only adds.
together() {
	local n
	shallow || return 0
	for n in 30 100 400 2000; do
		git merge-base "$1" "$2" >/dev/null 2>&1 && return 0
		fetch --deepen="$n" origin "${refs[@]}" || break
		shallow || return 0
	done
	git merge-base "$1" "$2" >/dev/null 2>&1 || fetch --unshallow origin "${refs[@]}" || true
}

git rev-parse --git-dir >/dev/null 2>&1 || fail "there is no git repository; check it out first, with actions/checkout"
refs=()
pull= base= head= exact=false
case ${GITHUB_EVENT_NAME:-} in
pull_request)
	pull=$(event pull) branch=$(event base-branch) sha=$(event head)
	[ -n "$pull" ] && [ -n "$sha" ] && [ -n "$branch" ] || fail "the event names no pull request"
	case ${INPUT_MODE:-head} in
	head)
		refs=("+refs/pull/$pull/head:refs/kg/head" "+refs/heads/$branch:refs/kg/base")
		if ! git merge-base "$sha" "refs/remotes/origin/$branch" >/dev/null 2>&1; then
			get "${refs[@]}" || fail "cannot fetch the pull request; check out with fetch-depth: 0"
			# The branch may have moved on, or have been written anew, since.
			has "$sha" || get "$sha" || fail "the commit $sha is no more to be had"
			together "$sha" refs/kg/base
			base=refs/kg/base
		else
			base=refs/remotes/origin/$branch
		fi
		head=$sha
		;;
	merge)
		head=${GITHUB_SHA:?} base=$GITHUB_SHA^1 exact=true
		if ! has "$base"; then
			get "$GITHUB_SHA" || fail "cannot fetch what the merge commit was merged into; check out with fetch-depth: 2"
		fi
		;;
	*) fail "mode is head or merge" ;;
	esac
	;;
merge_group)
	head=$(event merge-head) base=$(event merge-base)
	[ -n "$head" ] && [ -n "$base" ] || fail "the event names no merge group"
	if ! git merge-base "$base" "$head" >/dev/null 2>&1; then
		refs=("$base" "$head")
		get "${refs[@]}" || fail "cannot fetch the merge group; check out with fetch-depth: 0"
		together "$base" "$head"
	fi
	;;
pull_request_target | workflow_run)
	fail "kg reads code that is not trusted, and must not run on ${GITHUB_EVENT_NAME}, which has rights; see the workflow in two steps"
	;;
push)
	head=${GITHUB_SHA:?} base=$(event before)
	if [ -n "$base" ] && ! has "$base"; then
		{ get "$base" 2>/dev/null && has "$base"; } || base=
	fi
	if [ -n "$base" ]; then exact=true; fi
	;;
*)
	head=${GITHUB_SHA:-HEAD}
	;;
esac
if [ -n "${INPUT_HEAD:-}" ]; then head=$INPUT_HEAD; fi
if [ -n "${INPUT_BASE:-}" ]; then base=$INPUT_BASE exact=false; fi
if [ -z "$base" ]; then
	# A branch that is new, or a run by hand: the commit before.
	if ! has "$head^1" && has "$head"; then
		get "$(git rev-parse --verify --end-of-options "$head^{commit}")" 2>/dev/null || true
	fi
	if has "$head^1"; then base=$head^1; else base=$head; fi
	exact=true
fi
# Only full names of commits go on.
head_id=$(git rev-parse --verify --quiet --end-of-options "$head^{commit}") || fail "the head is not in this clone; check out with fetch-depth: 0"
base_id=$(git rev-parse --verify --quiet --end-of-options "$base^{commit}") || fail "the base is not in this clone; check out with fetch-depth: 0"
{
	echo "head=$head_id"
	echo "base=$base_id"
	echo "exact=$exact"
	echo "pull=$pull"
} >>"$GITHUB_OUTPUT"
echo "head $head_id, base $base_id, exact: $exact"
