# SPDX-License-Identifier: Apache-2.0
# web/assets_data.c is made from the page's files by web/web.mk.
noinst_LIBRARIES += libhttp.a
libhttp_a_SOURCES = \
	%D%/access.c %D%/access.h \
	%D%/api.c %D%/api.h \
	%D%/api_incidents.c \
	%D%/api_heatmap.c \
	%D%/api_series.c \
	%D%/assets.c %D%/assets.h \
	%D%/bodies.c %D%/bodies.h \
	%D%/deadlines.c %D%/deadlines.h \
	%D%/history.c %D%/history.h \
	%D%/http.h \
	%D%/listen.c %D%/listen.h \
	%D%/negotiate.c %D%/negotiate.h \
	%D%/pages.c %D%/pages.h \
	%D%/query.c %D%/query.h \
	%D%/request.c %D%/request.h \
	%D%/response.c %D%/response.h \
	%D%/routes.c %D%/routes.h \
	%D%/server.c %D%/server.h
nodist_libhttp_a_SOURCES = web/assets_data.c
