import type { Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { expect, test } from 'vitest';
import { diagnosisHelp, diagnosisSeen, diagnosisTitle } from './diagnosis-labels.ts';

const ref = { app: 'reefer', env: 'production', service: 'reefer-alerts', revision: 'reefer-alerts-88' };
const diagnosis = (change: Partial<Diagnosis>): Diagnosis => ({
  code: 'CrashLoop',
  context: { exit: 'exit code 1', restarts: '3' },
  since: '2026-11-20T12:00:00.000Z',
  evidence: { event: null, exit: null, restarts: 0, lastLines: [] },
  next: { place: 'logs', target: null },
  stillServing: null,
  ...change,
});
const event = {
  at: '2026-11-20T12:00:00.000Z',
  lastAt: '2026-11-20T12:02:00.000Z',
  count: 12,
  instance: 'reefer-alerts-88-p2n6c',
  type: 'unhealthy' as const,
  reason: 'ProbeFailed',
  context: null,
  message: 'GET :8080/healthz refused.',
};

test('what was seen comes first, then what is safe', () => {
  const exit = { code: null, signal: 'SIGKILL', reason: 'Killed', at: '2026-11-20T12:02:00.000Z' };
  const seen = diagnosisSeen(
    diagnosis({ evidence: { event, exit, restarts: 2, lastLines: [] }, stillServing: 'reefer-alerts-87' }),
    ref.revision,
  );
  expect(seen).toEqual([
    { tone: 'bad', text: 'GET :8080/healthz refused, 12 times in 2 min 00 s' },
    { tone: 'bad', text: 'Its last instance ended with signal SIGKILL, restarted twice' },
    { tone: 'ok', text: 'Revision 87 still serves. No action needed.' },
  ]);
});

test('what the sentence over it says already is only counted', () => {
  const known = diagnosis({ evidence: { event, exit: null, restarts: 0, lastLines: [] } });
  expect(diagnosisSeen(known, ref.revision, 'GET :8080/healthz refused')).toEqual([{ tone: 'bad', text: 'Seen 12 times in 2 min 00 s' }]);
  const once = diagnosis({ evidence: { event: { ...event, count: 1 }, exit: null, restarts: 0, lastLines: [] } });
  expect(diagnosisSeen(once, ref.revision, 'GET :8080/healthz refused')).toEqual([]);
});

test('when it is tried again is not part of what was seen', () => {
  const crash = { ...event, count: 1, reason: 'Exited', context: { exitCode: 1, ranMs: 100, restart: 3, waitMs: 2000 } };
  const seen = diagnosisSeen(diagnosis({ evidence: { event: crash, exit: null, restarts: 0, lastLines: [] } }), ref.revision);
  expect(seen).toEqual([{ tone: 'bad', text: 'It ended with exit code 1 after 0.1 s' }]);
});

test('a wrong port leads to the network settings, by the port to set', () => {
  const wrong = diagnosis({
    code: 'WrongPort',
    context: { listens: '3000', port: '8080' },
    next: { place: 'settings', target: 'network' },
  });
  expect(diagnosisHelp(wrong, ref)).toEqual({
    label: 'Set the exposed port to 3000',
    href: '/app/reefer/production/service/reefer-alerts/settings?fix=spec.exposedPort%3A3000#network',
  });
});

test('proposes a setting only if it certainly starts the revision that failed', () => {
  const memory = { code: 'OutOfMemory', context: { limit: '256' }, next: { place: 'settings', target: 'resources' } } as const;
  const proposed = {
    label: 'Raise the memory to 512 MB',
    href: '/app/reefer/production/service/reefer-alerts/settings?fix=spec.resources.memoryMegabytes%3A512#resources',
  };
  const opened = { label: 'Open the memory settings', href: '/app/reefer/production/service/reefer-alerts/settings#resources' };
  expect(diagnosisHelp(diagnosis(memory), ref)).toEqual(proposed);
  expect(diagnosisHelp(diagnosis({ ...memory, stillServing: 'reefer-alerts-87' }), ref)).toEqual(opened);
  expect(diagnosisHelp(diagnosis({ ...memory, stillServing: 'reefer-alerts-87' }), ref, true)).toEqual(proposed);
  const several = diagnosis({
    code: 'WrongPort',
    context: { listens: '3000, 9229', port: '8080' },
    next: { place: 'settings', target: 'network' },
  });
  expect(diagnosisHelp(several, ref)?.label).toBe('Open the network settings');
});

test.each([
  ['logs', null, '/app/reefer/production/service/reefer-alerts/revision/reefer-alerts-88#logs'],
  ['pipeline', 'pl_1', '/app/reefer/production/service/reefer-alerts/pipeline/pl_1'],
  ['secrets', 'db', '/app/reefer/production/secret-group/db'],
  ['secrets', null, '/app/reefer/production/service/reefer-alerts/secret-manager'],
  ['registry', null, '/app/reefer/production/container-registry'],
  ['deploy', null, '/app/reefer/production/service/reefer-alerts?run=pipeline'],
  ['none', null, undefined],
] as const)('the next step at %s %s is at %s', (place, target, href) => {
  expect(diagnosisHelp(diagnosis({ next: { place, target } }), ref)?.href).toBe(href);
});

test('late is not broken', () => {
  expect(diagnosisTitle({ code: 'StartsSlowly' }, ref.revision)).toBe('Why does revision 88 take so long?');
  expect(diagnosisTitle({ code: 'CrashLoop' }, ref.revision)).toBe('Why is revision 88 failing?');
});
