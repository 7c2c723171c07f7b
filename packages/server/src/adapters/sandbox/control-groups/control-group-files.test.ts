/** Uses plain directories, which, like groups, can't be removed until they are empty. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { groupsRemoved, removeGroup } from './control-group-files.ts';

test('who ends waits until groups whose members die late are gone', async () => {
  const base = mkdtempSync(join(tmpdir(), 'slipway-groups-'));
  const group = join(base, 'berth-1');
  mkdirSync(group);
  writeFileSync(join(group, 'member'), '');
  let kills = 0;
  removeGroup(group, () => {
    if (++kills === 3) rmSync(join(group, 'member'));
  });
  expect(existsSync(group)).toBe(true);
  await groupsRemoved();
  expect([existsSync(group), kills]).toEqual([false, 3]);
  rmSync(base, { recursive: true });
});
