# SPDX-License-Identifier: Apache-2.0
# The page: plain files, embedded in libhttp.a by one generated C file. Building needs no tool but sh,
# sed, gzip and sha256sum. $(CHARTJS) may have any name; it is embedded as chart.min.js.
WEB_FILES = \
	%D%/api.mjs \
	%D%/app.mjs \
	%D%/card.mjs \
	%D%/chart.mjs \
	%D%/dom.mjs \
	%D%/favicon.svg \
	%D%/format.mjs \
	%D%/style.css \
	%D%/theme.mjs \
	%D%/trend.mjs

EXTRA_DIST += %D%/embed.sh %D%/index.html $(WEB_FILES)
CLEANFILES += %D%/assets_data.c %D%/embed/*

%D%/assets_data.c: %D%/embed.sh %D%/index.html $(WEB_FILES) $(CHARTJS) Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && paths= && \
	for file in $(WEB_FILES); do paths="$$paths $(srcdir)/$$file"; done && \
	$(SHELL) $(srcdir)/%D%/embed.sh $@ %D%/embed $(srcdir)/%D%/index.html '$(CHARTJS)' $$paths
