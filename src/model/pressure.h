/* SPDX-License-Identifier: Apache-2.0 */
/* Pressure stall information: how long processes of this host, including our own, waited for I/O.
 * /proc/pressure/io, the kernel's Documentation/accounting/psi.rst. Text in, values out. */
#ifndef REPOPROBE_MODEL_PRESSURE_H
#define REPOPROBE_MODEL_PRESSURE_H

#include <stdint.h>

struct error;

#define PRESSURE_ALL 10000 /* basis points: hundredths of a percent */

struct pressure_line {
	uint32_t average_10s_basis_points; /* share of the last 10 seconds */
	uint32_t average_60s_basis_points;
	uint32_t average_300s_basis_points;
	uint64_t total_usec; /* since boot */
};

struct pressure {
	struct pressure_line some; /* at least one process waited */
	struct pressure_line full; /* no other process ran meanwhile */
};

/* Returns 0 or -EBADMSG. Unknown lines and keys are ignored. */
int pressure_parse(const char *text, struct pressure *ret, struct error *reterr);

#endif
