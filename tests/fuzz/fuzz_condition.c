/* SPDX-License-Identifier: Apache-2.0 */
/* A condition from any text: refused with a sentence that points into it, or written so that it
 * reads back the same. Then it is judged on a run, which must not trip it. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/condition.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_refusal(int r, const struct error *e)
{
	require(r == -EINVAL || r == -ERANGE || r == -EOPNOTSUPP);
	require(strncmp(e->text, "column ", strlen("column ")) == 0);
	require(parse_is_utf8(e->text) && !strchr(e->text, '\n'));
}

static void check_again(const struct condition *c)
{
	struct buf b = BUF_INIT(256);
	struct condition again = { .value = 0 };

	condition_format(c, &b);
	require(b.error == 0 && condition_parse(buf_text(&b), &again, NULL) == 0);
	require(again.has_operation == c->has_operation && again.measure == c->measure &&
		again.is_below == c->is_below && again.value == c->value);
	require(!c->has_operation || again.operation == c->operation);
	buf_done(&b);
}

static void check_judgement(const struct condition *c)
{
	struct run *run = run_new("", "");

	if (!run)
		return;
	for (unsigned i = 0; i < 30; i++)
		histogram_add(&run->operations[RUN_READ].latency, UINT64_C(1) << 2 * i);
	run->operations[RUN_READ].ios = 30;
	run->operations[RUN_READ].bytes = UINT64_MAX;
	run->measured_nsec = 1;
	require(condition_judge(c, run, RUN_WRITE) == CONDITION_ABSENT);
	enum condition_verdict verdict = condition_judge(c, run, RUN_READ);
	require(verdict != CONDITION_ABSENT);
	require((verdict == CONDITION_TOO_FEW) == (condition_ios_needed(c->measure) > 30));
	(void)condition_measured(c->measure, run, RUN_READ); /* any number will do */
	free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct condition c = { .value = 0 };
	struct error e = { "" };

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	int r = condition_parse(text, &c, &e);
	if (r < 0) {
		check_refusal(r, &e);
	} else {
		check_again(&c);
		check_judgement(&c);
	}
	free(text);
	return 0;
}
