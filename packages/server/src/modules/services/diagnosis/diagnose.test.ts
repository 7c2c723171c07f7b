/** Every kind of diagnosis, made from rows alone. */
import { expect, test } from 'vitest';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { nextStepOf, diagnosisSentence } from '@slipway/contract/service/diagnosis.ts';
import { diagnose, type DiagnosisFacts } from './diagnose.ts';

const now = new Date('2026-11-20T12:00:00Z');
type Event = DiagnosisFacts['events'][number];
const event = (reason: string, message: string, rest: Partial<Event> = {}): Event => ({
  at: '2026-11-20T11:59:00.000Z',
  lastAt: '2026-11-20T11:59:30.000Z',
  count: 1,
  instance: 'berth-4-aaaaaa',
  type: 'error',
  reason,
  message,
  ...rest,
});
const facts = (rest: Partial<DiagnosisFacts>): DiagnosisFacts => ({
  status: 'FAILING',
  replicasWanted: 1,
  createdAt: new Date('2026-11-20T11:58:00Z'),
  spec: newServiceSpec('localhost/berth/berth'),
  image: 'localhost/berth/berth:one',
  instances: [],
  events: [],
  stepMessage: null,
  isStartUndone: false,
  runtimeSeenSeconds: 1,
  lines: [],
  now,
  ...rest,
});
const told = (rest: Partial<DiagnosisFacts>) => {
  const found = diagnose(facts(rest));
  return found && [found.code, diagnosisSentence(found), found.next.place, found.next.target];
};
const exited = event('Exited', 'It ended with exit code 3 after 0.1 s; restart 14 in 10 s.', { count: 14 });

test.each<[string, Partial<DiagnosisFacts>, (string | null)[]]>([
  [
    'a crash loop',
    { events: [exited] },
    ['CrashLoop', 'The program exits right after it starts: exit code 3, 14 times so far.', 'logs', null],
  ],
  [
    'a mount that the image leads away',
    {
      events: [event('StartFailed', 'Nothing can be mounted at /proc (/cfg leads there): it belongs to the sandbox; restart 2 in 10 s.')],
    },
    ['MountRefused', 'Nothing can be mounted at /proc (/cfg leads there): it belongs to the sandbox', 'settings', 'volumes'],
  ],
  [
    'a start that failed',
    { events: [event('StartFailed', 'It could not be started: the disk of the platform is full; restart 2 in 10 s.'), exited] },
    ['CannotStart', 'An instance cannot be started: the disk of the platform is full', 'none', null],
  ],
  [
    'an exit after a start that failed',
    { events: [exited, event('StartFailed', 'spawn EAGAIN; restart 1 in 1 s.')] },
    ['CrashLoop', 'The program exits right after it starts: exit code 3, 14 times so far.', 'logs', null],
  ],
  [
    'a wrong port',
    { events: [event('WrongPort', 'The container listens on port 3000, but the service is set to port 8080: it must listen …'), exited] },
    ['WrongPort', 'The container listens on port 3000, but the service is set to port 8080.', 'settings', 'network'],
  ],
  [
    'a port that ignores PORT',
    { events: [event('WrongPort', 'The container listens on ports 8080, 9090, which the service is set to, but the embedded runtime …')] },
    ['IgnoresPort', 'The container always listens on port 8080, 9090, but here every instance gets a port of its own.', 'logs', null],
  ],
  [
    'memory that is not enough',
    { events: [event('OOMKilled', 'It was killed for using more than its 256 MB of memory after 2 s; restart 2 in 10 s.'), exited] },
    ['OutOfMemory', 'It was stopped for using more than its 256 MB of memory.', 'settings', 'resources'],
  ],
  [
    'an image that cannot be pulled',
    { events: [event('ImagePullFailed', 'The image could not be pulled: the registry does not answer; restart 1 in 1 s.')] },
    ['ImagePullFailed', 'The image could not be pulled: the registry does not answer', 'registry', null],
  ],
  [
    "the platform's disk being full",
    { events: [event('PlatformDiskFull', 'The image could not be pulled: the disk of the platform is full; restart 1 in 1 s.')] },
    ['PlatformDiskFull', 'The disk of the platform is nearly full, so that its image cannot be unpacked.', 'none', null],
  ],
  [
    "the program's disk being full, as it says itself",
    { events: [exited], lines: ['Error: ENOSPC: no space left on device, write'] },
    ['DiskFull', 'It cannot write any more: its disk is full.', 'logs', null],
  ],
  [
    'a secret',
    { events: [event('SecretUnreadable', '…')] },
    ['SecretUnreadable', 'A secret that it needs cannot be read.', 'secrets', null],
  ],
  [
    'a health check that never succeeded',
    { events: [event('NotHealthyYet', 'Not healthy yet: GET /healthz answered 500.', { type: 'warning' })] },
    ['NotHealthy', 'It runs, but its health check does not succeed: GET /healthz answered 500', 'settings', 'health'],
  ],
  [
    'a health check that succeeds no more',
    { events: [event('ProbeFailed', 'The health check failed 3 times: GET /healthz answered 500.', { type: 'unhealthy' })] },
    [
      'ProbeFailed',
      'An instance does not answer its health check any more: The health check failed 3 times: GET /healthz answered 500',
      'logs',
      null,
    ],
  ],
  [
    'what the pipeline said, where no event is left',
    { stepMessage: { code: 'NotHealthy', context: { seconds: '62', reason: 'connection refused' } } },
    ['NotHealthy', 'It runs, but its health check does not succeed: connection refused', 'settings', 'health'],
  ],
  [
    'a runtime that nobody drives',
    { status: 'PENDING', runtimeSeenSeconds: null },
    ['RuntimeDown', 'No replica of the platform drives the runtime at the moment.', 'none', null],
  ],
  [
    'an activation that was undone',
    { status: 'NO_INSTANCES', replicasWanted: 0, isStartUndone: true, events: [exited] },
    ['CrashLoop', 'The program exits right after it starts: exit code 3, 14 times so far.', 'logs', null],
  ],
  ['nothing known', {}, ['Unknown', 'It is not well, and the platform does not know why.', 'logs', null]],
  [
    'a start that takes too long',
    { status: 'PENDING' },
    ['StartsSlowly', 'It has been starting for 120 s, longer than usual.', 'logs', null],
  ],
])('%s', (_name, rest, expected) => {
  expect(told(rest)).toEqual(expected);
});

test.each<[string, Partial<DiagnosisFacts>]>([
  ['healthy', { status: 'HEALTHY', events: [exited] }],
  ['stopped', { status: 'NO_INSTANCES', replicasWanted: 0, runtimeSeenSeconds: null }],
  ['just begun', { status: 'PENDING', createdAt: new Date('2026-11-20T11:59:50Z') }],
])('one that is %s has no diagnosis', (_name, rest) => {
  expect(diagnose(facts(rest))).toBeUndefined();
});

test('every diagnosis has a next step', () => {
  const found = diagnose(facts({ events: [exited] }));
  expect(found && nextStepOf(found)).toBe('Read the last lines of its log, mend it, and deploy again.');
});
