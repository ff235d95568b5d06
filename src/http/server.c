/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and stops the server: one libmicrohttpd daemon with two threads per address. */
#include "http/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/utf8.h"
#include "http/access.h"
#include "http/bodies.h"
#include "http/deadlines.h"
#include "http/history.h"
#include "http/listen.h"
#include "http/request.h"
#include "http/server.h"

#define THREADS_PER_ADDRESS 2
/* libmicrohttpd fetches 128 events at a time and, if it gets as many, waits for more before it
 * handles them: so a thread must have fewer than 128 descriptors, including two of its own. */
#define CONNECTIONS_PER_THREAD 120U
#define ACCEPT_RETRY_NSEC (250 * NSEC_PER_MSEC)
/* Far above the limits for a request, so that we refuse over-long ones in our own form. A header
 * takes about 70 bytes beside its own. Only used memory is allocated. */
#define CONNECTION_MEMORY_BYTES 98304U
#define IDLE_TIMEOUT_SEC (unsigned)(SERVER_NEXT_NSEC / NSEC_PER_SEC)
/* The share of max_connections for one client: a quarter, because a proxy needs many, but not fewer
 * than a few browsers need. */
#define CLIENT_SHARE 4
#define CLIENT_MIN 16
#define STANDSTILL_NSEC (10 * NSEC_PER_SEC)
/* Metrics are fetched often by programs, so speed matters; the overview is fetched by people. */
#define METRICS_GZIP_LEVEL 1
#define OVERVIEW_GZIP_LEVEL 6

static const int gzip_levels[HTTP_BODIES] = {
	[HTTP_BODY_METRICS] = METRICS_GZIP_LEVEL,
	[HTTP_BODY_OVERVIEW] = OVERVIEW_GZIP_LEVEL,
};

static void log_message(void *cls, const char *format, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* When it has no descriptors or memory for a first connection, a thread of libmicrohttpd retries at
 * once and logs each time ("busy waiting"). It has no other work, so it may sleep. A thread with
 * connections waits until one of them ends. */
static void wait_for_resources(struct http_server *server, const char *text)
{
	static const char busy[] = "Hit process or system resource limit at FIRST connection";
	const struct timespec pause = { .tv_nsec = (long)ACCEPT_RETRY_NSEC };

	if (strncmp(text, busy, strlen(busy)) != 0)
		return;
	if (!atomic_exchange(&server->is_short, true))
		log_warning("HTTP connections wait: the limit of descriptors or memory is reached");
	(void)nanosleep(&pause, NULL);
}

/* Most libmicrohttpd messages report clients that disconnected. */
static void log_message(void *cls, const char *format, va_list ap)
{
	char text[ERROR_TEXT_MAX];

	(void)vsnprintf(text, sizeof(text), format, ap);
	(void)utf8_clean_line(text);
	log_debug("http: %s", text);
	wait_for_resources(cls, text);
}

static unsigned threads_for(unsigned connections)
{
	unsigned threads = (connections + CONNECTIONS_PER_THREAD - 1) / CONNECTIONS_PER_THREAD;

	return threads > THREADS_PER_ADDRESS ? threads : THREADS_PER_ADDRESS;
}

/* Leaves some connections for other clients. */
static unsigned share_of(unsigned connections, unsigned max_connections)
{
	unsigned share = max_connections / CLIENT_SHARE;

	if (share < CLIENT_MIN)
		share = CLIENT_MIN;
	return share < connections - 2 ? share : connections - 2;
}

static void notify_connection(void *cls, struct MHD_Connection *connection, void **context,
	enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = cls;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		*context = deadline_free(*context);
		return;
	}
	server->is_short = false;
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	*context = deadline_new(server->deadlines, fd, SERVER_REQUEST_NSEC);
	if (!*context)
		(void)shutdown(fd, SHUT_RDWR); /* no connection without a deadline */
}

static struct MHD_Daemon *start_daemon(
	struct http_server *server, int fd, unsigned connections, unsigned share)
{
	const struct MHD_OptionItem options[] = {
		{ MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)log_message, server },
		{ MHD_OPTION_LISTEN_SOCKET, fd, NULL },
		{ MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads_for(connections), NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, connections, NULL },
		{ MHD_OPTION_PER_IP_CONNECTION_LIMIT, share, NULL },
		{ MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)notify_connection, server },
		{ MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_SEC, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY_BYTES, NULL },
		{ MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)request_open, server },
		{ MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)request_close, server },
		{ MHD_OPTION_END, 0, NULL },
	};
	sigset_t all;
	sigset_t old;

	/* The threads inherit the mask: the loop handles signals. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	struct MHD_Daemon *daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
		NULL, NULL, request_handle, server, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return daemon;
}

/* 0 also when this machine has no such address: another one may work. */
static int open_endpoint(struct http_server *server, const char *text, unsigned connections,
	unsigned share, struct error *reterr)
{
	struct server_endpoint *endpoint = &server->endpoints[server->count];
	struct error e = { .text = "" };
	int fd = -1;

	int r = listen_open(text, &fd, endpoint->address, &e);
	if (r == -EADDRNOTAVAIL || r == -EAFNOSUPPORT) {
		log_notice("%s", e.text);
		return 0;
	}
	if (r < 0)
		return error_set(reterr, r, "%s", e.text);
	r = access_add(server->access, endpoint->address);
	if (r == 0) {
		endpoint->daemon = start_daemon(server, fd, connections, share);
		r = endpoint->daemon ? 0 : -ENOMEM;
	}
	if (r < 0) {
		(void)fd_close(fd);
		return error_set(reterr, r, "cannot serve on %s: %s", text, errno_text(-r));
	}
	server->count++;
	return 0;
}

