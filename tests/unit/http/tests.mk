# SPDX-License-Identifier: Apache-2.0
# The server's tests have a store of their own, a fake one: questions there take as long as a test wants.
HTTP_TESTS = \
	%D%/test_access.c \
	%D%/test_bodies.c \
	%D%/test_deadlines.c \
	%D%/test_listen.c \
	%D%/test_negotiate.c \
	%D%/test_query.c \
	%D%/test_request.c \
	%D%/test_routes.c \
	%D%/test_server.c
UNIT_TESTS += $(HTTP_TESTS)
check_PROGRAMS += tests/unit/http/run
tests_unit_http_run_SOURCES = $(HTTP_TESTS) $(UNIT_MAIN) %D%/client.c %D%/client.h \
	%D%/fake_store.c %D%/fake_store.h %D%/server_fixture.c %D%/server_fixture.h
tests_unit_http_run_LDADD = libhttp.a libreport.a libmodel.a libbase.a $(CMOCKA_LIBS) $(MHD_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm
