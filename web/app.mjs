// SPDX-License-Identifier: Apache-2.0
// The page: polls the overview while it is visible and keeps one card per repository, worst first.
import { fetchOverview, now } from './api.mjs';
import { RepositoryCard, stateWords } from './card.mjs';
import { el, icon, segments, setChildren, setHidden, setText } from './dom.mjs';
import { clockSeconds, duration, sentence, zone } from './format.mjs';
import { setTheme, theme } from './theme.mjs';
import { ranges } from './trend.mjs';

const POLL_MS = 5000;
const POLL_BUSY_MS = 1000;
const SLIDE_MS = 20000;
const severity = ['critical', 'warning', 'unknown', 'paused', 'ok'];

const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const cards = new Map();
let overview = null;
let heardMs = 0;
let failure = '';
let timer = 0;

/* --- The view, kept in the address ---------------------------------------------------------------- */

function readView() {
	const query = new URLSearchParams(location.search);
	const range = query.get('range') ?? '';
	return {
		range: Object.hasOwn(ranges, range) ? range : '24h',
		scale: query.get('scale') === 'linear' ? 'linear' : 'log',
	};
}

let view = readView();

function setView(change) {
	view = { ...view, ...change };
	const url = new URL(location.href);
	for (const [key, usual] of [['range', '24h'], ['scale', 'log']])
		if (view[key] === usual)
			url.searchParams.delete(key);
		else
			url.searchParams.set(key, view[key]);
	history.replaceState(null, '', url);
	for (const card of cards.values())
		card.refresh();
}

function announce(text) {
	setText(byId('live'), text);
}

const page = { view: () => view, announce };

/* --- Showing ------------------------------------------------------------------------------------- */

function worst() {
	const states = overview.repositories.map((repository) => repository.state);
	return severity.find((state) => states.includes(state)) ?? 'unknown';
}

function showVerdict() {
	const state = worst();
	const text = sentence(overview.verdict);
	const line = byId('verdict-line');

	if (line.dataset.shown !== `${state} ${text}`) {
		line.dataset.shown = `${state} ${text}`;
		line.replaceChildren(icon(state), el('span', {}, text));
		byId('verdict').dataset.state = state;
	}
	document.title = `${text} – repoprobe`;
}

/** Announces changes since the last overview to screen readers. */
function announceChanges(before) {
	const old = new Map(before.repositories.map((repository) => [repository.name, repository.state]));
	const changed = overview.repositories.filter((repository) => old.has(repository.name) && old.get(repository.name) !== repository.state);

	if (changed.length > 0)
		announce(changed.map((r) => `${r.name} is now ${stateWords[r.state] ?? r.state}: ${r.reason}`).join('. '));
}

function showCards() {
	const order = [...overview.repositories].sort((a, b) =>
		severity.indexOf(a.state) - severity.indexOf(b.state) || a.name.localeCompare(b.name));
	const names = order.map((repository) => repository.name);

	for (const [name, card] of cards)
		if (!names.includes(name)) {
			card.destroy();
			cards.delete(name);
		}
	for (const repository of order)
		if (cards.has(repository.name))
			cards.get(repository.name).update(repository);
		else
			cards.set(repository.name, new RepositoryCard(repository, page));
	setChildren(byId('repositories'), names.length > 0 ? names.map((name) => cards.get(name).root) : [nothingConfigured()]);
}

function nothingConfigured() {
	return el('div', { class: 'nothing' },
		el('h2', {}, 'No repository is configured'),
		el('p', {}, 'Start the daemon with ', el('code', {}, 'repoprobed --repository NAME=PATH'), ', or add a section ',
			el('code', {}, '[repository NAME]'), ' with ', el('code', {}, 'path = PATH'), ' to its configuration.'));
}

function showBanners() {
	const texts = (overview?.banners ?? []).map((banner) => sentence(banner.text ?? banner));

	if (failure)
		texts.unshift(`The daemon does not answer: ${failure}.${heardMs > 0 ? ` This is what it said at ${clockSeconds(heardMs)}.` : ''}`);
	const shown = texts.join('\n');
	const banners = byId('banners');
	if (banners.dataset.shown === shown)
		return;
	banners.dataset.shown = shown;
	banners.replaceChildren(...texts.map((text) => el('p', { class: 'banner', role: 'status' }, icon('warning'), el('span', {}, text))));
	document.body.classList.toggle('is-stale', failure !== '');
}

function showFoot() {
	const ran = duration((now() - Date.parse(overview.started)) / 1000);
	byId('foot').replaceChildren(
		el('span', {}, `repoprobe ${overview.version}, running for ${ran}`),
		el('span', {}, `Times in ${zone()}`),
		el('span', {}, el('a', { href: 'metrics' }, 'Metrics'), ' · ', el('a', { href: 'api/v1/overview' }, 'API')));
}

function show(next) {
	const before = overview;

	overview = next;
	showVerdict();
	showCards();
	showFoot();
	if (before)
		announceChanges(before);
}

function tick() {
	const seconds = Math.round((Date.now() - heardMs) / 1000);

	if (heardMs > 0)
		setText(byId('verdict-note'), seconds < 8 ? `Live · ${clockSeconds(now())}` : `Last update ${duration(seconds)} ago`);
	for (const card of cards.values())
		card.tick();
}

/* --- Polling, only while the page is visible ------------------------------------------------------ */

/** True if a result is due soon: then the next poll is sooner. Most responses are 304. */
function isBusy() {
	return !overview || overview.repositories.some((repository) =>
		repository.probes.some((probe) => probe.is_running || !probe.last_run));
}

async function poll() {
	clearTimeout(timer);
	try {
		const next = await fetchOverview();
		failure = '';
		heardMs = Date.now();
		if (next)
			show(next);
		else
			for (const card of cards.values())
				card.refreshLate();
	} catch (error) {
		failure = error instanceof TypeError ? 'it cannot be reached' : error.message;
		if (!overview)
			setText(byId('verdict-line'), 'Waiting for the daemon …');
	}
	showBanners();
	tick();
	clearTimeout(timer);
	if (!document.hidden)
		timer = setTimeout(poll, isBusy() ? POLL_BUSY_MS : POLL_MS);
}

function buildTools() {
	byId('tools').append(
		segments('range', 'Time range', [['1h', '1 h'], ['6h', '6 h'], ['24h', '24 h'], ['7d', '7 d']], view.range, (range) => setView({ range })),
		segments('scale', 'Latency axis', [['log', 'Log'], ['linear', 'Linear']], view.scale, (scale) => setView({ scale })),
		segments('theme', 'Colours', [['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']], theme(), setTheme));
	setHidden(byId('tools'), false);
}

buildTools();
document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : poll()));
setInterval(() => document.hidden || tick(), 1000);
setInterval(() => document.hidden || cards.forEach((card) => card.slide()), SLIDE_MS);
poll();
