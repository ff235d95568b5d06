/* SPDX-License-Identifier: Apache-2.0 */
/* A reader for each type of schema.h. */
#include "config/value.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/mute_time.h"
#include "base/buf.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/zone.h"
#include "config/ini.h"
#include "config/listen.h"
#include "config/schema.h"
#include "config/source.h"
#include "model/job.h"

#define BLANKS " \t"
#define SHOWN 80 /* bytes of a bad value in a message */
#define CHOICES_MAX 256
#define FREE_PERCENT_MAX 99
#define TEXT_MAX (INI_LINE_MAX - 64) /* together with its key it must fit into a line */

void value_done(struct source_value *value)
{
	for (size_t i = 0; i < value->item_count; i++)
		free(value->items[i]);
	free(value->items);
	calendar_free(value->calendar);
	mute_time_free(value->mute_time);
	free(value->text);
	*value = (struct source_value){ 0 };
}

static int set_text(struct source_value *v, const char *text)
{
	v->text = strdup(text);
	return v->text ? 0 : -ENOMEM;
}

/* The normal form of a path: no empty or "." components, no trailing slash. ".." is kept: what it
 * refers to depends on the file system, which must not be accessed here. */
static int set_clean_path(struct source_value *v, const char *path)
{
	struct buf b = BUF_INIT(JOB_PATH_MAX);

	for (const char *at = path; *at;) {
		at += strspn(at, "/");
		size_t len = strcspn(at, "/");
		bool is_empty = len == 0 || (len == 1 && at[0] == '.');
		if (!is_empty) {
			buf_add_char(&b, '/');
			buf_add(&b, at, len);
		}
		at += len;
	}
	if (b.len == 0)
		buf_add_char(&b, '/');
	return buf_take(&b, &v->text, NULL);
}

/* As in fstab(5). */
static bool is_device_tag(const char *text)
{
	static const char *const tags[] = { "UUID=", "LABEL=", "PARTUUID=", "PARTLABEL=" };

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (strncasecmp(text, tags[i], strlen(tags[i])) == 0)
			return true;
	return false;
}

static int read_path(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	size_t len = strlen(text);

	(void)key; /* paths have no range */
	if (len == 0)
		return error_set(reterr, -EINVAL,
			"the path is empty; expected an absolute path such as /mnt/backup");
	if (len > JOB_PATH_MAX)
		return error_set(reterr, -ERANGE, "the path is too long; expected at most %d bytes",
			JOB_PATH_MAX);
	if (text[0] == '"' || text[0] == '\'')
		return error_set(reterr, -EINVAL,
			"%.*s: expected an absolute path; did you mean it without quotes?", SHOWN,
			text);
	if (text[0] == '~')
		return error_set(reterr, -EINVAL,
			"%.*s: expected an absolute path; ~ is not replaced here", SHOWN, text);
	if (is_device_tag(text))
		return error_set(reterr, -EINVAL,
			"%.*s names a device; expected the directory on which it is mounted, with "
			"expect_source = %.*s to insist on it",
			SHOWN, text, SHOWN, text);
	if (text[0] != '/')
		return error_set(reterr, -EINVAL,
			"%.*s: expected an absolute path; did you mean /%.*s?", SHOWN, text, SHOWN,
			text);
	return set_clean_path(v, text);
}

static int read_count(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	int r = parse_uint(text, key->min, key->max, &v->number, reterr);

	return r < 0 ? r : set_text(v, text);
}

static int read_duration(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	int r = parse_duration(text, &v->number, reterr);

	if (r < 0)
		return r;
	if (v->number >= key->min && v->number <= key->max)
		return set_text(v, text);
	bool is_short = v->number < key->min;
	struct buf bound = BUF_INIT(64);
	format_duration(&bound, is_short ? key->min : key->max);
	r = error_set(reterr, -ERANGE, "%.*s is too %s; expected at %s %s", SHOWN, text,
		is_short ? "short" : "long", is_short ? "least" : "most", buf_text(&bound));
	buf_done(&bound);
	return r;
}

static int read_calendar(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	const struct zone_places places = zone_places_system();
	int r = 0;

	(void)key; /* no range */
	if (*text != '\0')
		r = calendar_parse(text, &places, &v->calendar, reterr);
	return r < 0 ? r : set_text(v, text);
}

static int read_boolean(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	bool is_yes;
	int r = parse_boolean(text, &is_yes, reterr);

	(void)key; /* no range */
	if (r < 0)
		return r;
	v->number = is_yes;
	return set_text(v, text);
}

