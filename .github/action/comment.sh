#!/usr/bin/env bash
# Publishes the report. What goes wrong here is a warning: it changes no verdict.
set -uo pipefail
args=(--from "$REPORT" --head "$HEAD" --pr "$PULL" --id "$INPUT_COMMENT_ID" --when "$INPUT_COMMENT")
if [ "${INPUT_CHECK_RUN:-}" = true ]; then args+=(--check-run); fi
if ! "$KG" comment "${args[@]}" 2>&1 | tee "${RUNNER_TEMP:?}/kg/comment.txt"; then
	echo "::warning title=kg::The comment could not be written; the summary of this run has the report."
elif grep -q '^kg: warning: ' "$RUNNER_TEMP/kg/comment.txt"; then
	echo "::warning title=kg::The comment could not be written; the summary of this run has the report."
fi
exit 0
