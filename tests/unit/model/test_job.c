/* SPDX-License-Identifier: Apache-2.0 */
/* The probe file's name and the texts of the phases. */
#include "model/job.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static void the_probe_file_is_named_for_host_and_user(void **state)
{
	struct job *job = calloc(1, sizeof(*job));
	(void)state;

	assert_non_null(job);
	job_file_name(job, "0123456789abcdef", 0, false);
	assert_string_equal(job->file_name, "0123456789abcdef-0.dat");
	job_file_name(job, "0123456789abcdef", 4294967294U, true);
	assert_string_equal(job->file_name, "0123456789abcdef-4294967294-run.dat");
	free(job);
}

static void each_phase_has_words_of_its_own(void **state)
{
	(void)state;
	for (int i = JOB_PHASE_LAYOUT; i <= JOB_PHASE_EXAMINE; i++) {
		assert_true(strlen(job_phase_text((enum job_phase)i)) > 0);
		for (int k = JOB_PHASE_LAYOUT; k < i; k++)
			assert_string_not_equal(job_phase_text((enum job_phase)i),
				job_phase_text((enum job_phase)k));
	}
	assert_string_equal(job_phase_text(JOB_PHASE_LAYOUT), "laying out the probe file");
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_probe_file_is_named_for_host_and_user),
		cmocka_unit_test(each_phase_has_words_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
