/** Every code of an instance event: its sentence, its cause, and the diagnosis made from it. */
import { describe, expect, test } from 'vitest';
import { instanceEvent, type InstanceEventCode, type InstanceEventFacts, type ProbeFailure } from './instance-event.ts';
import { eventCause, eventDetail, eventSentence, exitText } from './instance-event-texts.ts';

const written = ({ code, context }: InstanceEventFacts) => ({ reason: code, context: JSON.parse(JSON.stringify(context)) });
const again = { ranMs: 120, restart: 3, waitMs: 2000 };
const tail = '; restart 3 in 2 s.';
const disk = 'the disk of the platform is full';
const setToPort = 'but the service is set to port 8080: it must listen on the port that the environment variable PORT names (41234)';
const ownPort =
  'which the service is set to, but the embedded runtime gives every instance a port of its own: ' +
  'it must listen on the port that the environment variable PORT names (41234)';

/** Expected sentences, unchanged since before codes existed. */
const sentences: Readonly<Record<InstanceEventCode, readonly (readonly [InstanceEventFacts, string])[]>> = {
  Scheduled: [[instanceEvent('Scheduled', {}), 'Waiting to start.']],
  Started: [
    [instanceEvent('Started', {}), 'Started.'],
    [instanceEvent('Started', { port: 8080 }), 'Started; its port (PORT) is 8080.'],
  ],
  ChangedOutside: [
    [instanceEvent('ChangedOutside', { fields: 'image' }), 'Somebody changed this outside of Slipway (image), and Slipway put it back.'],
  ],
  Healthy: [[instanceEvent('Healthy', { afterMs: 412 }), 'Healthy after 0.4 s.']],
  Scaled: [
    [instanceEvent('Scaled', { from: 1, to: 2 }), 'From 1 to 2 instances.'],
    [instanceEvent('Scaled', { from: 2, to: 1 }), 'From 2 to 1 instance.'],
  ],
  ScaledUp: [
    [
      instanceEvent('ScaledUp', { revision: 'berth-4', from: 1, to: 3, cpuPercent: 95, targetPercent: 80 }),
      'berth-4 scales from 1 to 3 instances: its instances use 95 % of their CPU on average, 80 % is the target.',
    ],
  ],
  ScaledDown: [
    [
      instanceEvent('ScaledDown', { revision: 'berth-4', from: 3, to: 2, minReplicas: 1, maxReplicas: 2 }),
      'berth-4 scales from 3 to 2 instances: its settings ask for 1 to 2.',
    ],
  ],
  ScaledDownIdle: [
    [instanceEvent('ScaledDownIdle', { days: 1 }), 'Scaled down to no instances: no request for 1 day.'],
    [instanceEvent('ScaledDownIdle', { days: 7 }), 'Scaled down to no instances: no request for 7 days.'],
  ],
  Resynced: [
    [
      instanceEvent('Resynced', { replica: 'here:4000', instances: 'kept' }),
      'here:4000 drives the runtime from here on: the instances run on, and what happened in between follows as far as it was kept.',
    ],
    [
      instanceEvent('Resynced', { replica: 'here:4000', instances: 'started' }),
      'here:4000 drives the runtime from here on: the instances start again, and what happened in between was not seen.',
    ],
  ],
  Stopped: [[instanceEvent('Stopped', { tookMs: 12_300 }), 'Stopped within 12 s.']],
  Killing: [[instanceEvent('Killing', { graceSeconds: 30 }), 'It did not end within 30 s of being asked to; it is killed.']],
  FilesNotMounted: [
    [instanceEvent('FilesNotMounted', {}), 'Secret files cannot be shown to instances on this machine: it offers no namespaces.'],
  ],
  LogLost: [[instanceEvent('LogLost', {}), `Lines of its log are lost: ${disk}.`]],
  MetricsScrapeFailed: [
    [instanceEvent('MetricsScrapeFailed', { detail: '/metrics answered 404' }), 'Its metrics cannot be read: /metrics answered 404.'],
    [instanceEvent('MetricsScrapeFailed', { detail: 'There is no port.' }), 'Its metrics cannot be read: There is no port.'],
  ],
  SpecUnreadable: [
    [
      instanceEvent('SpecUnreadable', { detail: 'spec: missing or of the wrong type: template' }),
      'The stored settings of this revision cannot be read (spec: missing or of the wrong type: template): it stays as it is until they can.',
    ],
  ],
  SecretUnreadable: [
    [
      instanceEvent('SecretUnreadable', {}),
      'The secret cannot be read: what is stored was changed or moved, or its key is lost. Restore it from a backup, or set it anew.',
    ],
  ],
  NotHealthyYet: [[instanceEvent('NotHealthyYet', { probe: 'Status', status: 500 }), 'Not healthy yet: the health check returned 500.']],
  ProbeFailed: [
    [
      instanceEvent('ProbeFailed', { probe: 'NothingListens', failures: 3 }),
      'The health check failed 3 times: nothing listens on its port.',
    ],
  ],
  WrongPort: [
    [instanceEvent('WrongPort', { listens: '3000', setTo: 8080, port: 41_234 }), `The container listens on port 3000, ${setToPort}.`],
    [
      instanceEvent('WrongPort', { listens: '3000, 9000', setTo: 8080, port: 41_234 }),
      `The container listens on ports 3000, 9000, ${setToPort}.`,
    ],
  ],
  IgnoresPort: [
    [instanceEvent('IgnoresPort', { listens: '8080', setTo: 8080, port: 41_234 }), `The container listens on port 8080, ${ownPort}.`],
  ],
  Exited: [
    [instanceEvent('Exited', { exitCode: 3, ...again }), `It ended with exit code 3 after 0.1 s${tail}`],
    [instanceEvent('Exited', { signal: 'SIGTERM', ...again }), `It was ended by SIGTERM after 0.1 s${tail}`],
    [instanceEvent('Exited', again), `It ended with exit code unknown after 0.1 s${tail}`],
  ],
  DiskFull: [
    [instanceEvent('DiskFull', {}), 'It cannot write any more: no space left on its disk.'],
    [instanceEvent('DiskFull', { temporaryMegabytes: 128 }), 'It cannot write any more: no space left on its disk; /tmp holds 128 MB.'],
    [instanceEvent('DiskFull', { exitCode: 1, ...again }), `Its disk was full, and it ended with exit code 1 after 0.1 s${tail}`],
    [instanceEvent('DiskFull', { signal: 'SIGABRT', ...again }), `Its disk was full, and it ended with SIGABRT after 0.1 s${tail}`],
  ],
  OOMKilled: [
    [
      instanceEvent('OOMKilled', { limitMegabytes: 256, ...again }),
      `It was killed for using more than its 256 MB of memory after 0.1 s${tail}`,
    ],
  ],
  Unhealthy: [
    [
      instanceEvent('Unhealthy', { probe: 'NoAnswer', timeoutSeconds: 1, request: 'GET /healthz', failures: 6, ...again }),
      `The health check failed 6 times in a row (GET /healthz was not answered within 1 s), so it was killed after 0.1 s${tail}`,
    ],
  ],
  StartupTimeout: [
    [
      instanceEvent('StartupTimeout', { probe: 'ConnectionTimeout', afterSeconds: 60, ...again }),
      `It did not get healthy within 60 s (the connection timed out), so it was killed after 0.1 s${tail}`,
    ],
  ],
  PortTaken: [
    [instanceEvent('PortTaken', { port: 4711, ...again }), `Another process answers on port 4711, so it was killed after 0.1 s${tail}`],
  ],
  WatchFailed: [[instanceEvent('WatchFailed', again), `Its health could not be checked, so it was killed after 0.1 s${tail}`]],
  StartFailed: [
    [instanceEvent('StartFailed', { obstacle: 'Other', detail: 'spawn EAGAIN', restart: 3, waitMs: 2000 }), `spawn EAGAIN${tail}`],
    [instanceEvent('StartFailed', { obstacle: 'PlatformDisk', restart: 3, waitMs: 2000 }), `It could not be started: ${disk}${tail}`],
    [
      instanceEvent('StartFailed', { obstacle: 'Sandbox', ...again }),
      `The sandbox could not be set up; its log says why after 0.1 s${tail}`,
    ],
  ],
  MountRefused: [
    [
      instanceEvent('MountRefused', { obstacle: 'Reserved', path: '/cfg', place: '/proc', restart: 3, waitMs: 2000 }),
      `Nothing can be mounted at /proc (/cfg leads there): it belongs to the sandbox${tail}`,
    ],
    [
      instanceEvent('MountRefused', { obstacle: 'Reserved', path: '/proc', place: '/proc', restart: 3, waitMs: 2000 }),
      `Nothing can be mounted at /proc: it belongs to the sandbox${tail}`,
    ],
    [
      instanceEvent('MountRefused', { obstacle: 'Image', path: '/out', place: '/out', restart: 3, waitMs: 2000 }),
      `Nothing can be mounted at /out: the image has a file in its way, or a link that leads nowhere${tail}`,
    ],
  ],
  WorkingDirectoryRefused: [
    [
      instanceEvent('WorkingDirectoryRefused', { path: '/app', place: '/proc/1/root', restart: 3, waitMs: 2000 }),
      `The image begins at /app, which leads to /proc/1/root: that belongs to the sandbox${tail}`,
    ],
    [
      instanceEvent('WorkingDirectoryRefused', { path: '/sys', place: '/sys', restart: 3, waitMs: 2000 }),
      `The image begins at /sys: that belongs to the sandbox${tail}`,
    ],
  ],
  ImagePullFailed: [
    [
      instanceEvent('ImagePullFailed', { detail: 'it is for arm64', restart: 3, waitMs: 2000 }),
      `The image could not be pulled: it is for arm64${tail}`,
    ],
  ],
  RegistryUnavailable: [
    [
      instanceEvent('RegistryUnavailable', { detail: 'the registry does not answer', restart: 3, waitMs: 2000 }),
      `The image could not be pulled: the registry does not answer${tail}`,
    ],
  ],
  PlatformDiskFull: [[instanceEvent('PlatformDiskFull', { restart: 3, waitMs: 2000 }), `The image could not be pulled: ${disk}${tail}`]],
};

