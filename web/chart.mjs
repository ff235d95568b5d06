// SPDX-License-Identifier: Apache-2.0
// The trend graph: averages as lines over a band from p50 to p95 (the "smoke"), the limits, failed runs.
// A thin layer over Chart.js, which the page loads as a classic script; knows neither API nor page.
import { clock, day, instant, latency, shortLatency } from './format.mjs';
import { colour } from './theme.mjs';

/* global Chart */

/**
 * @typedef {Object} Series
 * @property {string} operation
 * @property {number[]} time in ms
 * @property {Array<number|null>} avg in seconds, like p50 and p95
 * @property {Array<number|null>} p50
 * @property {Array<number|null>} p95
 *
 * @typedef {Object} Trend
 * @property {number} from in ms
 * @property {number} to in ms
 * @property {Series[]} series
 * @property {number[]} failed times in ms
 * @property {number} gap longest time between two connected points, in ms
 * @property {number|null} limit in seconds
 * @property {number|null} limitCritical in seconds
 * @property {'log'|'linear'} scale
 */

const AXIS_WIDTH = 60;
const MINUTE = 60e3;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const steps = [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR,
	6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY];

/** Round instants in the browser's time zone; uses local fields, so days of 23 and 25 hours are right. */
function timeTicks(min, max, count) {
	const step = steps.find((s) => (max - min) / s <= count) ?? steps[steps.length - 1];
	const start = new Date(min);
	const ticks = [];

	for (let i = 0; i < 2000; i++) {
		const at = step >= DAY
			? new Date(start.getFullYear(), start.getMonth(), start.getDate() + (i * step) / DAY)
			: new Date(start.getFullYear(), start.getMonth(), start.getDate(), 0, (i * step) / MINUTE);
		if (at.getTime() > max)
			break;
		if (at.getTime() >= min)
			ticks.push({ value: at.getTime() });
	}
	return ticks;
}

function timeLabel(ms) {
	const at = new Date(ms);
	return at.getHours() === 0 && at.getMinutes() === 0 ? day(ms) : clock(ms);
}

/** …, 1, 2, 5, 10, … between two values. */
function roundValues(min, max) {
	const values = [];

	for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); power++)
		for (const factor of [1, 2, 5])
			values.push(Number(`${factor}e${power}`));
	return values;
}

function roundDown(value) {
	return roundValues(value / 10, value).filter((v) => v <= value * 1.0001).pop();
}

function roundUp(value) {
	return roundValues(value, value * 10).find((v) => v >= value * 0.9999);
}

/** The range of the y axis. A limit far above all measurements is shown on a log axis only. */
function valueRange(trend) {
	const values = trend.series.flatMap((s) => [...s.avg, ...s.p50, ...s.p95]).filter((v) => v !== null && v > 0);
	const limits = [trend.limit, trend.limitCritical].filter((v) => v !== null);

	if (values.length === 0)
		values.push(...(limits.length > 0 ? limits : [0.001]));
	const top = values.reduce((a, b) => Math.max(a, b));
	const bottom = values.reduce((a, b) => Math.min(a, b));
	if (trend.scale === 'linear') {
		const shown = limits.filter((v) => v <= 3 * top);
		return { min: 0, max: Math.max(top, ...shown) * 1.12 };
	}
	const first = trend.limit ?? top;
	const max = roundUp(Math.max(top, first, trend.limitCritical && trend.limitCritical <= 4 * top ? trend.limitCritical : 0) * 1.15);
	const min = roundDown(Math.min(bottom, first) * 0.9);
	return { min: max / min < 8 ? max / 10 : min, max };
}

function valueTicks(scale, trend) {
	if (trend.scale === 'linear') {
		const step = roundUp((scale.max - scale.min) / 5);
		return Array.from({ length: 12 }, (_, i) => ({ value: i * step })).filter((t) => t.value <= scale.max);
	}
	const all = roundValues(scale.min, scale.max).filter((v) => v >= scale.min * 0.999 && v <= scale.max * 1.001);
	const decades = all.filter((v) => Math.abs(Math.log10(v) % 1) < 1e-9);
	return (all.length > 8 && decades.length > 2 ? decades : all).map((value) => ({ value }));
}

/** Points with a null wherever the line must break: no numbers, or too long a gap. */
function points(series, values, gap) {
	const result = [];

	series.time.forEach((x, i) => {
		if (i > 0 && x - series.time[i - 1] > gap)
			result.push({ x: series.time[i - 1] + 1, y: null });
		result.push({ x, y: values[i] });
	});
	return result;
}

function isAlone(data, i) {
	return (data[i - 1]?.y ?? null) === null && (data[i + 1]?.y ?? null) === null;
}

function withAlpha(hex, alpha) {
	const value = Number.parseInt(hex.slice(1), 16);
	return `rgba(${value >> 16}, ${(value >> 8) & 255}, ${value & 255}, ${alpha})`;
}

