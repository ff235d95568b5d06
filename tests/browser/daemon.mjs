// SPDX-License-Identifier: Apache-2.0
// The real daemon on temporary directories and a free port. Waits for events, never for time to pass.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const build = process.env.REPOPROBE_BUILD ?? 'build';
const run = promisify(execFile);
const PATIENCE_MS = 60000;

/** A probe that is over in a moment and, after the first time, runs only when asked for. */
export const quick = `
[probe quick]
block_size = 64K
write = 50
pattern = random
queue_depth = 1
max_ios = 24
warmup = 2
file_size = 4M
timeout = 20s
interval = 1h
`;

export async function waitFor(condition, what) {
	const end = Date.now() + PATIENCE_MS;

	for (;;) {
		const value = await condition();
		if (value)
			return value;
		if (Date.now() > end)
			throw new Error(`waited in vain for ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

export class Daemon {
	/**
	 * @param {string[]} names of repositories; each gets a directory of its own
	 * @param {string} probes what stands in the configuration beside them
	 */
	static async start(names, probes = quick) {
		const daemon = new Daemon();

		daemon.directory = await mkdtemp(path.join(os.tmpdir(), 'repoprobe-browser-'));
		daemon.names = names;
		const sections = names.map((name, i) => `[repository ${name}]\npath = ${daemon.repository(i)}\nprobes = quick\n`);
		for (let i = 0; i < names.length; i++)
			await mkdir(daemon.repository(i));
		await writeFile(path.join(daemon.directory, 'repoprobe.conf'), sections.join('') + probes);
		daemon.listen = '127.0.0.1:0';
		await daemon.launch();
		return daemon;
	}

	repository(i) {
		return path.join(this.directory, `repository-${i}`);
	}

	get arguments() {
		return ['--config', path.join(this.directory, 'repoprobe.conf'), '--state-directory', path.join(this.directory, 'state')];
	}

	async launch() {
		this.log = '';
		this.process = spawn(path.join(build, 'repoprobed'), ['--foreground', ...this.arguments, '--listen', this.listen],
			{ stdio: ['ignore', 'pipe', 'pipe'] });
		for (const stream of [this.process.stdout, this.process.stderr])
			stream.on('data', (data) => { this.log += data; });
		this.ended = new Promise((resolve) => this.process.on('exit', resolve));
		const [, url] = await waitFor(() => {
			if (this.process.exitCode !== null)
				throw new Error(`repoprobed ended:\n${this.log}`);
			return /dashboard at (http:\/\/\S+\/)/.exec(this.log);
		}, 'the address of the dashboard');
		this.url = url;
		// From now on at the same address, so that a page finds a daemon that is started again.
		this.listen = new URL(url).host;
		await waitFor(async () => (await fetch(`${url}api/v1/overview`)).ok, 'the first overview');
	}

	async overview() {
		return (await fetch(`${this.url}api/v1/overview`)).json();
	}

	/** Runs that are committed. */
	async runs(i) {
		const query = new URLSearchParams({ repository: this.names[i], limit: '1000' });
		return (await (await fetch(`${this.url}api/v1/runs?${query}`)).json()).runs;
	}

	/** Asks for one more run and waits until it is committed. */
	async probe(i) {
		const before = (await this.runs(i)).length;

		await run(path.join(build, 'repoprobe'), ['probe-now', ...this.arguments, this.names[i]]);
		return waitFor(async () => (await this.runs(i)).length > before, `another run of ${this.names[i]}:\n${this.log}`);
	}

	/** Any command for the control socket. */
	async tell(command, ...words) {
		return run(path.join(build, 'repoprobe'), [command, ...this.arguments, ...words]);
	}

	async end() {
		this.process.kill('SIGTERM');
		return this.ended;
	}

	async destroy() {
		if (this.process.exitCode === null)
			await this.end();
		await rm(this.directory, { recursive: true, force: true });
	}
}
