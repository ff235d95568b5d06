/* SPDX-License-Identifier: Apache-2.0 */
/* What a client's Accept-Encoding and If-None-Match mean (RFC 9110, 12.5.3 and 13.1.2). Pure. */
#ifndef REPOPROBE_HTTP_NEGOTIATE_H
#define REPOPROBE_HTTP_NEGOTIATE_H

#include <stdbool.h>

/* header NULL: absent, then identity only. */
bool negotiate_takes_gzip(const char *header);

/* True when the list names this entity tag (given without quotes) or is "*". Weak tags match too:
 * If-None-Match compares weakly. header NULL: absent. */
bool negotiate_has_etag(const char *header, const char *etag);

#endif
