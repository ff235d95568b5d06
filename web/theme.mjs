// SPDX-License-Identifier: Apache-2.0
// Light, dark, or the system's theme. The choice is stored in this browser only.

const KEY = 'repoprobe-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set();

function stored() {
	try {
		const value = localStorage.getItem(KEY);
		return value === 'light' || value === 'dark' ? value : 'auto';
	} catch {
		return 'auto'; // storage is disabled: no stored choice
	}
}

let choice = stored();

function apply() {
	if (choice === 'auto')
		delete document.documentElement.dataset.theme;
	else
		document.documentElement.dataset.theme = choice;
	for (const listener of listeners)
		listener();
}

export function theme() {
	return choice;
}

export function setTheme(value) {
	choice = value;
	try {
		if (value === 'auto')
			localStorage.removeItem(KEY);
		else
			localStorage.setItem(KEY, value);
	} catch {
		// storage is disabled: the choice lasts until the page is closed
	}
	apply();
}

/** Registers a function to be called whenever colours may have changed. */
export function onThemeChange(listener) {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** The value of a CSS variable, for canvases. */
export function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

system.addEventListener('change', apply);
apply();
