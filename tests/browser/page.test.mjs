// SPDX-License-Identifier: Apache-2.0
// The page as people meet it: the first result, news without a reload, trouble, and what is kept.
import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { failedCount, launch, open, picture, pointCount } from './browser.mjs';
import { Daemon, quick, waitFor } from './daemon.mjs';

const limit = { timeout: 180000 };
const daemons = [];
let browser;

before(async () => { browser = await launch(); });
after(async () => {
	await browser?.close();
	await Promise.all(daemons.map((daemon) => daemon.destroy()));
});

async function start(names, probes) {
	const daemon = await Daemon.start(names, probes);
	daemons.push(daemon);
	return daemon;
}

const card = (page, name) => page.locator('.card').filter({ has: page.getByRole('heading', { name, exact: true }) });

test('the first result appears by itself on a page that was there before it', limit, async () => {
	const daemon = await start(['demo']);
	const { context, page, watch } = await open(browser, daemon.url);

	await waitFor(async () => (await pointCount(page, 'demo')) >= 1, 'the first point');
	assert.equal((await card(page, 'demo').locator('.state').textContent()), 'OK');
	assert.match(await page.locator('#verdict-line').textContent(), /is healthy/);
	assert.match(await page.title(), /is healthy – repoprobe/);
	assert.match(await card(page, 'demo').locator('[data-operation="write"] .strong').textContent(), /^[\d.]+ (µs|ms|s)$/);
	assert.match(await card(page, 'demo').locator('[data-operation="read"] .limit-cell').textContent(), /^\d+ %$/);
	assert.ok(await card(page, 'demo').locator('.trust li').count() > 0);
	await picture(page, 'first-result');
	watch.check();
	await context.close();
});

test('a new run becomes a new point without a reload, and unchanged overviews are not sent again', limit, async () => {
	const daemon = await start(['demo']);
	const { context, page, watch } = await open(browser, daemon.url);

	await waitFor(async () => (await pointCount(page, 'demo')) >= 1, 'the first point');
	await page.evaluate(() => { window.isSamePage = true; });
	const count = await pointCount(page, 'demo');
	await daemon.probe(0);
	await waitFor(async () => (await pointCount(page, 'demo')) === count + 1, 'one point more');
	assert.equal(await page.evaluate(() => window.isSamePage), true);

	// Nothing happens now: the series are not asked for again and the overview is a 304.
	await waitFor(() => watch.statuses('overview').slice(-2).every((status) => status === 304), 'two answers 304');
	const asked = watch.statuses('series').length;
	const polls = watch.statuses('overview').length;
	await waitFor(() => watch.statuses('overview').length >= polls + 2, 'two polls more');
	assert.equal(watch.statuses('series').length, asked);
	watch.check();
	await context.close();
});

test('trouble and its end are shown and said', limit, async () => {
	const daemon = await start(['steady', 'lost']);
	await daemon.probe(1);
	const { context, page, watch } = await open(browser, daemon.url);

	await waitFor(async () => (await pointCount(page, 'lost')) >= 1, 'the first point');
	await rename(daemon.repository(1), `${daemon.repository(1)}.away`);
	await daemon.probe(1);
	await waitFor(async () => (await card(page, 'lost').locator('.state').textContent()) === 'Critical', 'the critical state');
	const order = await page.locator('.card h2').allTextContents();
	assert.deepEqual(order, ['lost', 'steady']);
	await waitFor(async () => (await failedCount(page, 'lost')) === 1, 'the mark of the failed run');
	assert.match(await card(page, 'lost').locator('.reason').textContent(), /does not exist/);
	assert.equal(await card(page, 'lost').locator('.pill').textContent(), 'error');
	assert.match(await page.locator('#live').textContent(), /lost is now Critical/);
	await picture(page, 'trouble');

	await rename(`${daemon.repository(1)}.away`, daemon.repository(1));
	await daemon.probe(1);
	await waitFor(async () => (await card(page, 'lost').locator('.state').textContent()) === 'OK', 'the end of the trouble');
	watch.check();
	await context.close();
});

test('what fires, who takes care of it and what is muted stand in the card', limit, async () => {
	// Whatever takes longer than a microsecond is an incident, and an alarm of one's own with a name that is too long for a line.
	const name = `writes-of-the-night-${'very-'.repeat(12)}slow`;
	const alarm = `[alarm ${name}]\nwhen = write avg > 1us\nhold = 1 of 1\n`;
	const daemon = await start(['demo', 'beside'], `${quick.replace('[probe quick]', '[probe quick]\nlimit = 1us')}[defaults]\nconfirm_after = 0\n${alarm}`);
	for (let i = 0; i < 3; i++) {
		await daemon.probe(0);
		await daemon.probe(1);
	}
	const { context, page, watch } = await open(browser, daemon.url);
	const notes = card(page, 'demo').locator('.notes li');

	await waitFor(async () => (await notes.count()) >= 3, 'a note for reads, one for writes and one for the alarm');
	assert.match((await notes.allTextContents()).join('\n'), new RegExp(`${name} write of quick, since `));
	assert.match(await card(page, 'demo').locator('.limit-text').textContent(),
		/^Limit 1 µs, critical 2 µs, on the average of a run \(.*1us given in \[probe quick\]\)\.$/);
	await picture(page, 'incident');
	assert.match((await notes.allTextContents()).join('\n'), /limit write of quick, average .*, limit 1 µs, since /);
	assert.match((await notes.filter({ hasText: 'with 1 other on ' }).textContent()) ?? '', /beside$/);
	await daemon.tell('ack', 'demo');
	await daemon.tell('mute', 'demo', '--for=2h', '--reason=<b>new</b> firmware');
	await waitFor(async () => (await notes.filter({ hasText: 'muted until' }).count()) === 1, 'the mute');
	assert.match(await notes.filter({ hasText: 'muted until' }).textContent(), /: <b>new<\/b> firmware$/);
	assert.equal(await notes.filter({ hasText: 'acknowledged' }).count(), 1);
	await page.setViewportSize({ width: 390, height: 844 });
	// Nothing of it is wider than the window, nor cut off by the card.
	assert.deepEqual(await page.evaluate(() => [document.documentElement, ...document.querySelectorAll('.reason, .notes, .notes li, .chip, .limit-text')]
		.filter((element) => element.getBoundingClientRect().right > innerWidth || element.scrollWidth > innerWidth)
		.map((element) => element.className)), []);
	await picture(page, 'incident-phone');
	await daemon.tell('mute', 'demo', '--for=2h', '--pause', '--reason=new shelf');
	await waitFor(async () => (await card(page, 'demo').locator('.state').textContent()) === 'Paused', 'the pause');
	watch.check();
	await context.close();
});