static int open_endpoints(
	struct http_server *server, const struct http_settings *settings, struct error *reterr)
{
	size_t count = settings->listen_count;

	if (count > SERVER_ADDRESSES_MAX)
		return error_set(
			reterr, -E2BIG, "at most %d addresses to listen on", SERVER_ADDRESSES_MAX);
	for (size_t i = 0; i < count; i++) {
		unsigned connections = settings->max_connections / (unsigned)count;
		if (connections < 2 * THREADS_PER_ADDRESS)
			connections = 2 * THREADS_PER_ADDRESS;
		int r = open_endpoint(server, settings->listen[i], connections,
			share_of(connections, settings->max_connections), reterr);
		if (r < 0)
			return r;
	}
	if (count > 0 && server->count == 0)
		return error_set(reterr, -EADDRNOTAVAIL,
			"this machine has none of the addresses to listen on (first: %s)",
			settings->listen[0]);
	return 0;
}

static int allow_hosts(
	struct http_server *server, const struct http_settings *settings, struct error *reterr)
{
	for (size_t i = 0; i < settings->allowed_host_count; i++) {
		const char *host = settings->allowed_hosts[i];
		int r = access_add(server->access, host);
		if (r < 0)
			return error_set(
				reterr, r, "allowed_hosts: '%s': %s", host, errno_text(-r));
	}
	return 0;
}

int http_server_start(
	const struct http_settings *settings, struct http_server **ret, struct error *reterr)
{
	struct http_server *server = calloc(1, sizeof(*server));
	int r = -ENOMEM;

	if (!server)
		return error_set(reterr, r, "%s", errno_text(-r));
	(void)pthread_mutex_init(&server->ready_lock, NULL); /* cannot fail with glibc */
	server->clock = *settings->clock;
	http_server_turn(server);
	server->access = access_new();
	server->bodies = bodies_new();
	server->history = history_new(settings->pool);
	server->deadlines = deadlines_new(&server->clock);
	http_server_set_ready(server, false, "starting");
	if (!server->access || !server->bodies || !server->history || !server->deadlines) {
		(void)error_set(reterr, r, "%s", errno_text(-r));
		goto fail;
	}
	r = allow_hosts(server, settings, reterr);
	if (r == 0)
		r = open_endpoints(server, settings, reterr);
	if (r < 0)
		goto fail;
	*ret = server;
	return 0;
fail:
	(void)http_server_stop(server, 0); /* no questions yet */
	return r;
}

struct http_server *http_server_stop(struct http_server *server, uint64_t limit_nsec)
{
	if (!server)
		return NULL;
	/* libmicrohttpd must not be stopped with suspended connections. */
	if (server->history && !history_stop(server->history, limit_nsec))
		return NULL;
	for (size_t i = 0; i < server->count; i++)
		MHD_stop_daemon(server->endpoints[i].daemon);
	server->deadlines = deadlines_free(server->deadlines);
	server->history = history_free(server->history);
	server->bodies = bodies_free(server->bodies);
	server->access = access_free(server->access);
	(void)pthread_mutex_destroy(&server->ready_lock);
	free(server);
	return NULL;
}

const char *http_server_address(const struct http_server *server, size_t i)
{
	return i < server->count ? server->endpoints[i].address : NULL;
}

int http_server_publish(
	struct http_server *server, enum http_body body, const void *data, size_t len)
{
	struct body *made = NULL;

	int r = body_new(data, len, gzip_levels[body], &made);
	if (r < 0)
		return r;
	bodies_publish(server->bodies, body, made);
	return 0;
}

void http_server_turn(struct http_server *server)
{
	__atomic_store_n(
		&server->turned_nsec, clock_monotonic_nsec(&server->clock), __ATOMIC_RELAXED);
}

uint64_t server_standstill_sec(const struct http_server *server)
{
	uint64_t turned_nsec = __atomic_load_n(&server->turned_nsec, __ATOMIC_RELAXED);
	uint64_t now_nsec = clock_monotonic_nsec(&server->clock);

	/* A turn may have come between the two reads. */
	if (now_nsec < turned_nsec || now_nsec - turned_nsec < STANDSTILL_NSEC)
		return 0;
	return (now_nsec - turned_nsec) / NSEC_PER_SEC;
}

void http_server_set_ready(struct http_server *server, bool is_ready, const char *reason)
{
	char line[SERVER_READY_SIZE - 2];

	(void)snprintf(line, sizeof(line), "%s%s",
		is_ready ? "ready" : "not ready: ", is_ready || !reason ? "" : reason);
	(void)utf8_clean_line(line);
	(void)pthread_mutex_lock(&server->ready_lock);
	server->is_ready = is_ready;
	(void)snprintf(server->ready_line, sizeof(server->ready_line), "%s\n", line);
	(void)pthread_mutex_unlock(&server->ready_lock);
}

bool server_ready_line(struct http_server *server, char ret[SERVER_READY_SIZE])
{
	(void)pthread_mutex_lock(&server->ready_lock);
	bool is_ready = server->is_ready;
	memcpy(ret, server->ready_line, SERVER_READY_SIZE);
	(void)pthread_mutex_unlock(&server->ready_lock);
	return is_ready;
}
