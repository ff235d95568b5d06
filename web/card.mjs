// SPDX-License-Identifier: Apache-2.0
// A repository as a card with its probes as panels. Each keeps its elements and changes only what
// differs, so that scroll position, focus and open tables stay.
import { now } from './api.mjs';
import { el, icon, setChildren, setHidden, setText } from './dom.mjs';
import { duration, instant, latency, perSecond, rate, roughly, sentence, shortLatency, size, words } from './format.mjs';
import { TrendFigure, operationsOf } from './trend.mjs';

export const stateWords = { ok: 'OK', warning: 'Warning', critical: 'Critical', unknown: 'Unknown', paused: 'Paused' };

/** Text for each trust flag; is_plain: harmless. */
const trustTexts = {
	direct: { isPlain: true, text: 'past the page cache, as measured on the storage itself' },
	buffered: { text: 'through the page cache, as requested: not the storage alone' },
	fallback: { text: 'direct I/O was asked for but refused here, so these are buffered writes with a flush' },
	'cached?': { text: 'a cache probably answered: too fast to be the storage. Shown but not judged' },
	'compressed?': { text: 'the file system may compress the data' },
	split: { isPlain: true, text: 'the block layer cut the requests into smaller ones' },
	clamped: { text: 'something was reduced: the probe file stays smaller than it should be, or the run ended at its timeout' },
	short: { text: 'too few I/Os for a reliable p99' },
	warming: { text: 'the probe file is still growing to its full size: judged by the critical limit and for stalls alone' },
};

/** A set-up step that took at least this long is shown. */
const SETUP_TOLD_SECONDS = 1;

function ageOf(text) {
	return (now() - Date.parse(text)) / 1000;
}

/** A cell of an operation's row, filled later. Small screens show the label next to the number. */
function cell(label, className, ...children) {
	return el('td', { class: className, 'data-label': label }, ...children);
}

class OperationRow {
	constructor(operation) {
		this.bar = el('span', { class: 'meter-fill' });
		this.meter = el('span', { class: 'meter', 'aria-hidden': 'true' }, this.bar);
		this.share = el('span', { class: 'meter-text' });
		this.cells = {
			avg: cell('average', 'strong'),
			p95: cell('p95', 'p95'),
			p99: cell('p99', 'p99'),
			rate: cell('throughput', 'rate'),
			iops: cell('I/O per s', 'wide'),
		};
		this.root = el('tr', { 'data-operation': operation },
			el('th', { scope: 'row' }, el('span', { class: `dot dot-${operation}`, 'aria-hidden': 'true' }), sentence(operation)),
			this.cells.avg, cell('of limit', 'limit-cell', this.meter, this.share),
			this.cells.p95, this.cells.p99, this.cells.rate, this.cells.iops);
	}

	update(result, probe) {
		const isShort = probe.last_run?.trust.includes('short');

		setText(this.cells.avg, latency(result?.avg_seconds));
		setText(this.cells.p95, latency(result?.percentiles?.p95));
		setText(this.cells.p99, `${latency(result?.percentiles?.p99)}${result && isShort ? ' *' : ''}`);
		setText(this.cells.rate, rate(result?.throughput_bytes_per_second));
		setText(this.cells.iops, perSecond(result?.iops));
		this.updateLimit(result?.avg_seconds, probe.limit_seconds, probe.limit_critical_seconds);
	}

	updateLimit(average, limit, critical) {
		const isKnown = average !== undefined && limit !== null;

		setHidden(this.meter, !isKnown);
		setText(this.share, isKnown ? `${Math.round((100 * average) / limit)} %` : '–');
		if (!isKnown)
			return;
		this.bar.style.width = `${Math.min(100, (100 * average) / limit)}%`;
		const level = critical !== null && average > critical ? 'critical' : average > limit ? 'warning' : 'ok';
		this.meter.dataset.level = level;
		this.share.dataset.level = level;
	}
}

