/** Every kind of diagnosis, derived from rows only. */
import { expect, test } from 'vitest';
import { instanceEvent, type InstanceEventFacts } from '@slipway/contract/service/instance-event.ts';
import { eventSentence } from '@slipway/contract/service/instance-event-texts.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { nextStepOf, diagnosisSentence } from '@slipway/contract/service/diagnosis.ts';
import { diagnose, withoutFrames, type DiagnosisFacts } from './diagnose.ts';

const now = new Date('2026-11-20T12:00:00Z');
type Event = DiagnosisFacts['events'][number];
const event = ({ code, context }: InstanceEventFacts, rest: Partial<Event> = {}): Event => ({
  at: '2026-11-20T11:59:00.000Z',
  lastAt: '2026-11-20T11:59:30.000Z',
  count: 1,
  instance: 'berth-4-aaaaaa',
  type: 'error',
  reason: code,
  context,
  message: eventSentence({ reason: code, context }),
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
const reported = (rest: Partial<DiagnosisFacts>) => {
  const found = diagnose(facts(rest));
  return found && [found.code, diagnosisSentence(found), found.next.place, found.next.target];
};
const again = { ranMs: 100, restart: 2, waitMs: 10_000 };
const exited = event(instanceEvent('Exited', { exitCode: 3, ...again }), { count: 14 });
const probe = { probe: 'Other', detail: 'GET /healthz answered 500' } as const;

test.each<[string, Partial<DiagnosisFacts>, (string | null)[]]>([
  [
    'a crash loop',
    { events: [exited] },
    ['CrashLoop', 'The program exits right after it starts: exit code 3, 14 times so far.', 'logs', null],
  ],
  [
    'a mount that the image leads away',
    {
      events: [event(instanceEvent('MountRefused', { path: '/cfg', place: '/proc', obstacle: 'Reserved', restart: 2, waitMs: 10_000 }))],
    },
    ['MountRefused', 'Nothing can be mounted at /proc (/cfg leads there): it belongs to the sandbox', 'settings', 'volumes'],
  ],
  [
    'an image that begins outside of itself',
    { events: [event(instanceEvent('WorkingDirectoryRefused', { path: '/sys', place: '/sys', restart: 2, waitMs: 10_000 }))] },
    ['WorkingDirectoryRefused', 'The image begins at /sys: that belongs to the sandbox', 'deploy', null],
  ],
  [
    'a start that failed',
    { events: [event(instanceEvent('StartFailed', { obstacle: 'PlatformDisk', restart: 2, waitMs: 10_000 })), exited] },
    ['CannotStart', 'An instance cannot be started: the disk of the platform is full', 'none', null],
  ],
  [
    'an exit after a start that failed',
    { events: [exited, event(instanceEvent('StartFailed', { obstacle: 'Other', detail: 'spawn EAGAIN', restart: 1, waitMs: 1000 }))] },
    ['CrashLoop', 'The program exits right after it starts: exit code 3, 14 times so far.', 'logs', null],
  ],
  [
    'a wrong port',
    { events: [event(instanceEvent('WrongPort', { listens: '3000', setTo: 8080, port: 41_234 })), exited] },
    ['WrongPort', 'The container listens on port 3000, but the service is set to port 8080.', 'settings', 'network'],
  ],
  [
    'a port that ignores PORT',
    { events: [event(instanceEvent('IgnoresPort', { listens: '8080, 9090', setTo: 8080, port: 41_234 }))] },
    ['IgnoresPort', 'The container always listens on port 8080, 9090, but here every instance gets a port of its own.', 'logs', null],
  ],
  [
    'memory that is not enough',
    { events: [event(instanceEvent('OOMKilled', { limitMegabytes: 256, ...again })), exited] },
    ['OutOfMemory', 'It was stopped for using more than its 256 MB of memory.', 'settings', 'resources'],
  ],
  [
    'an image that cannot be pulled',
    { events: [event(instanceEvent('ImagePullFailed', { detail: 'the registry does not answer', restart: 1, waitMs: 1000 }))] },
    ['ImagePullFailed', 'The image could not be pulled: the registry does not answer', 'registry', null],
  ],
  [
    "the platform's disk being full",
    { events: [event(instanceEvent('PlatformDiskFull', { restart: 1, waitMs: 1000 }))] },
    ['PlatformDiskFull', 'The disk of the platform is nearly full, so that its image cannot be unpacked.', 'none', null],
  ],
  [
    "the program's disk being full, as it says itself",
    { events: [exited], lines: ['Error: ENOSPC: no space left on device, write'] },
    ['DiskFull', 'It cannot write any more: its disk is full.', 'logs', null],
  ],
  [
    'a secret',
    { events: [event(instanceEvent('SecretUnreadable', {}))] },
    ['SecretUnreadable', 'A secret that it needs cannot be read.', 'secrets', null],
  ],
  [
    'a health check that never succeeded',
    { events: [event(instanceEvent('NotHealthyYet', probe), { type: 'warning' })] },
    ['NotHealthy', 'Running, but failing its health check: GET /healthz answered 500', 'settings', 'health'],
  ],
  [
    'a health check that succeeds no more',
    { events: [event(instanceEvent('ProbeFailed', { ...probe, failures: 3 }), { type: 'unhealthy' })] },
    [
      'ProbeFailed',
      'An instance does not answer its health check any more: The health check failed 3 times: GET /healthz answered 500',
      'logs',
      null,
    ],
  ],
  [
    'a start that was given up',
    { events: [event(instanceEvent('StartupTimeout', { ...probe, afterSeconds: 60, ...again }))] },
    ['NotHealthy', 'Running, but failing its health check: GET /healthz answered 500', 'settings', 'health'],
  ],
  [
    'an instance that was ended since it did not answer',
    { events: [event(instanceEvent('Unhealthy', { ...probe, failures: 6, ...again }))] },
    [
      'ProbeFailed',
      'An instance does not answer its health check any more: ' +
        'The health check failed 6 times in a row (GET /healthz answered 500), so it was killed after 0.1 s',
      'logs',
      null,
    ],
  ],
  [
    'a registry that is away',
    { events: [event(instanceEvent('RegistryUnavailable', { detail: 'the registry does not answer', restart: 1, waitMs: 1000 }))] },
    ['ImagePullFailed', 'The image could not be pulled: the registry does not answer', 'registry', null],
  ],
  [
    'a full disk that its last event tells',
    { events: [event(instanceEvent('DiskFull', { exitCode: 1, ...again })), exited] },
    ['DiskFull', 'It cannot write any more: its disk is full.', 'logs', null],
  ],
  [
    'an event that an earlier version wrote',
    { events: [{ ...exited, context: null, message: 'It ended with exit code 3 after 0.1 s; restart 14 in 10 s.' }] },
    ['CrashLoop', 'The program exits right after it starts: for an unknown reason, 14 times so far.', 'logs', null],
  ],
  [
    'what the pipeline said, where no event is left',
    { stepMessage: { code: 'NotHealthy', context: { seconds: '62', reason: 'connection refused' } } },
    ['NotHealthy', 'Running, but failing its health check: connection refused', 'settings', 'health'],
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
  expect(reported(rest)).toEqual(expected);
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
  expect(found && nextStepOf(found)).toBe('Read the last lines of its log, fix the cause, and deploy again.');
});

test('the lines on a card show the message of a stack trace', () => {
  const node = [
    'main.js:3',
    "throw new Error('no forecast')",
    '      ^',
    'Error: no forecast',
    '    at main.js:3:7',
    '    at run (loader:1)',
  ];
  const java = ['java.io.IOException: refused', '\tat Berth.open(Berth.java:4)', '\tat Berth.main(Berth.java:9)', '\t... 3 more'];
  const cause = ['Caused by: java.net.ConnectException', '\tat Berth.dial(Berth.java:2)'];
  const lines = [...node, 'Node.js v24.21.0', ...java, ...cause].map((line) => ({ line }));
  expect(withoutFrames(lines).map(({ line }) => line)).toEqual([
    'main.js:3',
    "throw new Error('no forecast')",
    'Error: no forecast',
    '    at main.js:3:7',
    'java.io.IOException: refused',
    '\tat Berth.open(Berth.java:4)',
    ...cause,
  ]);
});
