/** Spot compute on the embedded runtime: its instances yield to others, as the kernel reports for their processes. */
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { descendants } from '../sandbox/process-tree.ts';
import { SuiteRuntime, until } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import { makeLocalSubject, type LocalSubject } from './runtime-subject.fixture.ts';

const subjects: LocalSubject[] = [];
afterEach(async () => {
  await Promise.all(subjects.splice(0).map((subject) => subject.close()));
});

/** Returns niceness and OOM score of the program itself, found by its environment. */
const priorityOf = async (revision: string): Promise<{ nice: number; oomScore: number }> => {
  const pid = await until(`the program of ${revision}`, async () =>
    descendants(process.pid)
      .map((row) => row.pid)
      .findLast(
        (id) =>
          textOf(`/proc/${id}/environ`).includes(`SLIPWAY_REVISION=${revision}\0`) && textOf(`/proc/${id}/cmdline`).includes('main.js'),
      ),
  );
  const stat = textOf(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { nice: Number(fields[16]), oomScore: Number(textOf(`/proc/${pid}/oom_score_adj`)) };
};
const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

test.runIf(process.platform === 'linux').each(['oci', 'bubblewrap', 'unshare', 'host'] as const)('instances yield: %s', async (only) => {
  const subject = await makeLocalSubject({ only }).catch(() => undefined);
  // This machine does not support the tier.
  if (!subject) return;
  subjects.push(subject);
  await subject.runtime.acquire();
  expect((await subject.runtime.capabilities()).spot).toBe('yields first');
  const suite = new SuiteRuntime(subject);
  const [spot, ordinary] = [suite.service(), suite.service()];
  await spot.serve({ isSpot: true });
  await ordinary.serve();
  const own = Number(textOf('/proc/self/oom_score_adj'));
  expect(await priorityOf(spot.revision(1))).toEqual({ nice: 10, oomScore: 800 });
  expect(await priorityOf(ordinary.revision(1))).toEqual({ nice: 0, oomScore: own });
  expect((await spot.call('/version')).body).toBe('1');
});
