/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `repoprobe doctor` for a terminal: a table of facts in groups, each with its
 * verdict, then the findings as sentences. */
#include "report/doctor.h"

#include <string.h>

#include "base/buf.h"
#include "model/checkup.h"
#include "report/report.h"
#include "report/text.h"

#define MARK_WIDTH 8
#define LABEL_WIDTH 16
#define FACT_MAX 16384

const char *doctor_trial_name(enum examination_trial trial)
{
	switch (trial) {
	case EXAMINATION_NOT_TRIED:
		return "not_tried";
	case EXAMINATION_WORKED:
		return "worked";
	case EXAMINATION_DECLINED:
		return "declined";
	case EXAMINATION_FAILED:
		return "failed";
	}
	return "";
}

const char *doctor_file_name(const struct examination_file *file)
{
	if (!file->exists)
		return "missing";
	return file->is_ours ? "ours" : "foreign";
}

void doctor_add_part(struct buf *b, const char *before, const char *text)
{
	if (text[0] != '\0')
		buf_printf(b, "%s%s", before, text);
}

static void add_row(
	const struct checkup *c, const struct doctor_row *row, const char **group, struct buf *b)
{
	struct buf text = BUF_INIT(FACT_MAX);
	enum doctor_fact fact = row->add(c, &text);
	enum checkup_level level = checkup_level_about(c, row->about);

	if (fact != DOCTOR_ABSENT) {
		bool is_unknown = fact == DOCTOR_UNKNOWN && level == CHECKUP_OK;
		if (strcmp(*group, row->group) != 0) {
			buf_printf(b, "\n%s\n", row->group);
			*group = row->group;
		}
		buf_add_text(b, "  ");
		text_add_padded(b, is_unknown ? "unknown" : checkup_level_name(level), MARK_WIDTH);
		buf_add_char(b, ' ');
		text_add_padded(b, row->label, LABEL_WIDTH);
		buf_add_char(b, ' ');
		text_add_clean(b, text.len > 0 ? buf_text(&text) : "not known");
		buf_add_char(b, '\n');
	}
	buf_done(&text);
}

static void add_count(size_t count, const char *what, struct buf *b)
{
	buf_printf(b, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

/* "1 problem, 2 warnings:" */
static void add_summary(const struct checkup *c, struct buf *b)
{
	size_t counts[CHECKUP_LEVELS] = { 0 };

	for (size_t i = 0; i < c->finding_count; i++)
		counts[c->findings[i].level]++;
	buf_add_char(b, '\n');
	if (counts[CHECKUP_PROBLEM] > 0)
		add_count(counts[CHECKUP_PROBLEM], "problem", b);
	else
		buf_add_text(b, "Nothing would be refused");
	if (counts[CHECKUP_WARNING] > 0) {
		buf_add_text(b, ", ");
		add_count(counts[CHECKUP_WARNING], "warning", b);
	}
	buf_add_text(b, c->finding_count > 0 ? ":\n" : ".\n");
}

static void add_findings(const struct checkup *c, struct buf *b)
{
	for (size_t i = 0; i < c->finding_count; i++) {
		const struct checkup_finding *finding = &c->findings[i];
		buf_add_text(b, "  ");
		text_add_padded(b, checkup_level_name(finding->level), MARK_WIDTH);
		buf_printf(b, " %s: ", examination_subject_name(finding->about));
		text_add_clean(b, finding->text);
		buf_add_char(b, '\n');
	}
}

void report_doctor_text(const struct checkup *c, struct buf *b)
{
	const char *group = "";

	text_add_clean(b, c->path);
	buf_printf(b, ": %s\n", checkup_level_name(checkup_level(c)));
	for (size_t i = 0; i < doctor_place_row_count; i++)
		add_row(c, &doctor_place_rows[i], &group, b);
	for (size_t i = 0; i < doctor_use_row_count; i++)
		add_row(c, &doctor_use_rows[i], &group, b);
	add_summary(c, b);
	add_findings(c, b);
}
