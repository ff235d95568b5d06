# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/repoprobed.service.in
CLEANFILES += %D%/repoprobed.service

if HAVE_UNITDIR
nodist_systemdsystemunit_DATA = %D%/repoprobed.service
endif

# By sed and not by configure: @sbindir@ must be expanded at make time.
%D%/repoprobed.service: %D%/repoprobed.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
		$(SED) -e 's|@sbindir[@]|$(sbindir)|g' $(srcdir)/%D%/repoprobed.service.in >$@