function lineOf(series, trend) {
	const tint = colour(series.operation);
	const isSparse = series.time.length <= 40;

	return {
		label: series.operation,
		kind: 'avg',
		series,
		data: points(series, series.avg, trend.gap),
		borderColor: tint,
		backgroundColor: tint,
		borderWidth: 1.75,
		borderDash: series.operation === 'read' ? [5, 3] : [],
		pointStyle: series.operation === 'read' ? 'rectRot' : 'circle',
		pointRadius: (context) => (isSparse || isAlone(context.dataset.data, context.dataIndex) ? 2.25 : 0),
		pointHoverRadius: 5,
		pointHitRadius: 8,
		tension: 0,
		order: 1,
	};
}

function bandOf(series, trend) {
	const common = { pointRadius: 0, pointHoverRadius: 0, borderWidth: 0, tension: 0, order: 2, kind: 'band' };

	return [
		{ ...common, label: 'p50', data: points(series, series.p50, trend.gap), fill: false },
		{
			...common, label: 'p95', data: points(series, series.p95, trend.gap), fill: '-1',
			backgroundColor: withAlpha(colour(series.operation), 0.17),
		},
	];
}

function failuresOf(trend, range) {
	return {
		label: 'failed',
		kind: 'failed',
		data: trend.failed.map((x) => ({ x, y: range.min })),
		showLine: false,
		pointStyle: 'crossRot',
		pointRadius: 5,
		pointHoverRadius: 7,
		borderWidth: 2,
		borderColor: colour('critical'),
		pointBorderWidth: 2,
		clip: 8,
		order: 0,
	};
}

function datasets(trend, range) {
	return [
		...trend.series.flatMap((s) => bandOf(s, trend)),
		...trend.series.map((s) => lineOf(s, trend)),
		failuresOf(trend, range),
	];
}

const LABEL_HEIGHT = 16;

/** Horizontal lines for the limits, each labelled with its value, not by colour alone. */
const limitLines = {
	id: 'limitLines',
	beforeDatasetsDraw(chart) {
		const { chartArea, scales } = chart;
		const { limit, limitCritical } = chart.$trend;
		const height = (seconds) => scales.y.getPixelForValue(seconds);
		// If two lines are too close for two labels between them, one label moves to the other side.
		const isNarrow = limit !== null && limitCritical !== null && height(limit) - height(limitCritical) < 2 * LABEL_HEIGHT;
		const hasRoomAbove = (seconds) => height(seconds) - chartArea.top >= LABEL_HEIGHT;

		if (limitCritical !== null)
			drawLimit(chart, limitCritical, 'critical', [2, 3], { isBelow: !hasRoomAbove(limitCritical), isRight: isNarrow && !hasRoomAbove(limitCritical) });
		if (limit !== null)
			drawLimit(chart, limit, 'warning', [6, 4], { isBelow: isNarrow || !hasRoomAbove(limit), isRight: false });
	},
};

function drawLimit(chart, seconds, name, dash, label) {
	const { ctx, chartArea, scales } = chart;

	if (seconds > scales.y.max || seconds < scales.y.min)
		return;
	const y = scales.y.getPixelForValue(seconds);
	ctx.save();
	ctx.strokeStyle = colour(name);
	ctx.setLineDash(dash);
	ctx.lineWidth = 1.25;
	ctx.beginPath();
	ctx.moveTo(chartArea.left, y);
	ctx.lineTo(chartArea.right, y);
	ctx.stroke();
	ctx.fillStyle = colour(name);
	ctx.font = `600 10.5px ${chart.options.font.family}`;
	ctx.textAlign = label.isRight ? 'right' : 'left';
	ctx.textBaseline = label.isBelow ? 'top' : 'bottom';
	ctx.fillText(
		`${name === 'warning' ? 'limit' : 'critical'} ${shortLatency(seconds)}`,
		label.isRight ? chartArea.right - 6 : chartArea.left + 6,
		y + (label.isBelow ? 3 : -2),
	);
	ctx.restore();
}

/** A point without neighbours has no band: a vertical bar shows its p50 to p95 instead. */
const whiskers = {
	id: 'whiskers',
	beforeDatasetsDraw(chart) {
		const { ctx, scales } = chart;
		for (const { kind, data, series } of chart.data.datasets) {
			if (kind !== 'avg')
				continue;
			ctx.save();
			ctx.fillStyle = withAlpha(colour(series.operation), 0.3);
			data.forEach(({ x, y }, i) => {
				if (y === null || !isAlone(data, i))
					return;
				const at = series.time.indexOf(x);
				const top = scales.y.getPixelForValue(series.p95[at]);
				ctx.fillRect(scales.x.getPixelForValue(x) - 2, top, 4, scales.y.getPixelForValue(series.p50[at]) - top);
			});
			ctx.restore();
		}
	},
};

/** A thin vertical line at the selected point. */
const cursorLine = {
	id: 'cursorLine',
	beforeDatasetsDraw(chart) {
		const [active] = chart.getActiveElements();
		if (!active)
			return;
		const { ctx, chartArea } = chart;
		ctx.save();
		ctx.strokeStyle = colour('muted');
		ctx.globalAlpha = 0.55;
		ctx.beginPath();
		ctx.moveTo(active.element.x, chartArea.top);
		ctx.lineTo(active.element.x, chartArea.bottom);
		ctx.stroke();
		ctx.restore();
	},
};