class ProbePanel {
	/** @param {string} above text that the card shows already */
	constructor(repository, probe, above, page) {
		this.trend = new TrendFigure(repository, probe, page);
		this.statusLabel = el('span', { class: 'when' }, 'Last run');
		this.status = el('span', { class: 'pill' });
		this.age = el('time', { class: 'when' });
		this.next = el('span', { class: 'when' });
		this.description = el('p', { class: 'probe-description' });
		this.limit = el('span', { class: 'limit-text' });
		this.reason = el('p', { class: 'probe-reason' });
		this.setup = el('p', { class: 'setup-text' });
		this.trust = el('ul', { class: 'trust', 'aria-label': 'How far these numbers can be trusted' });
		this.rows = operationsOf(probe).map((operation) => [operation, new OperationRow(operation)]);
		this.table = el('table', { class: 'numbers' },
			el('caption', { class: 'unseen' }, `Newest run of ${probe.name} on ${repository}`),
			el('thead', {}, el('tr', {}, el('td', {}),
				...['Average', 'of limit', 'p95', 'p99', 'Throughput'].map((text) => el('th', { scope: 'col' }, text)),
				el('th', { scope: 'col', class: 'wide' }, 'I/O per s'))),
			el('tbody', {}, ...this.rows.map(([, row]) => row.root)));
		this.root = el('section', { class: 'probe', 'data-probe': probe.name, 'aria-label': `Probe ${probe.name} of ${repository}` },
			el('div', { class: 'probe-head' },
				el('div', { class: 'probe-names' }, el('h3', {}, probe.name), this.description),
				el('div', { class: 'probe-times' }, this.statusLabel, this.status, this.age, this.next)),
			el('div', { class: 'probe-body' },
				el('div', { class: 'probe-facts' }, this.reason, this.table, this.setup, this.limit, this.trust),
				this.trend.root));
		this.update(probe, above);
	}

	update(probe, above) {
		this.probe = probe;
		const run = probe.last_run;

		const when = probe.schedule ? `at ${probe.schedule}` : `every ${duration(probe.interval_seconds)}`;
		setText(this.description, `${probe.description}, ${when}`);
		for (const [operation, row] of this.rows)
			row.update(run?.operations?.[operation], probe);
		setText(this.limit, this.limitText());
		setText(this.setup, this.setupText(run));
		setHidden(this.setup, this.setup.textContent === '');
		const reason = run && run.status !== 'ok' ? sentence(run.reason ?? '') : '';
		setText(this.reason, reason);
		setHidden(this.reason, reason === '' || reason === above);
		setHidden(this.table, !run || !this.rows.some(([operation]) => run.operations?.[operation]));
		this.updateTrust(run);
		this.tick();
		this.trend.update(probe);
	}

	/** Shows nothing for a set-up of normal duration. */
	setupText(run) {
		if (!run || !(run.setup_longest_seconds >= SETUP_TOLD_SECONDS))
			return '';
		return `${sentence(run.setup_step_text)} took ${latency(run.setup_longest_seconds)}; `
			+ `the first I/O came after ${latency(run.setup_seconds)}.`;
	}

	limitText() {
		const { limit_seconds: limit, limit_critical_seconds: critical, limit_reason: reason } = this.probe;
		const why = reason ? ` (${reason})` : '';

		if (limit === null)
			return `No limit: not judged${why}.`;
		return `Limit ${shortLatency(limit)}${critical === null ? '' : `, critical ${shortLatency(critical)}`}, on the average of a run${why}.`;
	}

	updateTrust(run) {
		const flags = run?.trust ?? [];
		const shown = flags.join(' ');

		if (this.trust.dataset.flags === shown)
			return;
		this.trust.dataset.flags = shown;
		this.trust.replaceChildren(...flags.map((flag) => {
			const known = trustTexts[flag] ?? { text: '' };
			return el('li', { 'data-plain': Boolean(known.isPlain) },
				el('span', { class: 'chip' }, flag), known.text ? ` ${known.text}` : '');
		}));
		setHidden(this.trust, flags.length === 0);
	}

	/** Updates what changes every second. */
	tick() {
		const { probe } = this;
		const run = probe.last_run;
		const state = probe.stuck_since ? 'stuck' : run ? run.status : 'waiting';

		setHidden(this.statusLabel, state === 'waiting');
		setHidden(this.status, state === 'waiting' && probe.is_running);
		setText(this.status, words(state));
		this.status.dataset.status = state;
		this.tickAge(run);
		setText(this.next, this.nextText());
		this.next.dataset.running = String(probe.is_running);
	}

	tickAge(run) {
		setHidden(this.age, !run);
		if (!run)
			return;
		setText(this.age, `${roughly(ageOf(run.started))} ago`);
		if (this.age.getAttribute('datetime') !== run.started) {
			this.age.setAttribute('datetime', run.started);
			this.age.title = `Newest run: ${instant(Date.parse(run.started))}`;
		}
	}

	nextText() {
		const { probe } = this;

		if (probe.stuck_since)
			return `for ${duration(ageOf(probe.stuck_since))}`;
		if (probe.is_running)
			return 'running now';
		if (!probe.next_run)
			return '';
		const seconds = -ageOf(probe.next_run);
		return seconds <= 1 ? 'next: due now' : `next in ${duration(seconds)}`;
	}

	destroy() {
		this.trend.destroy();
	}
}

