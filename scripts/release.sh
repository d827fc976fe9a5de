#!/usr/bin/env bash
# A release, from a clean checkout of the commit that CHANGELOG.md describes: what the package is made of (SBOM),
# everything that has to hold, and the package with a provenance statement. `--dry-run` publishes nothing.
# Provenance needs a CI that npm knows (GitHub Actions with `id-token: write`, GitLab CI).
set -euo pipefail
cd "$(dirname "$0")/.."

dry=()
[ "${1:-}" = --dry-run ] && dry=(--dry-run)
[ -z "$(git status --porcelain)" ] || { echo 'release: the checkout is not clean' >&2; exit 1; }
version=$(node -p "require('./package.json').version")
# A dry run may come before the section has its name.
sections="$version${dry:+|Unreleased}"
grep -Eq "^## ($sections)" CHANGELOG.md || { echo "release: CHANGELOG.md has no section $version" >&2; exit 1; }

# What the package is made of. `npm sbom --omit dev` leaves out every package that another one has for development
# (hono, undici), so it is asked about a lockfile in which there are no such packages.
sbom="$PWD/idiolect-$version.spdx.json"
alone=$(mktemp -d)
trap 'rm -rf "$alone"' EXIT
cp package.json package-lock.json "$alone"
(
  cd "$alone"
  npm pkg delete devDependencies
  npm install --package-lock-only --ignore-scripts --no-audit --no-fund --silent
  npm sbom --package-lock-only --sbom-format spdx >"$sbom"
)
node -e '
  const named = JSON.parse(fs.readFileSync(process.argv[1], "utf8")).packages.map(({ name }) => name);
  const missing = Object.keys(require("./package.json").dependencies).filter((name) => !named.includes(name));
  if (missing.length > 0) throw new Error(`release: the SBOM lacks ${missing.join(", ")}`);
' "$sbom"

# The pages install it from npm from now on.
npm run --silent pages:released
[ ${#dry[@]} -eq 0 ] || git checkout -- README.md docs

.ci/run

# The keys with which the registry signs come from sigstore.dev.
if ! timeout 300 npm audit signatures; then
  echo 'release: the signatures of the dependencies could not be checked; npm audit signatures needs registry.npmjs.org and tuf-repo-cdn.sigstore.dev' >&2
  [ ${#dry[@]} -gt 0 ] || exit 1
  echo 'release: this is a dry run, so it goes on; a release would end here' >&2
fi
npm publish --provenance --access public "${dry[@]}"
