/* SPDX-License-Identifier: Apache-2.0 */
/* The NFS client's counters of a mount: /proc/self/mountstats, statistics versions 1.0 and 1.1 (the
 * kernel's fs/nfs/super.c and net/sunrpc/stats.c). Text in, values out. */
#ifndef REPOPROBE_MODEL_MOUNTSTATS_H
#define REPOPROBE_MODEL_MOUNTSTATS_H

#include <stdint.h>

struct error;

struct nfs_operation_counters {
	uint64_t operations; /* completed */
	uint64_t transmissions; /* including retransmissions */
	uint64_t timeouts;
	uint64_t bytes_sent; /* of the protocol, headers included */
	uint64_t bytes_received;
	uint64_t queue_msec; /* waiting to be sent */
	uint64_t round_trip_msec; /* sent to answered */
	uint64_t execute_msec; /* queued to done */
};

struct nfs_counters {
	uint64_t age_sec; /* since it was mounted */
	uint64_t normal_read_bytes; /* requested by programs, through the page cache */
	uint64_t normal_write_bytes;
	uint64_t direct_read_bytes; /* the same with O_DIRECT */
	uint64_t direct_write_bytes;
	uint64_t server_read_bytes; /* actually read from and written to the server */
	uint64_t server_write_bytes;
	uint32_t read_max_bytes; /* of one request: rsize and wsize; 0: not given */
	uint32_t write_max_bytes;
	struct nfs_operation_counters read;
	struct nfs_operation_counters write;
};

/* Finds the statistics of the file system at a mount point (the topmost one if several are mounted
 * over each other). Returns 0, -ENOENT (nothing is mounted there, or not NFS), or -EBADMSG (an
 * unknown version, or some of the fields above are missing). */
int mountstats_find(
	const char *text, const char *mount_point, struct nfs_counters *ret, struct error *reterr);

/* The difference of two readings of one mount. -ERANGE when a counter went back or the mount is too
 * young, which means it was remounted. The sizes and the age are the later one's. */
int mountstats_difference(const struct nfs_counters *earlier, const struct nfs_counters *later,
	uint64_t interval_nsec, struct nfs_counters *ret);

#endif
