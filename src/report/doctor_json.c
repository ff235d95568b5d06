/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `repoprobe doctor` as JSON: one document with an object for each group of facts.
 * Unknown facts are null; facts that the examination did not reach are absent. */
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "model/checkup.h"
#include "report/doctor.h"
#include "report/report.h"
#include "report/run_json.h"

static void add_text(struct json_t *object, const char *key, const char *text)
{
	json_add_text(object, key, text[0] != '\0' ? text : NULL);
}

/* 0: unknown. */
static void add_count(struct json_t *object, const char *key, uint64_t value)
{
	if (value > 0)
		run_json_add_count(object, key, value);
	else
		json_add_null(object, key);
}

/* UINT64_MAX: unlimited. */
static void add_bound(struct json_t *object, const char *key, uint64_t value)
{
	if (value < UINT64_MAX)
		run_json_add_count(object, key, value);
	else
		json_add_null(object, key);
}

static void add_error(struct json_t *object, int error_number)
{
	json_add_text(object, "error", error_number != 0 ? errno_name(error_number) : NULL);
}

static struct json_t *new_mount(const struct examination *e)
{
	struct json_t *object = json_new_object();

	add_text(object, "mount_point", e->identity.mount_point);
	add_text(object, "source", e->identity.source);
	json_add_boolean(object, "is_mount", e->identity.is_mount);
	add_text(object, "mount_options", e->identity.options.mount);
	add_text(object, "fs_options", e->identity.options.fs);
	return object;
}

static struct json_t *new_file_system(const struct checkup *c)
{
	const struct examination *e = c->examination;
	struct json_t *object = json_new_object();

	add_text(object, "fs_type", e->identity.fs_type);
	json_add_text(object, "kind", examination_kind_name(e->kind));
	add_text(object, "fs_uuid", e->identity.fs_uuid);
	json_add_boolean(object, "is_in_memory", e->is_in_memory);
	json_add_boolean(object, "is_compressed", e->is_compressed);
	json_add_boolean(object, "is_read_only", e->is_read_only);
	if (checkup_has(c, EXAMINATION_DIRECTORY)) {
		add_count(object, "size_bytes", e->identity.size_bytes);
		run_json_add_count(object, "free_bytes", e->identity.free_bytes);
		run_json_add_count(object, "must_stay_free_bytes", checkup_floor_bytes(c));
	}
	add_count(object, "inodes", e->inodes);
	if (e->inodes > 0)
		run_json_add_count(object, "free_inodes", e->free_inodes);
	else
		json_add_null(object, "free_inodes");
	return object;
}

static struct json_t *new_direct(const struct examination_direct *d)
{
	struct json_t *object = json_new_object();

	json_add_text(object, "trial", doctor_trial_name(d->trial));
	add_error(object, d->error_number);
	if (d->trial != EXAMINATION_NOT_TRIED)
		json_add_text(object, "tried_by", d->is_written ? "write" : "read");
	if (d->trial == EXAMINATION_WORKED)
		json_add_boolean(object, "are_writes_cached", d->are_writes_cached);
	add_count(object, "offset_align_bytes", d->offset_align_bytes);
	add_count(object, "memory_align_bytes", d->memory_align_bytes);
	add_count(object, "shortest_read_bytes", d->read_align_bytes);
	return object;
}

static struct json_t *new_uring(const struct examination_uring *u)
{
	struct json_t *object = json_new_object();

	json_add_boolean(object, "is_allowed", u->error_number == 0);
	add_error(object, u->error_number);
	if (u->error_number == 0) {
		json_add_boolean(object, "can_register_buffers", u->buffers_error_number == 0);
		run_json_add_count(object, "buffer_bytes", u->buffer_bytes);
	}
	add_bound(object, "memory_lock_bytes", u->memory_lock_bytes);
	return object;
}

static struct json_t *new_owner(const struct examination_owner *owner)
{
	struct json_t *object = json_new_object();
	struct buf mode = BUF_INIT(8);

	buf_printf(&mode, "%04o", (unsigned)owner->mode);
	json_add_integer(object, "uid", owner->uid);
	json_add_integer(object, "gid", owner->gid);
	json_add_text(object, "mode", buf_text(&mode));
	json_add_boolean(object, "is_immutable", owner->is_immutable);
	buf_done(&mode);
	return object;
}

static struct json_t *new_file(const struct examination_file *file)
{
	struct json_t *object = json_new_object();

	json_add_text(object, "state", doctor_file_name(file));
	if (file->is_ours)
		run_json_add_count(object, "size_bytes", file->size_bytes);
	return object;
}

