/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-2-4 (Aumasson, Bernstein 2012), used for splay offsets and for the host id. */
#ifndef REPOPROBE_BASE_HASH_H
#define REPOPROBE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_siphash(const uint8_t key[16], const void *data, size_t len);
uint64_t hash_text(const char *text); /* with the program's own fixed key */

/* 16 hex digits that identify this machine without disclosing its machine id (a keyed hash of
 * /etc/machine-id, or of the host name if there is none). Returns 0 or -errno. */
int hash_host_id(char ret[17]);

#endif
