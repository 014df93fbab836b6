#!/bin/sh
# Rebuild the browser code in a temporary folder and compare it, byte for byte, with what is committed. Needs Node 20 or later.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$here/build.mjs" "$here/src" "$work/"
(cd "$work" && npm ci --ignore-scripts --silent && node build.mjs build)
if diff -r "$work/build" "$here/build"; then
  echo "assets/build is what assets/src builds."
else
  echo "assets/build differs from what assets/src builds: run 'make -C assets' and commit both." >&2
  exit 1
fi
