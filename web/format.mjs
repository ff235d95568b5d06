// SPDX-License-Identifier: Apache-2.0
// Numbers and instants as text. Pure except for the browser's time zone and language.

const NOTHING = '–';

function digits(value) {
	const size = Math.abs(value);
	return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** "840 µs", "2.31 ms", "23.9 ms", "1.20 s" */
export function latency(seconds) {
	if (seconds === null || seconds === undefined)
		return NOTHING;
	if (seconds < 0.0009995)
		return `${Math.round(seconds * 1e6)} µs`;
	return seconds < 0.9995 ? `${digits(seconds * 1e3)} ms` : `${digits(seconds)} s`;
}

/** For limits and axes: no trailing zeros. "15 ms", "1.5 s" */
export function shortLatency(seconds) {
	if (seconds === 0)
		return '0';
	const [unit, factor] = seconds < 0.00099999 ? ['µs', 1e6] : seconds < 0.99999 ? ['ms', 1e3] : ['s', 1];
	return `${Number((seconds * factor).toPrecision(3))} ${unit}`;
}

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** "1.4 GiB" */
export function size(bytes) {
	let i = 0;
	let value = bytes;

	for (; value >= 999.5 && i < sizes.length - 1; i++)
		value /= 1024;
	return `${i === 0 ? value : digits(value)} ${sizes[i]}`;
}

export function rate(bytesPerSecond) {
	return bytesPerSecond === undefined ? NOTHING : `${size(bytesPerSecond)}/s`;
}

export function perSecond(iops) {
	if (iops === undefined || iops === null)
		return NOTHING;
	return iops >= 10000 ? `${digits(iops / 1000)} k` : iops >= 100 ? String(Math.round(iops)) : digits(iops);
}

const spans = [[86400, 'd', 3600, 'h'], [3600, 'h', 60, 'min'], [60, 'min', 1, 's']];

/** Two units at most: "12 s", "3 min 20 s", "2 h 5 min", "4 d 3 h" */
export function duration(seconds) {
	const whole = Math.max(0, Math.round(seconds));

	for (const [big, bigName, small, smallName] of spans)
		if (whole >= big) {
			const rest = Math.floor((whole % big) / small);
			return `${Math.floor(whole / big)} ${bigName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
		}
	return `${whole} s`;
}

/** One unit, for ages: "12 s", "3 min", "2 h", "4 d" */
export function roughly(seconds) {
	const whole = Math.max(0, Math.round(seconds));

	if (whole < 60)
		return `${whole} s`;
	if (whole < 3600)
		return `${Math.floor(whole / 60)} min`;
	return whole < 172800 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86400)} d`;
}

const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockSecondsFormat = new Intl.DateTimeFormat(undefined,
	{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const fullFormat = new Intl.DateTimeFormat(undefined, {
	year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit',
	hourCycle: 'h23', timeZoneName: 'short',
});

export const clock = (ms) => clockFormat.format(ms);
export const clockSeconds = (ms) => clockSecondsFormat.format(ms);
export const day = (ms) => dayFormat.format(ms);
export const instant = (ms) => fullFormat.format(ms);
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A text of the daemon for the page: first letter in upper case, units as in the page's tables. */
export function sentence(text) {
	return text ? text[0].toUpperCase() + text.slice(1).replace(/(\d) us\b/g, '$1 µs') : '';
}

/** "not_mounted" as "not mounted". */
export function words(name) {
	return name.replaceAll('_', ' ');
}
