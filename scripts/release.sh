#!/usr/bin/env bash
# A release, from a clean checkout of the commit that CHANGELOG.md describes: everything that has to hold, what the
# package is made of (SBOM), and the package with a provenance statement. `--dry-run` publishes nothing.
# Provenance needs a CI that npm knows (GitHub Actions with `id-token: write`, GitLab CI).
set -euo pipefail
cd "$(dirname "$0")/.."

dry=()
[ "${1:-}" = --dry-run ] && dry=(--dry-run)
[ -z "$(git status --porcelain)" ] || { echo 'release: the checkout is not clean' >&2; exit 1; }
version=$(node -p "require('./package.json').version")
grep -q "^## $version" CHANGELOG.md || { echo "release: CHANGELOG.md has no section $version" >&2; exit 1; }

.ci/run
npm sbom --omit dev --sbom-format spdx >"idiolect-$version.spdx.json"
npm audit signatures
npm publish --provenance --access public "${dry[@]}"