static struct json_t *new_access(const struct checkup *c)
{
	const struct examination *e = c->examination;
	struct json_t *object = json_new_object();

	json_add_integer(object, "caller_uid", e->caller_uid);
	json_add_integer(object, "worker_uid", e->worker_uid);
	json_add_integer(object, "worker_gid", e->worker_gid);
	json_add_boolean(object, "may_write", e->write_error_number == 0);
	add_error(object, e->write_error_number);
	json_add(object, "repository", new_owner(&e->repository));
	json_add_text(object, "probe_directory_path", c->probe_directory);
	if (e->has_directory)
		json_add(object, "probe_directory", new_owner(&e->directory));
	else
		json_add_null(object, "probe_directory");
	json_add(object, "probe_file", new_file(&e->file));
	json_add(object, "run_file", new_file(&e->run_file));
	json_add_integer(object, "other_files", e->other_files);
	run_json_add_count(object, "other_bytes", e->other_bytes);
	return object;
}

static struct json_t *new_cost(const struct checkup *c)
{
	struct json_t *object = json_new_object();
	struct json_t *probes = json_new_array();

	for (size_t i = 0; i < c->cost.probe_count; i++)
		json_append_text(probes, c->cost.probes[i]);
	json_add(object, "probes", probes);
	add_bound(object, "written_a_day_bytes", c->cost.written_bytes);
	add_bound(object, "read_a_day_bytes", c->cost.read_bytes);
	if (c->cost.budget_bytes > 0)
		run_json_add_count(object, "daily_write_budget_bytes", c->cost.budget_bytes);
	else
		json_add_null(object, "daily_write_budget_bytes");
	if (checkup_has(c, EXAMINATION_DIRECTORY))
		run_json_add_count(object, "file_bytes", c->examination->file_target_bytes);
	return object;
}

static struct json_t *new_history(const struct checkup *c)
{
	const struct examination_history *h = &c->examination->history;
	struct json_t *object = json_new_object();

	json_add_text(object, "state_directory", c->state_directory);
	add_error(object, h->error_number);
	add_text(object, "fs_type", h->identity.fs_type);
	add_text(object, "source", h->identity.source);
	json_add_text(object, "kind", examination_kind_name(h->kind));
	json_add_boolean(object, "is_same_file_system", h->is_same_file_system);
	json_add_boolean(object, "shares_disk", h->shares_disk);
	return object;
}

static struct json_t *new_findings(const struct checkup *c)
{
	struct json_t *array = json_new_array();

	for (size_t i = 0; i < c->finding_count; i++) {
		struct json_t *object = json_new_object();
		json_add_text(object, "level", checkup_level_name(c->findings[i].level));
		json_add_text(object, "about", examination_subject_name(c->findings[i].about));
		json_add_text(object, "text", c->findings[i].text);
		json_append(array, object);
	}
	return array;
}

/* What the worker examined before it ended. */
static void add_examination(struct json_t *document, const struct checkup *c)
{
	const struct examination *e = c->examination;

	if (checkup_has(c, EXAMINATION_PLACE)) {
		json_add(document, "mount", new_mount(e));
		json_add(document, "file_system", new_file_system(c));
	}
	if (checkup_has(c, EXAMINATION_PLACE) && e->identity.has_device)
		json_add(document, "device", device_to_json(&e->identity.device));
	else if (checkup_has(c, EXAMINATION_PLACE))
		json_add_null(document, "device");
	if (checkup_has(c, EXAMINATION_DIRECT))
		json_add(document, "direct_io", new_direct(&e->direct));
	if (checkup_has(c, EXAMINATION_URING))
		json_add(document, "io_uring", new_uring(&e->uring));
	if (checkup_has(c, EXAMINATION_DIRECTORY))
		json_add(document, "access", new_access(c));
}

struct json_t *report_doctor_json(const struct checkup *c)
{
	const struct examination *e = c->examination;
	struct json_t *document = json_new_object();

	json_add_text(document, "path", c->path);
	add_text(document, "real_path", e->real_path);
	add_text(document, "repository", c->cost.repository);
	json_add_text(document, "verdict", checkup_level_name(checkup_level(c)));
	json_add_text(document, "status", run_status_name(c->status));
	add_text(document, "reason", c->reason);
	if (e->step != EXAMINATION_COMPLETE)
		json_add_text(document, "interrupted_at", examination_step_text(e->step));
	add_examination(document, c);
	json_add(document, "cost", new_cost(c));
	if (checkup_has(c, EXAMINATION_HISTORY))
		json_add(document, "history", new_history(c));
	json_add(document, "findings", new_findings(c));
	return document;
}