static int read_log_level(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	static const char *const names[] = { "error", "warning", "notice", "info", "debug" };
	enum log_level level;

	(void)key; /* no range */
	if (log_parse_level(text, &level) == 0) {
		v->number = level;
		return set_text(v, text);
	}
	const char *meant = parse_suggest(text, names, sizeof(names) / sizeof(names[0]));
	return error_set(reterr, -EINVAL,
		"%.*s: expected error, warning, notice, info or debug%s%s%s", SHOWN, text,
		meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

static int read_free(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	size_t len = strlen(text);
	uint8_t percent = 0;

	(void)key; /* the range depends on the form */
	v->is_percent = len > 0 && text[len - 1] == '%';
	int r = v->is_percent ? parse_percent(text, &percent, reterr)
			      : parse_size(text, &v->number, reterr);
	if (r < 0)
		return r;
	if (percent > FREE_PERCENT_MAX)
		return error_set(reterr, -ERANGE,
			"%s leaves nothing to write; expected at most %d%%", text,
			FREE_PERCENT_MAX);
	if (v->is_percent) {
		v->number = percent;
		return set_text(v, text);
	}
	if (v->number > 0 && v->number <= 100)
		return error_set(reterr, -EINVAL,
			"%s bytes: expected a percentage or a size; did you mean %s%%?", text,
			text);
	if (v->number > INT64_MAX)
		return error_set(reterr, -ERANGE, "%.*s: no file system is so large", SHOWN, text);
	return set_text(v, text);
}

static int read_word(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	if (strpbrk(text, BLANKS))
		return error_set(
			reterr, -EINVAL, "%.*s: expected one word without blanks", SHOWN, text);
	if (strlen(text) > key->max)
		return error_set(reterr, -ERANGE, "%.*s is too long; expected at most %llu bytes",
			SHOWN, text, (unsigned long long)key->max);
	return set_text(v, text);
}

static int read_url(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	const char *rest = text;

	(void)key; /* no range */
	if (strncmp(text, "http://", 7) == 0)
		rest = text + 7;
	if (strncmp(text, "https://", 8) == 0)
		rest = text + 8;
	if (*text == '\0')
		return set_text(v, text);
	if (rest == text || strcspn(rest, "/") == 0)
		return error_set(reterr, -EINVAL,
			"%.*s: expected http://HOST or https://HOST, maybe with a port and a path",
			SHOWN, text);
	if (strpbrk(rest, " \t\"'<>\\`?#"))
		return error_set(reterr, -EINVAL,
			"%.*s: expected a plain address, without blanks, quotes, ? and #", SHOWN,
			text);
	return set_text(v, text);
}

/* Checks an entry of a list. */
typedef int entry_check(const char *entry, struct error *reterr);

static bool is_listed(const struct source_value *v, const char *entry)
{
	for (size_t i = 0; i < v->item_count; i++)
		if (strcmp(v->items[i], entry) == 0)
			return true;
	return false;
}

static int add_entry(struct source_value *v, const char *text, size_t len, entry_check *check,
	struct error *reterr)
{
	if (v->item_count == CONFIG_LIST_MAX)
		return error_set(
			reterr, -ERANGE, "too many entries; expected at most %d", CONFIG_LIST_MAX);
	char *entry = strndup(text, len);
	if (!entry)
		return -ENOMEM;
	int r = check(entry, reterr);
	if (r == 0 && is_listed(v, entry))
		r = error_set(reterr, -EINVAL, "%.*s is listed twice", SHOWN, entry);
	if (r < 0) {
		free(entry);
		return r;
	}
	v->items[v->item_count++] = entry;
	return 0;
}

/* Splits at commas. An empty text is an empty list. */
static int read_list(
	const char *text, struct source_value *v, entry_check *check, struct error *reterr)
{
	const char *at = text;

	if (*text == '\0')
		return set_text(v, text);
	v->items = calloc(CONFIG_LIST_MAX, sizeof(*v->items));
	if (!v->items)
		return -ENOMEM;
	v->item_count = 0;
	for (;;) {
		at += strspn(at, BLANKS);
		const char *end = strchrnul(at, ',');
		size_t len = (size_t)(end - at);
		while (len > 0 && strchr(BLANKS, at[len - 1]))
			len--;
		if (len == 0)
			return error_set(reterr, -EINVAL,
				"%.*s: an entry is empty; expected entries separated by single commas",
				SHOWN, text);
		int r = add_entry(v, at, len, check, reterr);
		if (r < 0)
			return r;
		if (*end == '\0')
			return set_text(v, text);
		at = end + 1;
	}
}

static int read_names(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	(void)key; /* no range */
	if (*text == '\0')
		return error_set(reterr, -EINVAL,
			"the list is empty; expected names of [probe] sections or presets");
	return read_list(text, v, parse_name, reterr);
}

static int read_addresses(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	(void)key; /* no range */
	return read_list(text, v, listen_check, reterr);
}

static int check_host(const char *entry, struct error *reterr)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
	struct in6_addr address;

	if (entry[strspn(entry, allowed)] == '\0' || inet_pton(AF_INET6, entry, &address) == 1)
		return 0;
	return error_set(reterr, -EINVAL,
		"%.*s: expected a host name or address without scheme, port and path, such as "
		"backup1.example.org",
		SHOWN, entry);
}

static int read_hosts(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	(void)key; /* no range */
	return read_list(text, v, check_host, reterr);
}

static int read_size(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	int r = parse_size(text, &v->number, reterr);

	if (r < 0)
		return r;
	bool is_none = key->takes_zero && v->number == 0;
	if (is_none || (v->number >= key->min && v->number <= key->max))
		return set_text(v, text);
	bool is_small = v->number < key->min;
	bool is_bare = is_small && text[strspn(text, "0123456789")] == '\0';
	struct buf bound = BUF_INIT(64);
	format_size(&bound, is_small ? key->min : key->max);
	r = error_set(reterr, -ERANGE, "%.*s is too %s; expected at %s %s%s%s%.*s%s", SHOWN, text,
		is_small ? "little" : "much", is_small ? "least" : "most", buf_text(&bound),
		key->takes_zero && is_small ? ", or 0 for no bound" : "",
		is_bare ? "; did you mean " : "", is_bare ? SHOWN : 0, text, is_bare ? "G?" : "");
	buf_done(&bound);
	return r;
}

static int read_label(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	int r = *text != '\0' ? parse_name(text, reterr) : 0;

	(void)key; /* no range */
	return r < 0 ? r : set_text(v, text);
}

static int read_when_busy(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	(void)key; /* no range */
	if (strcmp(text, "run") == 0)
		v->number = CONFIG_BUSY_RUN;
	else if (strcmp(text, "skip") == 0)
		v->number = CONFIG_BUSY_SKIP;
	else
		return error_set(reterr, -EINVAL, "%.*s: expected auto, run or skip", SHOWN, text);
	return set_text(v, text);
}

static int read_labels(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	(void)key; /* no range */
	return read_list(text, v, parse_name, reterr);
}

static int read_mute_time(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	const struct zone_places places = zone_places_system();
	int r = mute_time_parse(text, &places, &v->mute_time, reterr);

	(void)key; /* no range */
	return r < 0 ? r : set_text(v, text);
}

static int read_condition(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	struct condition condition;
	int r = condition_parse_relative(text, &condition, reterr);

	(void)key; /* no range */
	return r < 0 ? r : set_text(v, text);
}

static int read_hold(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	struct rule_hold hold;
	int r = custom_parse_hold(text, &hold, reterr);

	(void)key; /* no range */
	return r < 0 ? r : set_text(v, text);
}

static int read_clear(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	struct condition condition;
	uint8_t runs;
	int r = *text != '\0' ? custom_parse_clear(text, &condition, &runs, reterr) : 0;

	(void)key; /* no range */
	return r < 0 ? r : set_text(v, text);
}

static int refuse_choice(const struct schema_key *key, const char *text, struct error *reterr)
{
	struct buf words = BUF_INIT(CHOICES_MAX);
	size_t count = 0;

	while (key->choices[count])
		count++;
	for (size_t i = 0; i < count; i++)
		buf_printf(&words, "%s%s", i == 0 ? "" : (i + 1 == count ? " or " : ", "),
			key->choices[i]);
	const char *meant = parse_suggest(text, key->choices, count);
	int r = error_set(reterr, -EINVAL, "%.*s: expected %s%s%s%s", SHOWN, text, buf_text(&words),
		meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
	buf_done(&words);
	return r;
}

static int read_choice(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	for (size_t i = 0; key->choices[i]; i++) {
		if (strcmp(key->choices[i], text) != 0)
			continue;
		v->number = i;
		return set_text(v, text);
	}
	return refuse_choice(key, text, reterr);
}

static int read_text(const struct schema_key *key, const char *text, struct source_value *v,
	struct error *reterr)
{
	if (strlen(text) > key->max || !parse_is_utf8(text))
		return error_set(reterr, -EINVAL, "expected at most %llu bytes of UTF-8",
			(unsigned long long)key->max);
	return set_text(v, text);
}

static int check_duration(const char *entry, struct error *reterr)
{
	uint64_t usec;

	return parse_duration(entry, &usec, reterr);
}

/* Each within the key's range, and later than the one before. */
static int check_confirmations(
	const struct schema_key *key, const struct source_value *v, struct error *reterr)
{
	uint64_t before_usec = 0;

	if (v->item_count > CONFIG_CONFIRMATIONS_MAX)
		return error_set(reterr, -ERANGE, "too many entries; expected at most %d",
			CONFIG_CONFIRMATIONS_MAX);
	for (size_t i = 0; i < v->item_count; i++) {
		struct source_value one = { 0 };
		int r = read_duration(key, v->items[i], &one, reterr);
		value_done(&one);
		if (r < 0)
			return r;
		uint64_t usec = 0;
		(void)parse_duration(v->items[i], &usec, NULL); /* just read */
		if (usec <= before_usec)
			return error_set(reterr, -EINVAL,
				"%.*s is not greater than the entry before it; expected ascending times",
				SHOWN, v->items[i]);
		before_usec = usec;
	}
	return 0;
}

static int read_confirmations(const struct schema_key *key, const char *text,
	struct source_value *v, struct error *reterr)
{
	if (strcmp(text, "0") == 0 || strcmp(text, "0s") == 0)
		return set_text(v, text);
	if (*text == '\0')
		return error_set(reterr, -EINVAL, "the list is empty; expected times, or 0: never");
	int r = read_list(text, v, check_duration, reterr);
	return r < 0 ? r : check_confirmations(key, v, reterr);
}

/* A name or a path could contain one, but hardly with blanks on both sides. */
static bool has_comment(const char *text)
{
	for (const char *at = strpbrk(text, "#;"); at; at = strpbrk(at + 1, "#;"))
		if (at > text && strchr(BLANKS, at[-1]) && at[1] != '\0' && strchr(BLANKS, at[1]))
			return true;
	return false;
}

int value_read(const struct schema_key *key, const char *text, struct source_value *ret,
	struct error *reterr)
{
	static int (*const readers[SCHEMA_TYPES])(
		const struct schema_key *, const char *, struct source_value *, struct error *) = {
		[SCHEMA_PATH] = read_path,
		[SCHEMA_COUNT] = read_count,
		[SCHEMA_DURATION] = read_duration,
		[SCHEMA_CALENDAR] = read_calendar,
		[SCHEMA_BOOLEAN] = read_boolean,
		[SCHEMA_LOG_LEVEL] = read_log_level,
		[SCHEMA_FREE] = read_free,
		[SCHEMA_WORD] = read_word,
		[SCHEMA_URL] = read_url,
		[SCHEMA_NAMES] = read_names,
		[SCHEMA_ADDRESSES] = read_addresses,
		[SCHEMA_HOSTS] = read_hosts,
		[SCHEMA_SIZE] = read_size,
		[SCHEMA_LABEL] = read_label,
		[SCHEMA_WHEN_BUSY] = read_when_busy,
		[SCHEMA_CONFIRMATIONS] = read_confirmations,
		[SCHEMA_LABELS] = read_labels,
		[SCHEMA_MUTE_TIME] = read_mute_time,
		[SCHEMA_CHOICE] = read_choice,
		[SCHEMA_TEXT] = read_text,
		[SCHEMA_CONDITION] = read_condition,
		[SCHEMA_HOLD] = read_hold,
		[SCHEMA_CLEAR] = read_clear,
	};
	int r;

	if (key->takes_auto && strcmp(text, "auto") == 0) {
		ret->is_auto = true;
		return set_text(ret, text);
	}
	if (strlen(text) > TEXT_MAX)
		return error_set(reterr, -ERANGE,
			"%s: the value is too long; expected at most %d bytes", key->name,
			TEXT_MAX);
	r = readers[key->type](key, text, ret, reterr);
	if (r == 0 && key->type != SCHEMA_TEXT && has_comment(text))
		r = error_set(reterr, -EINVAL, "%.*s: no comment can follow a value", SHOWN, text);
	if (r < 0) {
		value_done(ret);
		return r == -ENOMEM ? r : error_prefix(reterr, r, "%s", key->name);
	}
	return 0;
}
