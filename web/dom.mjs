// SPDX-License-Identifier: Apache-2.0
// Builds the page's elements. Text is only inserted as text nodes, so no name can become markup.

/**
 * @param {string} tag
 * @param {Object<string, *>} [attributes] class, aria-*, …; `on` holds event listeners; null: left out
 * @param {...(Node|string|null)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
	const node = document.createElement(tag);
	setAttributes(node, attributes);
	node.append(...children.filter((child) => child !== null));
	return node;
}

function setAttributes(node, attributes) {
	for (const [name, value] of Object.entries(attributes)) {
		if (name === 'on')
			for (const [type, listener] of Object.entries(value))
				node.addEventListener(type, listener);
		else if (value !== null && value !== undefined && value !== false)
			node.setAttribute(name, value === true ? '' : String(value));
	}
}

const SVG = 'http://www.w3.org/2000/svg';

const shapes = {
	ok: 'M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19ZM7.5 12.3l3.1 3.1 6-6.4',
	warning: 'M12 3.2 22 20.5H2L12 3.2ZM12 9.5v5M12 17.4v.2',
	critical: 'M8.1 2.5h7.8l5.6 5.6v7.8l-5.6 5.6H8.1l-5.6-5.6V8.1l5.6-5.6ZM8.8 8.8l6.4 6.4M15.2 8.8l-6.4 6.4',
	unknown: 'M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19ZM9.2 9.4a2.8 2.8 0 1 1 4.3 2.4c-1 .6-1.5 1.1-1.5 2.2M12 17.2v.2',
	paused: 'M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19ZM9.8 8.5v7M14.2 8.5v7',
};

/** An icon next to a word of the same meaning: hidden from screen readers. */
export function icon(name) {
	const svg = document.createElementNS(SVG, 'svg');
	const path = document.createElementNS(SVG, 'path');

	setAttributes(svg, { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' });
	path.setAttribute('d', shapes[name] ?? shapes.unknown);
	svg.append(path);
	return svg;
}

/** Changes text only if it differs, to avoid a new layout or announcement. */
export function setText(node, text) {
	if (node.textContent !== text)
		node.textContent = text;
}

export function setHidden(node, isHidden) {
	if (node.hidden !== isHidden)
		node.hidden = isHidden;
}

/**
 * Puts the children in this order, moving only those out of place, so that a canvas or the focus survives.
 * @param {HTMLElement} parent
 * @param {HTMLElement[]} children
 */
export function setChildren(parent, children) {
	for (const old of [...parent.children])
		if (!children.includes(/** @type {HTMLElement} */ (old)))
			old.remove();
	children.forEach((child, i) => {
		if (parent.children[i] !== child)
			parent.insertBefore(child, parent.children[i] ?? null);
	});
}

/**
 * A row of radio buttons that looks like one control.
 * @param {string} name
 * @param {string} label for screen readers
 * @param {Array<[string, string]>} options value and text
 * @param {string} value the initial choice
 * @param {(value: string) => void} onChange
 */
export function segments(name, label, options, value, onChange) {
	return el('fieldset', { class: 'segments' },
		el('legend', { class: 'unseen' }, label),
		...options.map(([option, text]) => el('label', {},
			el('input', {
				type: 'radio', name, value: option, checked: option === value,
				on: { change: () => onChange(option) },
			}),
			el('span', {}, text))));
}
