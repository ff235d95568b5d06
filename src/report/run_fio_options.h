/* SPDX-License-Identifier: Apache-2.0 */
/* A run's workload in the words of fio's job files. */
#ifndef REPOPROBE_REPORT_RUN_FIO_OPTIONS_H
#define REPOPROBE_REPORT_RUN_FIO_OPTIONS_H

struct json_t;
struct run;

/* {"rw": "randrw", "bs": "524288", …}, all text as fio writes it. With a filename added, fio would
 * run a job like ours. */
struct json_t *run_fio_options(const struct run *run);

#endif