describe.each(Object.entries(sentences))('%s', (code, cases) => {
  test.each(cases)('%j', (facts, sentence) => {
    expect(facts.code).toBe(code);
    expect(eventSentence(written(facts))).toBe(sentence);
    expect(eventCause(written(facts))).toBe(sentence.replace(tail, '').replace(/\.$/, ''));
  });
});

test.each<[ProbeFailure, string]>([
  [{ probe: 'NoPort' }, 'the service has no port'],
  [{ probe: 'ConnectionTimeout' }, 'the connection timed out'],
  [{ probe: 'NothingListens' }, 'nothing listens on its port'],
  [{ probe: 'ConnectionFailed', detail: 'ECONNRESET' }, 'the connection failed (ECONNRESET)'],
  [{ probe: 'NoAnswer', timeoutSeconds: 0.5 }, 'the health check was not answered within 0.5 s'],
  [{ probe: 'Status', status: 503 }, 'the health check returned 503'],
  [{ probe: 'Status', status: 404, request: 'GET /healthz' }, 'GET /healthz returned 404'],
  [{ probe: 'CommandTimeout', timeoutSeconds: 2 }, 'the command did not end within 2 s'],
  [{ probe: 'CommandFailed', exitCode: 7 }, 'the command ended with exit code 7'],
  [{ probe: 'CommandFailed' }, 'the command ended with exit code unknown'],
  [{ probe: 'Other', detail: 'statuscode: 500' }, 'statuscode: 500'],
])('a probe that failed: %j', (failure, text) => {
  expect(eventDetail(written(instanceEvent('NotHealthyYet', failure)))).toBe(text);
});