export class RepositoryCard {
	constructor(repository, page) {
		this.page = page;
		this.panels = new Map();
		this.state = el('p', { class: 'state' });
		this.reason = el('p', { class: 'reason' });
		this.notes = el('ul', { class: 'notes', 'aria-label': 'Firing alarms, acknowledgement and mute' });
		this.target = el('p', { class: 'target' });
		this.path = el('span', { class: 'path' });
		this.probes = el('div', { class: 'probes' });
		this.root = el('article', { class: 'card', 'data-repository': repository.name, 'aria-label': `Repository ${repository.name}` },
			el('div', { class: 'card-head' },
				this.state,
				el('div', { class: 'card-names' }, el('h2', {}, repository.name), this.path),
				this.target),
			this.reason,
			this.notes,
			this.probes);
		this.update(repository);
	}

	update(repository) {
		this.updateState(repository.state);
		setText(this.path, repository.path);
		const reason = sentence(repository.reason ?? '');
		setText(this.reason, reason);
		this.updateNotes(notesOf(repository));
		setText(this.target, targetText(repository.target));
		const names = repository.probes.map((probe) => probe.name);
		for (const [name, panel] of this.panels)
			if (!names.includes(name)) {
				panel.destroy();
				this.panels.delete(name);
			}
		for (const probe of repository.probes) {
			const panel = this.panels.get(probe.name);
			// Another workload has other rows, so the panel is rebuilt.
			if (panel && String(operationsOf(panel.probe)) === String(operationsOf(probe))) {
				panel.update(probe, reason);
				continue;
			}
			panel?.destroy();
			this.panels.set(probe.name, new ProbePanel(repository.name, probe, reason, this.page));
		}
		setChildren(this.probes, names.map((name) => this.panels.get(name).root));
	}

	updateState(state) {
		if (this.root.dataset.state === state)
			return;
		this.root.dataset.state = state;
		this.state.replaceChildren(icon(state), el('span', {}, stateWords[state] ?? state));
	}

	/** @param {Note[]} notes */
	updateNotes(notes) {
		const shown = JSON.stringify(notes);

		if (this.notes.dataset.shown === shown)
			return;
		this.notes.dataset.shown = shown;
		this.notes.replaceChildren(...notes.map(({ chip, level, text }) =>
			el('li', {}, el('span', { class: 'chip', 'data-level': level ?? null }, chip), ` ${text}`)));
		setHidden(this.notes, notes.length === 0);
	}

	tick() {
		for (const panel of this.panels.values())
			panel.tick();
	}

	refresh() {
		for (const panel of this.panels.values()) {
			panel.trend.draw();
			panel.trend.refresh();
		}
	}

	/** Requests again what was missing. */
	refreshLate() {
		for (const panel of this.panels.values())
			panel.trend.refresh();
	}

	slide() {
		for (const panel of this.panels.values())
			panel.trend.slide();
	}

	destroy() {
		for (const panel of this.panels.values())
			panel.destroy();
	}
}

function targetText(target) {
	if (!target)
		return '';
	const what = [target.fs_type, target.source].filter(Boolean).join(' on ');
	const free = target.size_bytes > 0 ? `${size(target.free_bytes)} of ${size(target.size_bytes)} free` : '';
	return [what, free].filter(Boolean).join(' · ');
}

/**
 * A line below the reason.
 * @typedef {{chip: string, level?: string, text: string}} Note
 */

/** @returns {Note} */
function seriesNote(series) {
	const parts = [`${series.operation} of ${series.probe}, average ${latency(series.avg_seconds)}`];

	if (series.limit_seconds > 0)
		parts.push(`limit ${shortLatency(series.limit_seconds)}`);
	if (series.normal_seconds !== null)
		parts.push(`normal ${latency(series.normal_seconds)}`);
	parts.push(`since ${instant(Date.parse(series.since))}`);
	return { chip: words(series.alarm), level: series.level, text: parts.join(', ') };
}

/** @returns {Note} */
function groupNote({ name, others, repositories }) {
	const more = others > repositories.length ? ` and ${others - repositories.length} more` : '';

	return { chip: `with ${others} other${others === 1 ? '' : 's'} on ${name}`, text: `${repositories.join(', ')}${more}` };
}

/** @returns {Note[]} */
function notesOf({ incident, mute }) {
	const notes = (incident?.series ?? []).map(seriesNote);

	for (const run of incident?.runs ?? [])
		notes.push({ chip: words(run.alarm), level: run.level, text: `runs of ${run.probe}, since ${instant(Date.parse(run.since))}` });
	for (const alarm of incident?.alarms ?? [])
		notes.push({ chip: alarm.alarm, level: alarm.level, text: `${alarm.operation} of ${alarm.probe}, since ${instant(Date.parse(alarm.since))}` });
	if (incident?.group)
		notes.push(groupNote(incident.group));
	if (incident?.acknowledged)
		notes.push({ chip: 'acknowledged', text: 'no more messages unless it gets worse' });
	if (mute)
		notes.push({
			chip: mute.mode === 'pause' ? 'not probed' : 'muted',
			text: `until ${instant(Date.parse(mute.until))}${mute.reason ? `: ${mute.reason}` : ''}`,
		});
	return notes;
}
