/* SPDX-License-Identifier: Apache-2.0 */
/* The words of messages beside the sentence of an incident, which is incident.c's. */
#include "report/message.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "report/report.h"
#include "report/text.h"

#define NAMES_BYTES 400 /* of a message's text */
#define TEXT_BYTES_MAX 8192 /* before it is cut */

static bool is_outage(enum alarm_reason reason)
{
	return reason == ALARM_REASON_HANG || reason == ALARM_REASON_NO_DATA;
}

static const char *state_text(const struct message_group *names)
{
	size_t slow = 0;
	size_t out = 0;

	for (size_t i = 0; i < names->count; i++) {
		slow += alarm_reason_is_slowness(names->events[i]->reason);
		out += is_outage(names->events[i]->reason);
	}
	if (slow == names->count)
		return "are slow";
	return out == names->count ? "do not answer" : "have trouble";
}

void report_message_group(const char *group, const struct message_group *names, struct buf *b)
{
	size_t begin = b->len;
	size_t i = 0;

	buf_printf(b, "%zu %srepositories on ", names->count, names->told > 0 ? "more " : "");
	text_add_clean(b, group);
	buf_printf(b, " %s: ", state_text(names));
	for (; i < names->count && (i == 0 || b->len - begin < NAMES_BYTES); i++) {
		buf_add_text(b, i > 0 ? ", " : "");
		text_add_clean(b, names->events[i]->repository);
	}
	if (i < names->count)
		buf_printf(b, " and %zu more", names->count - i);
	buf_add_text(b, "; ");
}

static void add(struct buf *text, const char *words)
{
	if (words)
		buf_add_text(text, words);
}

void report_message(struct message *ret, const char *channel, const struct incident_event *event,
	const struct message_words *words)
{
	struct buf text = BUF_INIT(TEXT_BYTES_MAX);

	memset(ret, 0, sizeof(*ret));
	(void)snprintf(ret->key, sizeof(ret->key), "%s/%lld/%u", channel,
		(long long)event->incident_id, event->sequence);
	(void)snprintf(ret->channel, sizeof(ret->channel), "%s", channel);
	ret->created_usec = event->time_usec;
	ret->event = *event;
	add(&text, words->before);
	report_incident_sentence(event, &text);
	add(&text, words->after);
	memcpy(ret->text, buf_text(&text), utf8_cut(buf_text(&text), MESSAGE_TEXT_MAX));
	buf_done(&text);
}
