/* SPDX-License-Identifier: Apache-2.0 */
/* pressure_parse on any text: no share is more than all. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/pressure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_possible(const struct pressure_line *line)
{
	return line->average_10s_basis_points <= PRESSURE_ALL &&
		line->average_60s_basis_points <= PRESSURE_ALL &&
		line->average_300s_basis_points <= PRESSURE_ALL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct error error = { 0 };
	struct pressure p;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (pressure_parse(text, &p, &error) < 0) {
		if (error.text[0] == '\0')
			abort();
	} else if (!is_possible(&p.some) || !is_possible(&p.full)) {
		abort();
	}
	free(text);
	return 0;
}
