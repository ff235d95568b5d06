/* SPDX-License-Identifier: Apache-2.0 */
/* An alarm state from any bytes: refused, or it comes back from its own code as it was. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/alarm_code.h"
#include "model/alarm_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_again(const struct alarm_state *state, struct alarm_state *again)
{
	struct buf b = BUF_INIT(ALARM_CODE_MAX);

	alarm_code(state, &b);
	require(b.error == 0 && alarm_code_read(b.data, b.len, again, NULL) == 0);
	require(memcmp(state, again, sizeof(*state)) == 0);
	buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct alarm_state *states = calloc(2, sizeof(*states));
	struct error e = { "" };

	if (!states)
		return 0;
	int r = alarm_code_read(data, size, &states[0], &e);
	if (r < 0)
		require(r == -EBADMSG && e.text[0] != '\0');
	else
		check_again(&states[0], &states[1]);
	free(states);
	return 0;
}