function describe(dataset, index) {
	if (dataset.kind === 'failed')
		return 'a run failed';
	const at = dataset.series.time.indexOf(dataset.data[index].x);
	const of = (column) => latency(dataset.series[column][at]);
	return `${dataset.label} ${of('avg')} average, p50 ${of('p50')}, p95 ${of('p95')}`;
}

function options(trend, range) {
	const text = colour('muted');
	const grid = colour('grid');
	const family = getComputedStyle(document.body).fontFamily;

	return {
		animation: false,
		responsive: true,
		maintainAspectRatio: false,
		font: { family, size: 11 },
		interaction: { mode: 'nearest', axis: 'x', intersect: false },
		layout: { padding: { top: 4, right: 4 } },
		scales: {
			x: {
				type: 'linear',
				min: trend.from,
				max: trend.to,
				grid: { color: grid, drawBorder: false, tickLength: 0 },
				ticks: { color: text, maxRotation: 0, padding: 6, font: { size: 11, family }, callback: timeLabel },
				afterBuildTicks: (scale) => {
					scale.ticks = timeTicks(scale.min, scale.max, Math.max(2, Math.floor(scale.chart.width / 80)));
				},
			},
			y: {
				type: trend.scale === 'linear' ? 'linear' : 'logarithmic',
				min: range.min,
				max: range.max,
				grid: { color: grid, drawBorder: false, tickLength: 0 },
				ticks: { color: text, padding: 6, autoSkip: false, font: { size: 11, family }, callback: (v) => shortLatency(v) },
				afterBuildTicks: (scale) => {
					scale.ticks = valueTicks(scale, trend);
				},
				// The same for all graphs, so that their axes align.
				afterFit: (scale) => {
					scale.width = AXIS_WIDTH;
				},
			},
		},
		plugins: {
			legend: { display: false },
			tooltip: {
				filter: (item) => item.dataset.kind !== 'band',
				backgroundColor: colour('tip'),
				titleColor: colour('tip-text'),
				bodyColor: colour('tip-text'),
				padding: 9,
				cornerRadius: 6,
				titleFont: { family, size: 11 },
				bodyFont: { family, size: 12 },
				usePointStyle: true,
				callbacks: {
					title: (items) => (items.length > 0 ? instant(items[0].parsed.x) : ''),
					label: (item) => ` ${describe(item.dataset, item.dataIndex)}`,
				},
			},
		},
	};
}

export class TrendChart {
	/** @param {HTMLCanvasElement} canvas */
	constructor(canvas) {
		this.canvas = canvas;
		this.chart = null;
		this.cursor = -1;
	}

	/** @param {Trend} trend */
	show(trend) {
		const range = valueRange(trend);
		const data = { datasets: datasets(trend, range) };

		this.cursor = -1;
		if (this.chart) {
			this.chart.$trend = trend;
			this.chart.data = data;
			this.chart.options = options(trend, range);
			this.chart.update('none');
			return;
		}
		// Plugins draw during construction, so the trend must be set before.
		const early = { id: 'trend', beforeInit: (chart) => { chart.$trend = trend; } };
		this.chart = new Chart(this.canvas, {
			type: 'line',
			data,
			options: options(trend, range),
			plugins: [early, limitLines, whiskers, cursorLine],
		});
	}

	/** Advances the time axis without new data. */
	slide(from, to) {
		if (!this.chart)
			return;
		this.chart.options.scales.x.min = from;
		this.chart.options.scales.x.max = to;
		this.chart.update('none');
	}

	/**
	 * Moves the keyboard cursor by a number of points (±Infinity: to an end). Returns a description of
	 * that point, or null without one.
	 */
	move(by) {
		const sets = this.chart?.data.datasets ?? [];
		const stops = sets.flatMap((set, datasetIndex) => (set.kind === 'band' ? [] : set.data
			.map((point, index) => ({ datasetIndex, index, x: point.x, y: point.y }))
			.filter((stop) => stop.y !== null)))
			.sort((a, b) => a.x - b.x || a.datasetIndex - b.datasetIndex);

		if (stops.length === 0)
			return null;
		const start = this.cursor < 0 ? stops.length : this.cursor;
		this.cursor = Math.min(stops.length - 1, Math.max(0, start + by));
		const stop = stops[this.cursor];
		const element = [{ datasetIndex: stop.datasetIndex, index: stop.index }];
		this.chart.setActiveElements(element);
		this.chart.tooltip.setActiveElements(element, { x: 0, y: 0 });
		this.chart.update('none');
		return `${instant(stop.x)}: ${describe(sets[stop.datasetIndex], stop.index)}`;
	}

	leave() {
		this.cursor = -1;
		if (!this.chart)
			return;
		this.chart.setActiveElements([]);
		this.chart.tooltip.setActiveElements([], { x: 0, y: 0 });
		this.chart.update('none');
	}

	destroy() {
		this.chart?.destroy();
		this.chart = null;
	}
}
