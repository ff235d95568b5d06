/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and facts, as JSON and as a line of text. */
#include "report/context.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/parse.h"
#include "model/facts.h"
#include "model/identity.h"
#include "report/run_json.h"
#include "report/text.h"

#define PERCENT_REAL (PRESSURE_ALL / 100.0)
/* Less than this is a file system's own journal, or an occasional read of a file. */
#define LITTLE_BYTES_PER_SEC (UINT64_C(64) << 10)
#define LITTLE_IOS_PER_SEC 5

/* --- JSON --- */

static void add_text_or_null(struct json_t *object, const char *key, const char *text)
{
	json_add_text(object, key, text[0] != '\0' ? text : NULL);
}

void context_add_device(struct json_t *object, const struct identity *identity)
{
	if (identity->has_device)
		json_add(object, "device", device_to_json(&identity->device));
	else
		json_add_null(object, "device");
	add_text_or_null(object, "mount_options", identity->options.mount);
	add_text_or_null(object, "fs_options", identity->options.fs);
}

static struct json_t *new_others(const struct facts *facts)
{
	struct json_t *object = json_new_object();

	run_json_add_count(object, "bytes_per_second", facts->others_bytes_per_sec);
	run_json_add_count(object, "ios_per_second", facts->others_ios_per_sec);
	return object;
}

static struct json_t *new_pressure(const struct facts *facts)
{
	struct json_t *object = json_new_object();

	json_add_real(object, "some_percent", facts->pressure_some_basis_points / PERCENT_REAL);
	json_add_real(object, "full_percent", facts->pressure_full_basis_points / PERCENT_REAL);
	return object;
}

void context_add_facts(struct json_t *object, const struct facts *facts)
{
	if (facts && facts->has_counters)
		json_add(object, "others", new_others(facts));
	else
		json_add_null(object, "others");
	if (facts && facts->has_pressure)
		json_add(object, "pressure", new_pressure(facts));
	else
		json_add_null(object, "pressure");
}

/* --- Text --- */

static void add_word(struct buf *b, const char *word, const char *after)
{
	if (word[0] == '\0')
		return;
	buf_add_text(b, ", ");
	text_add_clean(b, word);
	buf_add_text(b, after);
}

static const char *rotational_word(enum device_rotational rotational)
{
	switch (rotational) {
	case DEVICE_ROTATIONAL_UNKNOWN:
		return "";
	case DEVICE_ROTATIONAL_NO:
		return "not rotational";
	case DEVICE_ROTATIONAL_YES:
		return "rotational";
	}
	return "";
}

static void add_disks(struct buf *b, const struct device_info *d)
{
	if (!device_is_stacked(d))
		return;
	for (size_t i = 0; i < d->leaf_count; i++) {
		buf_add_text(b, i == 0 ? ", on " : " ");
		text_add_clean(b, d->leaves[i].name);
	}
}

void context_describe_device(struct buf *b, const struct identity *identity)
{
	const struct device_info *d = &identity->device;

	if (!identity->has_device) {
		buf_add_text(b, "unknown");
		return;
	}
	text_add_clean(b, d->name);
	add_word(b, d->mapped_name, "");
	add_word(b, d->array_level, "");
	add_word(b, d->model, "");
	add_word(b, d->backing_file, "");
	add_disks(b, d);
	add_word(b, rotational_word(d->rotational), "");
	add_word(b, d->write_cache, " cache");
	add_word(b, d->scheduler, " scheduler");
	/* "idle" is the normal state of an array. */
	if (d->array_action[0] != '\0' && strcmp(d->array_action, "idle") != 0)
		add_word(b, d->array_action, " under way");
}

static void describe_work(struct buf *b, const struct facts *f)
{
	bool is_little = f->others_bytes_per_sec < LITTLE_BYTES_PER_SEC &&
		f->others_ios_per_sec < LITTLE_IOS_PER_SEC;

	if (f->others_bytes_per_sec == 0 && f->others_ios_per_sec == 0) {
		buf_add_text(b, "nobody else used the device");
		return;
	}
	buf_add_text(b, is_little ? "almost nothing (" : "moved ");
	format_size_rounded(b, f->others_bytes_per_sec);
	buf_printf(b, "/s, %" PRIu64 " I/O/s%s", f->others_ios_per_sec, is_little ? ")" : "");
}

void context_describe_others(struct buf *b, const struct facts *facts)
{
	if (facts->has_counters)
		describe_work(b, facts);
	else
		buf_add_text(b, "unknown");
	if (facts->has_pressure)
		buf_printf(b, "; processes of this host waited for I/O %.1f%% of the time",
			facts->pressure_some_basis_points / PERCENT_REAL);
}
