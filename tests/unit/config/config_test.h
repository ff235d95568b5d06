/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a text in a test: it must succeed, or fail with the expected lines. */
#ifndef REPOPROBE_TESTS_UNIT_CONFIG_CONFIG_TEST_H
#define REPOPROBE_TESTS_UNIT_CONFIG_CONFIG_TEST_H

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/config.h"

static inline struct config *load_text_over(
	const char *text, const struct config_overrides *overrides)
{
	struct config_errors errors;
	struct config *config = NULL;
	int r = config_load_text("a.conf", text, strlen(text), overrides, &config, &errors);

	if (r < 0 || errors.count > 0)
		fail_msg("%s\nanswered %d: %s", text, r, errors.lines[0] ? errors.lines[0] : "");
	assert_non_null(config);
	return config;
}

static inline struct config *load_text(const char *text)
{
	return load_text_over(text, NULL);
}

/* The lines found must match these, each up to the end of the expectation. */
static inline void assert_lines(
	const struct config_errors *errors, const char *const *expected, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *line = i < CONFIG_ERRORS_MAX ? errors->lines[i] : NULL;

		if (!line || strncmp(line, expected[i], strlen(expected[i])) != 0)
			fail_msg("line %zu is \"%s\", not \"%s\"", i, line ? line : "missing",
				expected[i]);
	}
	if (errors->count != count)
		fail_msg("%zu lines, not %zu; the next is \"%s\"", errors->count, count,
			errors->lines[count] ? errors->lines[count] : "none");
}

static inline void assert_refused_over(const char *text, const struct config_overrides *overrides,
	const char *const *expected, size_t count)
{
	struct config_errors errors;
	struct config *config = NULL;
	int r = config_load_text("a.conf", text, strlen(text), overrides, &config, &errors);

	if (r != -EINVAL)
		fail_msg("%s\nanswered %d", text, r);
	assert_null(config);
	assert_lines(&errors, expected, count);
	config_errors_done(&errors);
	assert_null(errors.lines[0]);
}

/* One text, one line. */
static inline void assert_refused(const char *text, const char *expected)
{
	assert_refused_over(text, NULL, &expected, 1);
}

#endif
