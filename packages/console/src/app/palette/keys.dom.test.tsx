import { afterEach, expect, test } from 'vitest';
import { createSequence, isPaletteKey, isSingleKey } from './keys.ts';

afterEach(() => document.body.replaceChildren());

/** Returns the event as the window receives it. */
const press = (html: string, selector: string, init: KeyboardEventInit): KeyboardEvent => {
  document.body.innerHTML = html;
  let seen: KeyboardEvent | undefined;
  addEventListener('keydown', (event) => (seen = event), { once: true });
  document.querySelector(selector)?.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...init }));
  if (!seen) throw new Error('The key did not arrive');
  return seen;
};

test.each([
  ['<main></main>', 'main', true],
  ['<a href="/x">x</a>', 'a', true],
  ['<input type="checkbox">', 'input', true],
  ['<input>', 'input', false],
  ['<textarea></textarea>', 'textarea', false],
  ['<button role="combobox"></button>', 'button', false],
  ['<div role="menu"><a href="/x">x</a></div>', 'a', false],
  ['<main></main><div role="dialog"></div>', 'main', false],
])('on %s, %s: %s', (html, selector, expected) => expect(isSingleKey(press(html, selector, { key: 'g' }))).toBe(expected));

test.each([
  [{ key: 'g', ctrlKey: true }, false],
  [{ key: 'g', altKey: true }, false],
  [{ key: 'g', repeat: true }, false],
  [{ key: '[', altKey: true }, true],
  [{ key: '?', shiftKey: true }, true],
])('%j', (init, expected) => expect(isSingleKey(press('<main></main>', 'main', init))).toBe(expected));

test.each([
  [{ key: 'k', ctrlKey: true }, true],
  [{ key: 'K', metaKey: true }, true],
  [{ key: 'k', ctrlKey: true, shiftKey: true }, false],
  [{ key: 'k' }, false],
])('%j opens the palette: %s', (init, expected) => expect(isPaletteKey(press('<input>', 'input', init))).toBe(expected));

test('G waits for its letter, but not for long', () => {
  let now = 0;
  const read = createSequence(() => now);
  expect([read('g'), read('L'), read('l')]).toEqual(['g', 'g l', 'l']);
  read('g');
  now += 2000;
  expect(read('l')).toBe('l');
});
