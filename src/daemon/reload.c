/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the configuration at the start and at SIGHUP, then all or nothing: the new one and a
 * present built for it, or the old ones as they were. Reads configuration files only, no repository
 * path. */
#include "daemon/reload.h"

#include "base/buf.h"
#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/launch.h"
#include "daemon/normal_query.h"
#include "daemon/pipeline.h"

#include <errno.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#define SENTENCE_MAX 512
#define LINES_MAX (1 << 19) /* a sentence for each of so many repositories */

int reload_read(
	const struct daemon_options *options, struct config **ret, struct config_errors *errors)
{
	const struct config_overrides overrides = {
		.state_directory = options->state_directory,
		.listen = options->is_listen_given ? options->listen : NULL,
		.listen_count = options->listen_count,
		.repositories = options->repositories,
		.repository_count = options->repository_count,
	};
	bool is_required = options->is_config_given || options->repository_count == 0;

	return config_load(options->config_path, is_required, &overrides, ret, errors);
}

void reload_log_errors(int r, const struct config_errors *errors)
{
	if (errors->count == 0)
		log_error("the configuration cannot be read: %s", errno_text(-r));
	for (size_t i = 0; i < errors->count && i < CONFIG_ERRORS_MAX; i++)
		log_error("%s", errors->lines[i]);
	if (errors->count > CONFIG_ERRORS_MAX)
		log_error("… and %zu more errors", errors->count - CONFIG_ERRORS_MAX);
}

/* A line of its own for each. */
static void log_lines(const char *text)
{
	while (*text != '\0') {
		int len = (int)strcspn(text, "\n");

		log_notice("%.*s", len, text);
		text += len + (text[len] == '\n');
	}
}

static void log_silent_alarms(const struct config *config)
{
	for (size_t i = 0; i < config->alarm_count; i++) {
		struct buf lines = BUF_INIT(LINES_MAX);

		config_describe_silence(config, &config->alarms[i], &lines);
		log_lines(buf_text(&lines));
		buf_done(&lines);
	}
}

void reload_log_remarks(const struct config *config)
{
	log_silent_alarms(config);
	for (size_t i = 0; i < config->repository_count; i++) {
		struct buf sentence = BUF_INIT(SENTENCE_MAX);

		config_describe_stretch(&config->repositories[i], &sentence);
		if (sentence.len > 0)
			log_notice("%s %s", config->repositories[i].name, buf_text(&sentence));
		buf_done(&sentence);
	}
}

static void warn_restart_needed(const struct config *old_config, const struct config *new_config)
{
	const char *key = config_restart_needed(old_config, new_config);

	if (key)
		log_warning("a new %s takes effect at the next restart", key);
}

/* The new present has taken over what both have in common. */
static void leave_behind(struct daemon *d, const struct present *earlier, struct present *present)
{
	for (size_t i = 0; i < earlier->repository_count; i++) {
		struct alarm_state *alarm = earlier->repositories[i].alarm;
		if (!present_find_repository(present, alarm->repository))
			pipeline_forget(d, alarm, NULL);
	}
	for (size_t i = 0; i < present->repository_count; i++)
		pipeline_forget(d, present->repositories[i].alarm, present->repositories[i].config);
}

static int try_reload(struct daemon *d, struct error *reterr)
{
	struct config *config = NULL;
	struct config_errors errors = { 0 };
	int r = reload_read(d->options, &config, &errors);

	if (r < 0) {
		reload_log_errors(r, &errors);
		(void)error_set(reterr, r, "%s%s",
			errors.count > 0 ? errors.lines[0] : errno_text(-r),
			errors.count > 1 ? " (and more, see the log)" : "");
		config_errors_done(&errors);
		return r;
	}
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	/* present_new empties the present one and is the last that can fail. */
	struct present *present = ledger_make(&d->core.ledger, config) < 0
		? NULL
		: present_new(config, d->core.present, now_nsec, clock_realtime_usec(&d->clock));
	if (!present) {
		config_free(config);
		log_error("no memory for the new configuration");
		return error_set(reterr, -ENOMEM, "no memory for the new configuration");
	}
	(void)ledger_open(&d->core.ledger, config, now_nsec); /* the accounts are made */
	warn_restart_needed(d->core.config, config);
	leave_behind(d, d->core.present, present);
	present_free(d->core.present);
	config_free(d->core.config);
	d->core.present = present;
	d->core.config = config;
	launch_mark_all(d);
	normal_query_ask(d);
	if (d->record.is_open)
		pipeline_note_watched(d);
	log_set_level(config->log_level);
	reload_log_remarks(config);
	return 0;
}

int daemon_reload(struct daemon *d, struct error *reterr)
{
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		(unsigned long long)(clock_monotonic_nsec(&d->clock) / NSEC_PER_USEC));
	d->reload_error.text[0] = '\0';
	int r = try_reload(d, &d->reload_error);

	d->is_reload_ok = r >= 0;
	if (r >= 0) {
		d->reload_usec = clock_realtime_usec(&d->clock);
		log_notice("configuration reloaded: %zu repositories",
			d->core.config->repository_count);
	} else {
		log_error("configuration not reloaded, the old one stays in force");
		(void)error_set(reterr, r, "%s", d->reload_error.text);
	}
	(void)sd_notify(0, "READY=1");
	daemon_changed(d);
	daemon_dispatch(d);
	return r;
}
