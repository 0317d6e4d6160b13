#!/usr/bin/env bash
# Fetches what earlier runs have stored of the base. Without it the base is read
# from git, which is slower and says the same.
set -euo pipefail
mkdir -p "${RUNNER_TEMP:?}/kg/base"
args=(--base "$BASE" --head "$HEAD" --facts "$RUNNER_TEMP/kg/base/facts.kgf" --outputs "$GITHUB_OUTPUT")
if [ "$EXACT" = true ]; then args+=(--exact-base); fi
"$KG" stored "${args[@]}" || echo "::notice title=kg::What is stored of the base could not be fetched; it is read from git."
