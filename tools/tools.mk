# SPDX-License-Identifier: Apache-2.0
# Checks of the code itself. check-layers, check-headers, check-size, check-guard and check-lists run in
# `make check`; `make lint` needs clang-format 14, clang-tidy, cppcheck and shellcheck.
EXTRA_DIST += %D%/check-layers.sh %D%/check-headers.sh %D%/check-size.sh %D%/check-guard.sh %D%/check-lists.sh \
	%D%/lint.sh \
	.clang-format .clang-tidy .editorconfig

check-local: check-layers check-headers check-size check-guard check-lists

check-layers:
	$(SHELL) $(top_srcdir)/tools/check-layers.sh $(top_srcdir)

check-headers: config.h
	$(SHELL) $(top_srcdir)/tools/check-headers.sh $(top_srcdir) $(CC) $(DEFS) $(DEFAULT_INCLUDES) \
		$(CPPFLAGS) $(AM_CPPFLAGS) $(WARNING_CFLAGS) $(MHD_CFLAGS) $(SQLITE_CFLAGS)

check-size:
	$(SHELL) $(top_srcdir)/tools/check-size.sh $(top_srcdir)

check-guard:
	$(SHELL) $(top_srcdir)/tools/check-guard.sh $(top_srcdir)

check-lists:
	$(SHELL) $(top_srcdir)/tools/check-lists.sh $(top_srcdir)

lint: config.h
	$(SHELL) $(top_srcdir)/tools/lint.sh $(top_srcdir) .

format:
	cd $(top_srcdir) && find src tests -name '*.[ch]' -exec clang-format -i {} +

format-check:
	cd $(top_srcdir) && find src tests -name '*.[ch]' -exec clang-format --dry-run --Werror {} +

.PHONY: check-layers check-headers check-size check-guard check-lists lint format format-check
