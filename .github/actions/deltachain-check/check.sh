#!/usr/bin/env bash
# Check MODEL at EXP_EPSILON and DELTA; write verdict, certificate, report and badge to FOLDER; return the check's code.
# OPTIONS is split into words as a shell would, quotes included, and nothing in it is run.
set -u
mkdir -p "$FOLDER"
options=()
while IFS= read -r -d '' word; do options+=("$word"); done < <(
  python -c 'import os, shlex, sys; sys.stdout.write("".join(w + "\0" for w in shlex.split(os.environ["OPTIONS"])))'
)
question=("$MODEL" --exp-epsilon "$EXP_EPSILON" --delta "$DELTA" ${options[@]+"${options[@]}"})
deltachain check "${question[@]}" --certificate "$FOLDER/certificate.json" | tee "$FOLDER/verdict.txt"
code=${PIPESTATUS[0]}
case $code in
  0) verdict=private colour=2e7d32 ;;
  1) verdict=violated colour=c62828 ;;
  3) verdict=undecided colour=b26a00 ;;
  *) exit "$code" ;;
esac
cat > "$FOLDER/badge.svg" <<SVG
<svg xmlns="http://www.w3.org/2000/svg" width="138" height="20" role="img" aria-label="privacy: $verdict">
<rect width="58" height="20" fill="#444"/><rect x="58" width="80" height="20" fill="#$colour"/>
<g fill="#fff" font-family="sans-serif" font-size="11" text-anchor="middle">
<text x="29" y="14">privacy</text><text x="98" y="14">$verdict</text></g></svg>
SVG
# The report is for reading: whether it can be written does not change the verdict.
deltachain report "${question[@]}" --out "$FOLDER/report.html" -q > /dev/null || true
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "verdict=$verdict" >> "$GITHUB_OUTPUT"; fi
if [ "$code" -eq 3 ] && [ "${UNDECIDED:-fail}" = pass ]; then exit 0; fi
exit "$code"
