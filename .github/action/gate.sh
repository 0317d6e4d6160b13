#!/usr/bin/env bash
# Ends the action as kg impact ended. No code means that it did not come so far.
set -euo pipefail
case ${CODE:-} in
0) ;;
1)
	echo "::error title=kg::The gate stops this change."
	exit 1
	;;
*)
	echo "::error title=kg::The change could not be analysed."
	exit 2
	;;
esac
