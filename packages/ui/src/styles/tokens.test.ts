// Computes the contrast of every color pair that the design guarantees from the stylesheet, in both themes (WCAG 2.2).
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const sheet = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const tokens = new Map(
  [...sheet.matchAll(/--([\w-]+): light-dark\((#[0-9A-F]{6}), (#[0-9A-F]{6})\)/gi)].map((match) => [match[1], [match[2], match[3]]]),
);

function luminance(hex: string): number {
  const channel = (shift: number) => {
    const value = ((Number.parseInt(hex.slice(1), 16) >> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ['canvas', 'surface', 'raised', 'sunken'];
/** Foreground and its minimum contrast on every background. */
const ON_GROUNDS: [string, number][] = [
  ['ink', 7],
  ['ink-2', 4.5],
  ['ink-3', 4.5],
  ['accent', 4.5],
  ['focus', 3],
  ['line-strong', 3],
  ['ok', 4.5],
  ['bad', 4.5],
  ['warn', 4.5],
];
const PAIRS: [string, string, number][] = [
  ...GROUNDS.flatMap((ground) => ON_GROUNDS.map(([ink, least]): [string, string, number] => [ink, ground, least])),
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-hover', 4.5],
  ['on-bad', 'bad-fill', 4.5],
  ['ok', 'ok-soft', 4.5],
  ['bad', 'bad-soft', 4.5],
  ['warn', 'warn-soft', 4.5],
  ['idle', 'idle-soft', 4.5],
  ['accent', 'accent-soft', 4.5],
  ['ink', 'accent-soft', 7],
  ['ink', 'diff-add', 7],
  ['ink', 'diff-del', 7],
  ['ink', 'diff-add-word', 4.5],
  ['ink', 'diff-del-word', 4.5],
  ['ink', 'warn-soft', 7],
  ['ink', 'bad-soft', 7],
];
/** Pairs beyond the design's table: colors that components put on their own backgrounds. */
const OWN_PAIRS: [string, string, number][] = [
  ['on-bad', 'bad-fill-hover', 4.5],
  ['ink-3', 'hover', 4.5],
  ['ink-2', 'hover', 4.5],
  ['ink-2', 'accent-soft', 4.5],
  ['ink', 'depth-2', 4.5],
  ['depth-4', 'surface', 3],
];

test('the design has 51 pairs with a threshold', () => {
  expect(PAIRS).toHaveLength(51);
});

test.each([...PAIRS, ...OWN_PAIRS])('%s on %s reaches %d in both themes', (ink, ground, least) => {
  const inks = tokens.get(ink);
  const grounds = tokens.get(ground);
  expect(inks, `token --${ink}`).toBeDefined();
  expect(grounds, `token --${ground}`).toBeDefined();
  for (const theme of [0, 1]) {
    expect(contrast(inks?.[theme] ?? '', grounds?.[theme] ?? ''), theme === 0 ? 'light' : 'dark').toBeGreaterThanOrEqual(least);
  }
});
