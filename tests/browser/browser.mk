# SPDX-License-Identifier: Apache-2.0
# The page in a real Chromium, served by the real daemon. Needs chromium, Node 18 or newer and npm; the
# packages of package-lock.json go into the build directory.
BROWSER_FILES = \
	%D%/accessibility.test.mjs \
	%D%/browser.mjs \
	%D%/daemon.mjs \
	%D%/package-lock.json \
	%D%/package.json \
	%D%/page.test.mjs

EXTRA_DIST += %D%/.npmrc $(BROWSER_FILES)

check-browser: all
	@$(MKDIR_P) %D%/run && cd %D%/run && from='$(abs_top_srcdir)/%D%' && \
	cp "$$from"/*.mjs "$$from/package.json" . && \
	if ! cmp -s "$$from/package-lock.json" package-lock.json || ! test -d node_modules; then \
		rm -f package-lock.json && cp "$$from/package-lock.json" "$$from/.npmrc" . && \
		npm ci --ignore-scripts --no-audit --no-fund || { rm -f package-lock.json; exit 1; }; \
	fi && \
	REPOPROBE_BUILD='$(abs_top_builddir)' REPOPROBE_SOURCE='$(abs_top_srcdir)' \
		REPOPROBE_PICTURES="$$PWD/pictures" \
		node --test --test-reporter=tap ./accessibility.test.mjs ./page.test.mjs

clean-browser:
	rm -rf %D%/run
.PHONY: check-browser clean-browser
