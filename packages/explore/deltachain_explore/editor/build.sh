#!/bin/sh
# Make ../templates/editor.js and LICENSES from editor.mjs and the packages of package.json.
# For whoever changes the editor; nothing else needs node.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/package.json" "$here/editor.mjs" "$work"
cd "$work"
npm install --no-audit --no-fund --no-package-lock
npx esbuild editor.mjs --bundle --minify --format=iife --global-name=deltachainEditor --target=es2020 \
  --charset=utf8 --legal-comments=none --outfile="$here/../templates/editor.js"
node -e '
const fs = require("fs");
const names = Object.keys(require("./package.json").dependencies);
const parts = names.map((name) => {
  const folder = `node_modules/${name}`;
  const about = require(`./${folder}/package.json`);
  const file = fs.readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${about.version} (${about.license})\n\n${fs.readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
process.stdout.write(parts.join(`\n${"-".repeat(80)}\n\n`));
' > "$here/LICENSES"
