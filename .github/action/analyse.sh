#!/usr/bin/env bash
# Reads the code and writes the reports. Runs without a token, and without what the
# workflow may have set for other tools.
set -uo pipefail
unset GITHUB_TOKEN GH_TOKEN ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN ACTIONS_ID_TOKEN_REQUEST_URL
out=${RUNNER_TEMP:?}/kg
mkdir -p "$out" "$out/upload" "$out/stored"
args=(--base "$BASE" --head "$HEAD"
	-o "json=$out/report.json" -o "md=$out/report.md" -o "sarif=$out/kg.sarif" -o "tests=$out/tests.txt" -o "github=$out/annotations.txt")
if [ "${EXACT:-}" = true ]; then args+=(--exact-base); fi
if [ -n "${FACTS:-}" ]; then args+=(--from "$FACTS"); fi
if [ -n "${INPUT_CONFIG:-}" ]; then args+=(--config "$INPUT_CONFIG"); fi
if [ -n "${INPUT_FAIL_ON:-}" ]; then args+=(--fail-on "$INPUT_FAIL_ON"); fi
more=()
if [ -n "${INPUT_ARGS:-}" ]; then read -r -a more <<<"$INPUT_ARGS"; fi
# Reports of an earlier step are not ours.
rm -f "$out"/report.json "$out"/report.md "$out"/kg.sarif "$out"/tests.txt "$out"/annotations.txt
"$KG" impact "${args[@]}" ${more[@]+"${more[@]}"}
code=$?
echo "code=$code" >>"$GITHUB_OUTPUT"
if [ ! -s "$out/report.json" ]; then
	if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
		echo "**kg could not analyse this change.** The log of the step says why." >>"$GITHUB_STEP_SUMMARY"
	fi
	exit 0 # the last step fails
fi
{
	echo "report=$out/report.json"
	echo "markdown=$out/report.md"
	echo "sarif=$out/kg.sarif"
	echo "tests-file=$out/tests.txt"
} >>"$GITHUB_OUTPUT"
"$KG" event report "$out/report.json" >>"$GITHUB_OUTPUT"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
	{
		cat "$out/report.md"
		if [ -n "${SOURCE:-}" ]; then printf '\nThe base: %s.\n' "$SOURCE"; fi
	} >>"$GITHUB_STEP_SUMMARY"
fi
if [ "${INPUT_ANNOTATIONS:-true}" = true ]; then cat "$out/annotations.txt"; fi
if [ -n "${PULL:-}" ]; then
	cp "$out/report.json" "$out/upload/report.json"
	printf '%s\n' "$PULL" >"$out/upload/pull.txt"
fi
# What was pushed is the base of changes to come.
if [ "${INPUT_ARTIFACT:-}" = true ] && [ -z "${PULL:-}" ] && [ "${GITHUB_EVENT_NAME:-}" != merge_group ]; then
	if "$KG" build . --ref "$HEAD" -o "$out/stored/graph.kg" --facts "$out/stored/facts.kgf"; then
		echo "artifact=$("$KG" stored --name --head "$HEAD")" >>"$GITHUB_OUTPUT"
	else
		echo "::warning title=kg::The graph of this commit could not be kept."
	fi
fi
exit 0
