import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { KnownMonitors } from './known-monitors.ts';

const key = (letter: string): string => letter.repeat(24);

test('a known key need not compete with unknown ones after a change, nor after an outage', async () => {
  let answer: (appKey: string) => Promise<{ rows: object[] }> = async (appKey) => ({ rows: [{ id: appKey, salt: '1' }] });
  const pool = { query: (_text: string, [appKey]: [string]) => answer(appKey) };
  const monitors = new KnownMonitors(pool as unknown as Pool);
  expect(await monitors.find(key('a'))).toMatchObject({ salt: '1' });
  // Strangers hold all look-ups.
  answer = () => new Promise(() => undefined);
  for (const letter of 'bcdefghijklmnopq') void monitors.find(key(letter));
  expect(await monitors.find(key('z'))).toBe('busy');
  for (const salt of ['2', '3']) {
    monitors.clear();
    answer = () => Promise.reject(new Error('The database is away'));
    await expect(monitors.find(key('a'))).rejects.toThrow('away');
    answer = async () => ({ rows: [{ salt }] });
    expect(await monitors.find(key('a'))).toMatchObject({ salt });
  }
});
