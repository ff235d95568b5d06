/* SPDX-License-Identifier: Apache-2.0 */
/* The variation of I/Os per second. A separate file, so that the worker, which does not need it,
 * links without the mathematics library. */
#include <math.h>

#include "model/run.h"

double run_iops_stddev(const struct run_iops *iops)
{
	if (iops->seconds == 0)
		return 0;
	/* n² times the variance: in integers, so that equal seconds give exactly 0. */
	unsigned __int128 of_squares = (unsigned __int128)iops->squares * iops->seconds;
	unsigned __int128 of_sum = (unsigned __int128)iops->ios * iops->ios;
	return of_squares > of_sum ? sqrt((double)(of_squares - of_sum)) / iops->seconds : 0;
}
