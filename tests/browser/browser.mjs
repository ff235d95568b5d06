// SPDX-License-Identifier: Apache-2.0
// A real Chromium, and pages that remember everything a good page must not do.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';

export function launch() {
	return chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
			'--disable-component-update', '--disable-sync'],
	});
}

/** What went wrong on a page, and what it asked for. */
export class Watch {
	constructor(page, url) {
		this.errors = [];
		this.requests = [];
		this.answers = [];
		page.on('console', (message) => {
			if (message.type() === 'error' || message.type() === 'warning')
				this.errors.push(`console: ${message.text()}`);
		});
		page.on('pageerror', (error) => this.errors.push(`exception: ${error.stack}`));
		page.on('request', (request) => {
			this.requests.push(request.url());
			if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
				this.errors.push(`request elsewhere: ${request.url()}`);
		});
		page.on('response', (response) => this.answers.push([response.url(), response.status()]));
	}

	statuses(part) {
		return this.answers.filter(([url]) => url.includes(part)).map(([, status]) => status);
	}

	check() {
		assert.deepEqual(this.errors, []);
	}
}

/** A page in a context of its own. options: colorScheme, viewport, timezoneId … */
export async function open(browser, url, options = {}, query = '') {
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'Europe/Berlin', locale: 'en-GB', ...options });
	const page = await context.newPage();
	const watch = new Watch(page, url);

	// Violations of the policy are console errors too; here they are named.
	await page.addInitScript(() => {
		document.addEventListener('securitypolicyviolation', (event) => {
			console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
		});
	});
	await page.goto(url + query);
	return { context, page, watch };
}

/** How many runs the graph of a repository shows: points of its first line that are numbers. */
export function pointCount(page, repository) {
	return page.evaluate((name) => {
		const canvas = document.querySelector(`[data-repository="${CSS.escape(name)}"] canvas`);
		const chart = canvas && !canvas.hidden ? Chart.getChart(canvas) : null;
		const line = chart?.data.datasets.find((set) => set.kind === 'avg');
		return line ? line.data.filter((point) => point.y !== null).length : 0;
	}, repository);
}

export function failedCount(page, repository) {
	return page.evaluate((name) => {
		const canvas = document.querySelector(`[data-repository="${CSS.escape(name)}"] canvas`);
		return Chart.getChart(canvas)?.data.datasets.find((set) => set.kind === 'failed').data.length ?? 0;
	}, repository);
}

/** Kept beside the results for people to look at; not compared. */
export async function picture(page, name) {
	const directory = process.env.REPOPROBE_PICTURES;

	if (!directory)
		return;
	await mkdir(directory, { recursive: true });
	await page.screenshot({ path: path.join(directory, `${name}.png`), fullPage: true });
}