test('why a start failed, without what failed', () => {
  expect(eventDetail(written(instanceEvent('ImagePullFailed', { detail: 'it is for arm64', ...again })))).toBe('it is for arm64');
  expect(eventDetail(written(instanceEvent('StartFailed', { obstacle: 'PlatformDisk', ...again })))).toBe(disk);
  expect(eventDetail(written(instanceEvent('StartFailed', { obstacle: 'Other', detail: 'spawn EAGAIN' })))).toBe('spawn EAGAIN');
});

test('a detail is no template', () => {
  const event = written(instanceEvent('ImagePullFailed', { detail: '{restart} {why}', restart: 1, waitMs: 1000 }));
  expect(eventSentence(event)).toBe('The image could not be pulled: {restart} {why}; restart 1 in 1 s.');
});

test.each([
  { reason: 'Exited', context: null, message: 'It ended with exit code 3; restart 1 in 1 s.' },
  { reason: 'OfALaterVersion', context: { a: 1 }, message: 'It ended with exit code 3; restart 1 in 1 s.' },
])('an event without a context, or of an unknown code, is shown as it was written', (event) => {
  expect(eventSentence(event)).toBe(event.message);
  expect(eventCause(event)).toBe('It ended with exit code 3; restart 1 in 1 s');
  expect(eventDetail(event)).toBe('It ended with exit code 3; restart 1 in 1 s');
});

test.each([
  [{ code: 3, signal: null, reason: 'Exited' }, 'exit code 3'],
  [{ code: null, signal: 'SIGKILL', reason: 'Unhealthy' }, 'signal SIGKILL'],
  [{ code: null, signal: 'SIGKILL', reason: 'OOMKilled' }, 'out of memory'],
  [{ code: null, signal: null, reason: 'StartFailed' }, 'StartFailed'],
])('the end %j', (exit, text) => expect(exitText(exit)).toBe(text));
