/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax of an HTTP listen address: "127.0.0.1:9847", "[::1]:9847". Private to src/config. */
#ifndef REPOPROBE_CONFIG_LISTEN_H
#define REPOPROBE_CONFIG_LISTEN_H

struct error;

#define LISTEN_PORT_DEFAULT 9847

/* Returns 0, -EINVAL, or -EOPNOTSUPP for "unix:PATH". */
int listen_check(const char *text, struct error *reterr);

#endif
