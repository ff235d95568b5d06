// SPDX-License-Identifier: Apache-2.0
// WCAG 2.2 AA by axe in light, dark and on a phone; the keyboard; no sideways scrolling.
import assert from 'node:assert/strict';
import { readFile, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { launch, open, picture, pointCount } from './browser.mjs';
import { Daemon, waitFor } from './daemon.mjs';

const limit = { timeout: 180000 };
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const modes = {
	light: { colorScheme: 'light' },
	dark: { colorScheme: 'dark' },
	phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true },
	'phone-dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 }, hasTouch: true },
};
let browser;
let daemon;

before(async () => {
	browser = await launch();
	daemon = await Daemon.start(['good', 'lost']);
	await waitFor(async () => (await daemon.runs(0)).length > 0 && (await daemon.runs(1)).length > 0, 'the first runs');
	await rename(daemon.repository(1), `${daemon.repository(1)}.away`);
	await daemon.probe(1);
});
after(async () => {
	await browser?.close();
	await daemon?.destroy();
});

async function violations(page) {
	await page.evaluate(axe);
	const result = await page.evaluate(() => globalThis.axe.run(document, {
		runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
	}));
	assert.ok(result.passes.length > 20);
	return result.violations.map((v) => `${v.id}: ${v.nodes.map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`);
}

for (const [mode, options] of Object.entries(modes))
	test(`axe finds nothing: ${mode}`, limit, async () => {
		const { context, page, watch } = await open(browser, daemon.url, options);

		// On a phone this card is below the window, and a graph is drawn when it comes near.
		await page.locator('[data-repository="good"] .trend').scrollIntoViewIfNeeded();
		await waitFor(async () => (await pointCount(page, 'good')) >= 1, 'the first point');
		await page.locator('[data-repository="good"] summary').click();
		await page.locator('.table-scroll tbody tr').first().waitFor();
		assert.deepEqual(await violations(page), []);
		const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
		assert.ok(wide <= window, `the page is ${wide} wide in a window of ${window}`);
		await picture(page, `page-${mode}`);
		watch.check();
		await context.close();
	});

test('everything is reached with the keyboard, and the graph speaks', limit, async () => {
	const { context, page, watch } = await open(browser, daemon.url);
	const reached = [];

	await waitFor(async () => (await pointCount(page, 'good')) >= 1, 'the first point');
	for (let i = 0; i < 12; i++) {
		await page.keyboard.press('Tab');
		reached.push(await page.evaluate(() => document.activeElement.getAttribute('name') ?? document.activeElement.tagName));
		const outline = await page.evaluate(() => getComputedStyle(document.activeElement.matches('input') ? document.activeElement.nextElementSibling : document.activeElement).outlineStyle);
		if (reached[i] !== 'BODY')
			assert.notEqual(outline, 'none', `no focus ring on ${reached[i]}`);
	}
	assert.deepEqual(reached.slice(0, 4), ['A', 'range', 'scale', 'theme']);
	assert.ok(reached.includes('CANVAS') && reached.includes('SUMMARY'), String(reached));

	await page.locator('[data-repository="good"] canvas').focus();
	await page.keyboard.press('End');
	const said = await page.locator('#live').textContent();
	assert.match(said, /(write|read) [\d.]+ (µs|ms|s) average, p50 .*, p95 /);
	await page.keyboard.press('Home');
	await page.keyboard.press('ArrowRight');
	assert.ok((await page.locator('#live').textContent()).length > 20);
	assert.match(await page.locator('[data-repository="good"] canvas').getAttribute('aria-label'), /^Latency of quick on good, last 24h: write average between/);
	watch.check();
	await context.close();
});

test('the colours of the dark system and of the dark choice are the same', async () => {
	const css = await readFile(path.join(process.env.REPOPROBE_SOURCE ?? '../..', 'web/style.css'), 'utf8');
	const block = (selector) => css.slice(css.indexOf(selector)).match(/\{([^}]*)\}/)[1].split('\n').map((line) => line.trim()).filter(Boolean);

	const bySystem = block(':root:not([data-theme="light"])');
	assert.ok(bySystem.length > 20);
	assert.deepEqual(bySystem, block(':root[data-theme="dark"]'));
});
