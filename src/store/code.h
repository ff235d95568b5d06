/* SPDX-License-Identifier: Apache-2.0 */
/* What the columns workload.options, identity.device and run_operation.histogram hold. Private to
 * the store. */
#ifndef REPOPROBE_STORE_CODE_H
#define REPOPROBE_STORE_CODE_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct device_info;
struct error;
struct histogram;
struct workload;

/* A JSON object of option texts, as workload_get writes and workload_set reads them. file_size is
 * left as "auto": the size used varies from run to run while the probe file grows, and is a column
 * of its own. Two equal workloads have equal texts. */
int code_workload(const struct workload *w, struct buf *b);
/* -EUCLEAN when the text is damaged; *ret is changed even so. */
int code_read_workload(const char *text, size_t len, struct workload *ret, struct error *reterr);

/* device_to_json's object. -EUCLEAN when damaged. */
int code_device(const struct device_info *device, struct buf *b);
int code_read_device(const char *text, size_t len, struct device_info *ret);

/* An encoding byte, then code_bins.h's bits, or, where these cannot tell it, histogram_encode's
 * bytes, deflated where that is shorter. */
#define CODE_HISTOGRAM_MAX 65536
int code_histogram(const struct histogram *h, struct buf *b);
/* -EUCLEAN when damaged; *ret may be changed even so. */
int code_read_histogram(const void *data, size_t len, struct histogram *ret, struct error *reterr);

#endif
