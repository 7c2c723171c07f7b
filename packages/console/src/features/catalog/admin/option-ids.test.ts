import { expect, test } from 'vitest';
import { idFrom } from './OptionsPage.tsx';

test.each([
  ['Mission critical', [], 'mission-critical'],
  ['Überwacht & geprüft', [], 'uberwacht-gepruft'],
  ['Important', ['important', 'important-2'], 'important-3'],
  ['…', [], 'value'],
])('%s gets the id %s', (name, taken, id) => {
  expect(idFrom(name, taken as readonly string[])).toBe(id);
});