test('a daemon that goes away is said, and found again', limit, async () => {
	const daemon = await start(['demo']);
	const { context, page } = await open(browser, daemon.url);

	await waitFor(async () => (await pointCount(page, 'demo')) >= 1, 'the first point');
	assert.equal(await daemon.end(), 0);
	await page.locator('.banner', { hasText: 'The daemon does not answer' }).waitFor();
	assert.equal(await card(page, 'demo').count(), 1);
	await daemon.launch();
	await page.locator('.banner').waitFor({ state: 'detached' });
	await waitFor(async () => (await pointCount(page, 'demo')) >= 1, 'the points of before');
	await context.close();
});

test('range and scale live in the address, the theme in the browser', limit, async () => {
	const daemon = await start(['demo']);
	const { context, page, watch } = await open(browser, daemon.url, { colorScheme: 'light' });

	await waitFor(async () => (await pointCount(page, 'demo')) >= 1, 'the first point');
	const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	await page.getByRole('radio', { name: '1 h' }).check({ force: true });
	await page.getByRole('radio', { name: 'Linear' }).check({ force: true });
	await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
	assert.equal(new URL(page.url()).search, '?range=1h&scale=linear');
	await waitFor(() => watch.requests.some((url) => {
		const query = new URL(url).searchParams;
		return Number(query.get('to')) - Number(query.get('from')) === 3600;
	}), 'the series of an hour');

	await page.reload();
	assert.ok(await page.getByRole('radio', { name: '1 h' }).isChecked());
	assert.ok(await page.getByRole('radio', { name: 'Linear' }).isChecked());
	assert.ok(await page.getByRole('radio', { name: 'Dark' }).isChecked());
	assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), light);
	await waitFor(async () => (await pointCount(page, 'demo')) >= 1, 'the first point again');
	assert.equal(await page.evaluate(() => Chart.getChart(document.querySelector('canvas')).options.scales.y.type), 'linear');
	watch.check();
	await context.close();
});

test('a name is text, whatever stands in it', limit, async () => {
	const name = '<img src=x onerror=alert(1)> "&amp;\' %00 ü';
	const daemon = await start([name]);
	const { context, page, watch } = await open(browser, daemon.url);

	await waitFor(async () => (await pointCount(page, name)) >= 1, 'the first point');
	assert.equal(await page.locator('.card h2').textContent(), name);
	assert.equal(await page.locator('main img').count(), 0);
	watch.check();
	await context.close();
});

test('the page works under a prefix of a proxy', limit, async () => {
	const daemon = await start(['demo']);
	const target = new URL(daemon.url);
	const proxy = http.createServer((request, response) => {
		if (!request.url.startsWith('/some/prefix/')) {
			response.writeHead(500).end();
			return;
		}
		const headers = { ...request.headers, host: target.host };
		const onward = http.request({ host: target.hostname, port: target.port, path: request.url.slice('/some/prefix'.length), headers }, (answer) => {
			response.writeHead(answer.statusCode, answer.headers);
			answer.pipe(response);
		});
		request.pipe(onward);
	});
	await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	const { context, page, watch } = await open(browser, `http://127.0.0.1:${proxy.address().port}/some/prefix/`);

	await waitFor(async () => (await pointCount(page, 'demo')) >= 1, 'the first point');
	watch.check();
	await context.close();
	proxy.close();
	proxy.closeAllConnections();
});

test('times are those of the browser, and its zone is named', limit, async () => {
	const daemon = await start(['demo']);

	for (const zone of ['Pacific/Auckland', 'America/St_Johns']) {
		const { context, page, watch } = await open(browser, daemon.url, { timezoneId: zone });
		await waitFor(async () => (await pointCount(page, 'demo')) >= 1, 'the first point');
		assert.match(await page.locator('#foot').textContent(), new RegExp(`Times in ${zone}`));
		const [run] = await daemon.runs(0);
		const expected = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(Date.parse(run.started));
		await page.getByText('As a table').click();
		assert.ok((await page.locator('.table-scroll tbody th').first().textContent()).includes(expected));
		watch.check();
		await context.close();
	}
});
