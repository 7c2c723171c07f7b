/** Uses plain directories, which, like groups, can't be removed until they are empty. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { groupsRemoved, removeGroup } from './control-group-files.ts';

/** After more than two seconds of retries. */
const LATE_KILL = 45;

test('waits at the end for groups whose members die late', async () => {
  const base = mkdtempSync(join(tmpdir(), 'slipway-groups-'));
  const group = join(base, 'berth-1');
  mkdirSync(group);
  writeFileSync(join(group, 'member'), '');
  let kills = 0;
  removeGroup(group, () => {
    if (++kills === LATE_KILL) rmSync(join(group, 'member'));
  });
  expect(existsSync(group)).toBe(true);
  await groupsRemoved();
  expect([existsSync(group), kills]).toEqual([false, LATE_KILL]);
  rmSync(base, { recursive: true });
});
