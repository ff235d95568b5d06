// SPDX-License-Identifier: Apache-2.0
// One probe's trend on the page: fetches its series, shows graph, legend and table, and knows when
// they are out of date.
import { address, fetchSeries, now } from './api.mjs';
import { TrendChart } from './chart.mjs';
import { el, setHidden, setText } from './dom.mjs';
import { clock, instant, latency, roughly, shortLatency, words } from './format.mjs';
import { onThemeChange } from './theme.mjs';

const POINTS = 600;
const TABLE_ROWS = 60;
// A run is shown shortly before it is committed, so its series is requested again.
const RETRIES = 5;
const YOUNG_SHARE = 6;
const YOUNG_MS = 120e3;

export const ranges = { '1h': 3600, '6h': 6 * 3600, '24h': 86400, '7d': 7 * 86400 };

/** Series with a shared list of failed runs, in the form that the graph takes. */
function toTrend(answers, view, probe) {
	const failed = new Set();
	let spacing = probe.interval_seconds;

	const series = answers.map((answer) => {
		const columns = answer.series;
		const time = columns.time.map((seconds) => seconds * 1000);
		columns.counts.failed.forEach((count, i) => {
			if (count > 0)
				failed.add(time[i]);
		});
		if (time.length > POINTS / 2)
			spacing = Math.max(spacing, (view.to - view.from) / 1000 / POINTS);
		return { operation: answer.operation, time, avg: columns.avg, p50: columns.p50, p95: columns.p95, p99: columns.p99 };
	});
	const first = Math.min(view.to * 1000, ...failed, ...series.map((s) => s.time[0] ?? Infinity));
	return {
		...axis(view, first),
		series,
		failed: [...failed].sort((a, b) => a - b),
		gap: Math.max(3.2 * spacing, 30) * 1000,
		limit: probe.limit_seconds,
		limitCritical: probe.limit_critical_seconds,
		scale: view.scale,
	};
}

/**
 * The time axis. A history much shorter than the range still fills the graph, so that the first
 * minutes of a new repository are readable.
 */
function axis(view, first) {
	const from = view.from * 1000;
	const to = view.to * 1000;
	const isShort = first < to && to - first < (to - from) / YOUNG_SHARE;

	return { from: isShort ? Math.max(from, to - Math.max(YOUNG_MS, 1.05 * (to - first))) : from, to, first, isShort, asked: from };
}

function newestTime(trend) {
	return Math.max(0, ...trend.series.map((s) => s.time[s.time.length - 1] ?? 0));
}

/** Rows of the table: one per instant, newest first. */
function rowsOf(trend) {
	const rows = new Map();

	for (const series of trend.series)
		series.time.forEach((time, i) => {
			const row = rows.get(time) ?? {};
			row[series.operation] = { avg: series.avg[i], p50: series.p50[i], p95: series.p95[i], p99: series.p99[i] };
			rows.set(time, row);
		});
	return [...rows.entries()].sort((a, b) => b[0] - a[0]);
}

export class TrendFigure {
	/**
	 * @param {string} repository
	 * @param {*} probe of the overview
	 * @param {{view: () => {range: string, scale: string}, announce: (text: string) => void}} page
	 */
	constructor(repository, probe, page) {
		this.repository = repository;
		this.probe = probe;
		this.page = page;
		this.operations = operationsOf(probe);
		this.isVisible = false;
		this.isAsking = false;
		this.shownFor = '';
		this.triesLeft = RETRIES;
		this.trend = null;
		this.build();
		this.chart = new TrendChart(this.canvas);
		this.observer = new IntersectionObserver((entries) => {
			this.isVisible = entries.some((entry) => entry.isIntersecting);
			this.refresh();
		}, { rootMargin: '400px' });
		this.observer.observe(this.root);
		this.forgetTheme = onThemeChange(() => this.draw());
	}

