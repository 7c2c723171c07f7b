/** Reports of a start that keeps failing in the same way. */
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { InstanceEventFacts } from '@slipway/contract/service/instance-event.ts';
import type { HealthCheck } from '@slipway/foundation/ports/runtime.ts';
import { TIMINGS, type Timings } from '../timings.ts';
import { HealthWatch } from './health-watch.ts';
import type { ProbedProcess } from './probe.ts';

let ending = new AbortController();
afterEach(() => ending.abort());

const patient = { initialDelaySeconds: 0, periodSeconds: 60, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 10 };
/** Watches a program on which every probe fails, and collects its warnings. */
const watch = (check: Partial<HealthCheck>, process: Partial<ProbedProcess>, timings: Partial<Timings>) => {
  ending = new AbortController();
  const warnings: InstanceEventFacts[] = [];
  let probes = 0;
  // Nothing listens on port 1.
  const refused = () => (probes++, connect(1, '127.0.0.1'));
  const program: ProbedProcess = {
    processes: () => [],
    connect: refused,
    exec: async () => ({ code: null, output: '', isTimeout: false }),
    ...process,
  };
  const reports = { ready: () => {}, unready: () => {}, dead: () => {}, warn: (event: InstanceEventFacts) => void warnings.push(event) };
  const spec = { health: { type: 'tcp', ...patient, ...check } as const, exposedPort: 1 };
  void new HealthWatch(spec, program, 1, { ...TIMINGS, ...timings }, reports).run(ending.signal);
  return { warnings, probes: () => probes };
};

test('reports refused connections when five in a row took long enough', async () => {
  const { warnings } = watch({}, {}, { sameFailureMs: 100 });
  await expect.poll(() => warnings, { timeout: 5000 }).toMatchObject([{ code: 'NotHealthyYet', context: { probe: 'NothingListens' } }]);
  expect(Number(warnings[0]?.context['times'])).toBeGreaterThanOrEqual(5);
});

test('does not report refused connections of a program that may still be starting', async () => {
  const { warnings, probes } = watch({}, {}, { sameFailureMs: 60_000 });
  await expect.poll(probes, { timeout: 5000 }).toBeGreaterThanOrEqual(7);
  expect(warnings).toEqual([]);
});

test('reports a command that keeps failing', { timeout: 20_000 }, async () => {
  const exec: ProbedProcess['exec'] = async () => ({ code: 3, output: '', isTimeout: false });
  const { warnings } = watch({ type: 'exec', exec: { command: ['check'] } }, { exec }, { sameFailureMs: 100 });
  await expect.poll(() => warnings, { timeout: 15_000 }).toMatchObject([{ context: { probe: 'CommandFailed', exitCode: 3, times: 5 } }]);
});
