# SPDX-License-Identifier: Apache-2.0
# The commented default configuration. A file that is there already is the administrator's: it is never
# overwritten, and only removed again while it is still ours to the letter.
EXTRA_DIST += %D%/repoprobe.conf

configdir = $(sysconfdir)/repoprobe

.PHONY: install-default-config uninstall-default-config
install-data-local: install-default-config
uninstall-local: uninstall-default-config

install-default-config:
	$(MKDIR_P) '$(DESTDIR)$(configdir)/conf.d'
	test -e '$(DESTDIR)$(configdir)/repoprobe.conf' || \
		$(INSTALL_DATA) '$(srcdir)/%D%/repoprobe.conf' '$(DESTDIR)$(configdir)/repoprobe.conf'

uninstall-default-config:
	if cmp -s '$(srcdir)/%D%/repoprobe.conf' '$(DESTDIR)$(configdir)/repoprobe.conf'; then \
		rm -f '$(DESTDIR)$(configdir)/repoprobe.conf'; \
	fi
	rmdir '$(DESTDIR)$(configdir)/conf.d' '$(DESTDIR)$(configdir)' 2>/dev/null || :
