/* SPDX-License-Identifier: Apache-2.0 */
/* A run's workload as options of fio's job files. */
#ifndef REPOPROBE_REPORT_RUN_FIO_OPTIONS_H
#define REPOPROBE_REPORT_RUN_FIO_OPTIONS_H

struct json_t;
struct run;

/* {"rw": "randrw", "bs": "524288", …}, all values as text, as fio writes them. With a filename
 * added, fio would run an equivalent job. */
struct json_t *run_fio_options(const struct run *run);

#endif
