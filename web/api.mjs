// SPDX-License-Identifier: Apache-2.0
// The daemon's API. Addresses are relative, so the page works under any prefix of a proxy.

/** Server time minus browser time in ms, from the Date header of the newest response. */
let offsetMs = 0;

export function now() {
	return Date.now() + offsetMs;
}

function learnTime(response) {
	const date = Date.parse(response.headers.get('Date') ?? '');
	// The header has a resolution of one second: a smaller difference is ignored.
	if (!Number.isNaN(date) && Math.abs(date - now()) > 1500)
		offsetMs = date - Date.now();
}

export function address(path, parameters = {}) {
	const query = new URLSearchParams(parameters).toString();
	return new URL(`api/v1/${path}${query ? `?${query}` : ''}`, document.baseURI).href;
}

async function failure(response) {
	try {
		return new Error((await response.json()).error.message);
	} catch {
		return new Error(`the daemon answered ${response.status}`);
	}
}

/** @type {string|null} */
let overviewTag = null;

/** The overview, or null if nothing changed since the last call. */
export async function fetchOverview() {
	const headers = overviewTag ? { 'If-None-Match': overviewTag } : {};
	const response = await fetch(address('overview'), { headers, cache: 'no-store' });

	learnTime(response);
	if (response.status === 304)
		return null;
	if (!response.ok)
		throw await failure(response);
	const overview = await response.json();
	overviewTag = response.headers.get('ETag');
	return overview;
}

const PARALLEL = 4;
let running = 0;
/** @type {Array<() => void>} */
const waiting = [];

/** At most PARALLEL requests at once: the daemon has few readers and answers 503 beyond their capacity. */
async function inTurn(question) {
	if (running >= PARALLEL)
		await new Promise((resolve) => waiting.push(/** @type {() => void} */ (resolve)));
	running++;
	try {
		return await question();
	} finally {
		running--;
		waiting.shift()?.();
	}
}

/**
 * Columns of one series.
 * @param {{repository: string, probe: string, operation: string, from: string, points: string}} parameters
 */
export function fetchSeries(parameters) {
	return inTurn(async () => {
		const response = await fetch(address('series', parameters), { cache: 'no-store' });
		if (!response.ok)
			throw await failure(response);
		return response.json();
	});
}