	build() {
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas', {
			role: 'img', tabindex: '0', 'aria-label': '',
			on: { keydown: (event) => this.onKey(event), blur: () => this.chart.leave() },
		}));
		this.empty = el('p', { class: 'trend-empty' });
		this.title = el('span', { class: 'trend-title' });
		this.legend = el('span', { class: 'legend' });
		this.tableBody = el('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': `Runs of ${this.probe.name} on ${this.repository}` });
		this.details = /** @type {HTMLDetailsElement} */ (el('details', { class: 'trend-table', on: { toggle: () => this.fillTable() } },
			el('summary', {}, 'As a table'), this.tableBody));
		this.root = el('figure', { class: 'trend' },
			el('figcaption', {}, this.title, this.legend),
			el('div', { class: 'trend-canvas' }, this.canvas, this.empty),
			this.details);
		this.fillLegend();
	}

	fillLegend() {
		const key = (className, text) => el('span', { class: 'key' }, el('span', { class: `swatch ${className}`, 'aria-hidden': 'true' }), text);

		this.legend.replaceChildren(
			...this.operations.map((operation) => key(`swatch-${operation}`, `${operation} average`)),
			key(`swatch-band ${this.operations.length > 1 ? 'swatch-both' : `swatch-${this.operations[0]}`}`, 'p50 to p95'));
		this.failedKey = key('swatch-failed', 'failed run');
		this.legend.append(this.failedKey);
	}

	onKey(event) {
		const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

		if (event.key === 'Escape')
			this.chart.leave();
		if (!(event.key in steps))
			return;
		event.preventDefault();
		const said = this.chart.move(steps[event.key]);
		if (said)
			this.page.announce(said);
	}

	/** A key of what the graph would show now, for comparison. */
	wanted() {
		const { range } = this.page.view();
		const run = this.probe.last_run;
		return `${range} ${run ? `${run.id} ${run.started} ${run.status}` : ''}`;
	}

	update(probe) {
		const old = JSON.stringify([this.probe.limit_seconds, this.probe.limit_critical_seconds]);

		this.probe = probe;
		if (this.trend && old !== JSON.stringify([probe.limit_seconds, probe.limit_critical_seconds])) {
			this.trend.limit = probe.limit_seconds;
			this.trend.limitCritical = probe.limit_critical_seconds;
			this.draw();
		}
		this.refresh();
	}

	/** Requests the series if the graph is on the screen and lacks the newest run. */
	async refresh() {
		const wanted = this.wanted();

		this.showEmpty();
		if (!this.isVisible || this.isAsking || this.shownFor === wanted || !this.probe.last_run)
			return;
		this.isAsking = true;
		try {
			await this.ask();
			if (this.isCurrent() || this.triesLeft-- <= 0) {
				this.shownFor = wanted;
				this.triesLeft = RETRIES;
			}
			this.error = null;
		} catch (error) {
			this.error = error;
		}
		this.isAsking = false;
		this.showEmpty();
		if (wanted !== this.wanted())
			this.refresh();
	}

	async ask() {
		const { range, scale } = this.page.view();
		const to = Math.ceil(now() / 1000) + 1;
		const view = { from: to - ranges[range], to, scale };

		const answers = await Promise.all(this.operations.map((operation) => fetchSeries({
			repository: this.repository, probe: this.probe.name, operation,
			from: String(view.from), to: String(view.to), points: String(POINTS),
		})));
		this.trend = toTrend(answers, view, this.probe);
		this.draw();
		this.fillTable();
	}

	/** True if the newest run is among the points. Skipped runs have none. */
	isCurrent() {
		const run = this.probe.last_run;
		const span = (this.trend.to - this.trend.asked) / POINTS;
		const started = Date.parse(run.started);

		return run.status === 'skipped' || started < this.trend.asked || newestTime(this.trend) + span + 1000 >= started;
	}

	draw() {
		if (!this.trend)
			return;
		this.trend.scale = this.page.view().scale;
		this.chart.show(this.trend);
		this.describe();
	}

	/** Advances the time, also while nothing is measured. */
	slide() {
		if (!this.trend || !this.isVisible || document.activeElement === this.canvas)
			return;
		this.trend.to = now();
		if (!this.trend.isShort)
			this.trend.from = this.trend.to - ranges[this.page.view().range] * 1000;
		this.chart.slide(this.trend.from, this.trend.to);
	}

	describe() {
		const { range } = this.page.view();
		const parts = this.trend.series.map((s) => {
			const values = s.avg.filter((v) => v !== null);
			if (values.length === 0)
				return `no ${s.operation}`;
			const low = values.reduce((a, b) => Math.min(a, b));
			const high = values.reduce((a, b) => Math.max(a, b));
			return `${s.operation} average between ${latency(low)} and ${latency(high)}`;
		});
		const limit = this.trend.limit ? `; limit ${shortLatency(this.trend.limit)}` : '';
		const failed = this.trend.failed.length > 0 ? `; ${this.trend.failed.length} failed` : '';

		this.canvas.setAttribute('aria-label',
			`Latency of ${this.probe.name} on ${this.repository}, last ${range}: ${parts.join('; ')}${limit}${failed}. Arrow keys move through the runs.`);
		setText(this.title, this.trend.isShort ? `Latency of all runs, since ${clock(this.trend.first)}` : `Latency, last ${range.replace(/(\d+)/, '$1 ')}`);
		setHidden(this.failedKey, this.trend.failed.length === 0);
	}

	showEmpty() {
		const count = this.trend ? this.trend.series.reduce((sum, s) => sum + s.time.length, 0) : 0;
		let text = '';

		if (!this.probe.last_run)
			text = this.probe.is_running ? 'The first run is in progress: its result appears within seconds.' : this.waitingText();
		else if (this.error)
			text = `The history cannot be shown: ${this.error.message}`;
		else if (count === 0)
			text = this.trend ? 'No run in this range.' : 'Loading …';
		setText(this.empty, text);
		setHidden(this.empty, text === '');
		setHidden(this.canvas, text !== '');
		setHidden(this.details, count === 0);
		setHidden(this.legend, count === 0);
	}

	waitingText() {
		const seconds = this.probe.next_run ? (Date.parse(this.probe.next_run) - now()) / 1000 : 0;
		return seconds > 20 ? `No run yet: the first one starts in ${roughly(seconds)}.` : 'The first result appears within seconds.';
	}

	fillTable() {
		if (!this.details.open || !this.trend)
			return;
		const columns = [['avg', 'average'], ['p50', 'p50'], ['p95', 'p95'], ['p99', 'p99']];
		const head = el('tr', {}, el('th', { scope: 'col' }, 'Run'),
			...this.operations.flatMap((operation) => columns.map(([, name]) => el('th', { scope: 'col' }, `${operation} ${name}`))));
		const failed = new Set(this.trend.failed);
		const rows = rowsOf(this.trend);
		const body = rows.slice(0, TABLE_ROWS).map(([time, row]) => el('tr', {},
			el('th', { scope: 'row' }, instant(time), failed.has(time) ? el('span', { class: 'failed-word' }, ' failed') : null),
			...this.operations.flatMap((operation) => columns.map(([column]) => el('td', {}, latency(row[operation]?.[column]))))));
		const { range } = this.page.view();
		const links = this.operations.map((operation) => el('a', {
			href: address('series', { repository: this.repository, probe: this.probe.name, operation, from: `now-${range}`, points: '5000', format: 'csv' }),
			download: `${this.repository}-${this.probe.name}-${operation}.csv`,
		}, `${operation} as CSV`));

		this.tableBody.replaceChildren(
			el('p', { class: 'table-note' }, rows.length > TABLE_ROWS ? `The newest ${TABLE_ROWS} of ${rows.length} rows. ` : '', ...links.flatMap((link) => [link, ' '])),
			el('table', {}, el('thead', {}, head), el('tbody', {}, ...body)));
	}

	destroy() {
		this.observer.disconnect();
		this.forgetTheme();
		this.chart.destroy();
	}
}

/** The operations of a probe's workload, writes first, because backups mostly write. */
export function operationsOf(probe) {
	const percent = probe.workload?.write_percent ?? 100;
	return [...(percent > 0 ? ['write'] : []), ...(percent < 100 ? ['read'] : [])];
}

/** "ok", "not mounted" */
export function statusWords(run) {
	return words(run.status);
}
