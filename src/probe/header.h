/* SPDX-License-Identifier: Apache-2.0 */
/* The first block of a probe file, which identifies it as ours: 4096 bytes, integers
 * little-endian.
 *
 *   0  magic "repoprobe", NUL-padded to 16 bytes
 *  16  u32 version, u32 zero
 *  24  16 bytes UUID (version 4, random)
 *  40  i64 creation, microseconds since 1970
 *  48  u64 data bytes chosen from the free space at creation
 *  64  a sentence for human readers, then zeroes
 * 256  i64 start of the current growth, 0: none (earlier versions: always)
 * 264  u64 target of that growth, data bytes
 *
 * The UUID is generated when the file is created. It is compared whenever the file is opened again
 * within a run (to lay out, to measure, to fall back to the page cache): the file measured is the
 * one whose header was read and whose lock is held, by device, inode and UUID. Runs do not expect
 * the UUID of an earlier run: a file that was removed is created again.
 *
 * The data, all that is measured, starts at 1 MiB, so that blocks up to 1 MiB are aligned in the
 * file as they are in the data. The bytes between are laid out and never accessed again. */
#ifndef REPOPROBE_PROBE_HEADER_H
#define REPOPROBE_PROBE_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "model/job.h"
#include "probe/growth.h"

#define HEADER_BYTES 4096
#define HEADER_DATA_OFFSET JOB_FILE_HEAD_BYTES

struct header {
	uint8_t uuid[16];
	int64_t created_usec;
	uint64_t auto_bytes;
	struct growth growth;
};

/* Makes a random UUID (version 4) of 16 random bytes. */
void header_make_uuid(uint8_t uuid[16]);

/* 0 or -ENOMEM. */
int header_encode(const struct header *header, uint8_t ret[HEADER_BYTES]);

/* -EBADMSG: not ours. -EPROTO: ours, but of a newer version. */
int header_decode(const uint8_t *data, size_t len, struct header *ret);

#endif
