# SPDX-License-Identifier: Apache-2.0
# The server's tests have their own, fake store: questions there take as long as a test wants.
HTTP_TESTS = \
	tests/unit/http/test_access \
	tests/unit/http/test_bodies \
	tests/unit/http/test_deadlines \
	tests/unit/http/test_listen \
	tests/unit/http/test_negotiate \
	tests/unit/http/test_query \
	tests/unit/http/test_request \
	tests/unit/http/test_routes \
	tests/unit/http/test_server
check_PROGRAMS += $(HTTP_TESTS)
UNIT_TESTS += $(HTTP_TESTS)

HTTP_TEST_LIBS = libhttp.a libmodel.a libbase.a $(CMOCKA_LIBS) $(MHD_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS)
tests_unit_http_test_access_SOURCES = %D%/test_access.c
tests_unit_http_test_access_LDADD = $(HTTP_TEST_LIBS)
tests_unit_http_test_bodies_SOURCES = %D%/test_bodies.c
tests_unit_http_test_bodies_LDADD = $(HTTP_TEST_LIBS)
tests_unit_http_test_listen_SOURCES = %D%/test_listen.c
tests_unit_http_test_listen_LDADD = $(HTTP_TEST_LIBS)
tests_unit_http_test_negotiate_SOURCES = %D%/test_negotiate.c
tests_unit_http_test_negotiate_LDADD = $(HTTP_TEST_LIBS)
tests_unit_http_test_query_SOURCES = %D%/test_query.c
tests_unit_http_test_query_LDADD = $(HTTP_TEST_LIBS)
# These reach the whole of the server, and with it what the server reports.
HTTP_SERVER_TEST_LIBS = libhttp.a libreport.a libmodel.a libbase.a $(CMOCKA_LIBS) $(MHD_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm
tests_unit_http_test_routes_SOURCES = %D%/test_routes.c %D%/fake_store.c %D%/fake_store.h
tests_unit_http_test_routes_LDADD = $(HTTP_SERVER_TEST_LIBS)
HTTP_SERVER_FIXTURE = %D%/server_fixture.c %D%/server_fixture.h %D%/fake_store.c %D%/fake_store.h \
	%D%/client.c %D%/client.h
tests_unit_http_test_deadlines_SOURCES = %D%/test_deadlines.c $(HTTP_SERVER_FIXTURE)
tests_unit_http_test_deadlines_LDADD = $(HTTP_SERVER_TEST_LIBS)
tests_unit_http_test_request_SOURCES = %D%/test_request.c $(HTTP_SERVER_FIXTURE)
tests_unit_http_test_request_LDADD = $(HTTP_SERVER_TEST_LIBS)
tests_unit_http_test_server_SOURCES = %D%/test_server.c $(HTTP_SERVER_FIXTURE)
tests_unit_http_test_server_LDADD = $(HTTP_SERVER_TEST_LIBS)
