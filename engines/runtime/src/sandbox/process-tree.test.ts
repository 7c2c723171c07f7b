import { spawn } from 'node:child_process';
import { afterAll, expect, test, vi } from 'vitest';
import { descendants, killTree, knownDescendants } from './process-tree.ts';

const parent = spawn('sh', ['-c', 'sh -c "sleep 60 & sleep 60 & wait" & sleep 60 & wait'], { stdio: 'ignore' });
afterAll(() => killTree(parent.pid!));

test('the kernel names whom the process table has', async () => {
  await vi.waitFor(() => expect(descendants(parent.pid!)).toHaveLength(5), { timeout: 20_000 });
  const pids = descendants(parent.pid!).map(({ pid }) => pid);
  expect(knownDescendants(parent.pid!).toSorted()).toEqual(pids.toSorted());
});

test('none of a process that is gone', async () => {
  killTree(parent.pid!);
  await vi.waitFor(() => expect(knownDescendants(parent.pid!)).toEqual([]), { timeout: 20_000 });
});
