/** Tests which events the changes of a pod's status become, and how failed probes are read. */
import { describe, expect, test } from 'vitest';
import type { InstanceEventFacts } from '@slipway/contract/service/instance-event.ts';
import { backoffMs, PodLife } from './pod-life.ts';
import { isOver, viewOf, type ContainerStatus, type Pod } from './pod.ts';
import { probeFailureOf } from './probe-failure.ts';

const START = '2026-01-01T00:00:00Z';
const labels = {
  'slipway.dev/app': 'shop',
  'slipway.dev/environment': 'development',
  'slipway.dev/service': 'orders',
  'slipway.dev/revision': 'orders-1',
};
const container = {
  name: 'app',
  ports: [{ containerPort: 8080 }],
  resources: { limits: { memory: '96Mi' } },
  readinessProbe: { failureThreshold: 2, timeoutSeconds: 1, httpGet: { path: '/healthz' } },
  livenessProbe: { failureThreshold: 6 },
};
const podWith = (
  status: Partial<ContainerStatus>,
  { isReady = false, ...metadata }: { isReady?: boolean; deletionTimestamp?: string } = {},
): Pod => ({
  metadata: { name: 'orders-1-abc', namespace: 'shop-development', uid: 'u', creationTimestamp: START, labels, ...metadata },
  spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 8, containers: [container] },
  status: {
    phase: 'Running',
    podIP: '10.0.0.9',
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: START }],
    containerStatuses: [{ name: 'app', restartCount: 0, ...status }],
  },
});
const running = { state: { running: { startedAt: START } } };
const ended = (exitCode: number, reason = 'Error') => ({ exitCode, reason, startedAt: START, finishedAt: '2026-01-01T00:00:02Z' });

const follow = (first: Pod, isKnown = false) => {
  const events: [string, InstanceEventFacts][] = [];
  const life = new PodLife(first, isKnown, { sameFailureMs: 0, emit: (type, event) => void events.push([type, event]) });
  return { life, codes: () => events.map(([type, { code }]) => `${type} ${code}`), last: () => events.at(-1)?.[1] };
};

test('a pod with the labels of a service in another namespace is no instance of it', () => {
  const { life } = follow(podWith(running, { isReady: true }));
  expect(viewOf(life.pod, life.notes)).toMatchObject({ app: 'shop', environment: 'development', revision: 'orders-1' });
  const elsewhere = { ...life.pod, metadata: { ...life.pod.metadata, namespace: 'intruder' } };
  expect(viewOf(elsewhere, life.notes)).toBeUndefined();
});

test('a pod that starts and gets ready', () => {
  const { codes, life } = follow(podWith({ state: { waiting: { reason: 'ContainerCreating' } } }));
  life.update(podWith(running));
  life.update(podWith(running));
  life.update(podWith(running, { isReady: true }));
  expect(codes()).toEqual(['added Scheduled', 'running Started', 'running Healthy']);
  expect(viewOf(life.pod, life.notes)).toMatchObject({ state: 'READY', node: 'node-1', port: 8080, restarts: 0, lastExit: undefined });
});

test('the past of a pod that ran before is not reported again', () => {
  const { codes, life } = follow(podWith({ ...running, restartCount: 3, lastState: { terminated: ended(1) } }, { isReady: true }), true);
  life.update(podWith({ ...running, restartCount: 3, lastState: { terminated: ended(1) } }, { isReady: true }));
  expect(codes()).toEqual([]);
});

test('each end of the container is reported once, with the wait before the next start', () => {
  const { codes, last, life } = follow(podWith(running, { isReady: true }));
  life.update(podWith({ state: { terminated: ended(3) } }));
  expect(last()).toEqual({ code: 'Exited', context: { exitCode: 3, restart: 1, waitMs: 0, ranMs: 2000 } });
  life.update(podWith({ restartCount: 1, ...running, lastState: { terminated: ended(3) } }));
  life.update(podWith({ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: ended(3) } }));
  expect(codes().filter((code) => code === 'error Exited')).toHaveLength(1);
  life.update(podWith({ restartCount: 2, ...running, lastState: { terminated: ended(137, 'OOMKilled') } }));
  expect(codes().at(-2)).toBe('error OOMKilled');
  expect(viewOf(life.pod, life.notes)).toMatchObject({ restarts: 2, lastExit: { signal: 'SIGKILL', reason: 'OOMKilled' } });
  expect([backoffMs(1), backoffMs(2), backoffMs(3), backoffMs(20)]).toEqual([0, 10_000, 20_000, 300_000]);
});

test('an image that cannot be pulled counts as failed starts', () => {
  const waiting = (reason: string) => podWith({ state: { waiting: { reason, message: 'no such image' } } });
  const { codes, last, life } = follow(waiting('ErrImagePull'));
  life.update(waiting('ImagePullBackOff'));
  expect(codes()).toEqual(['added Scheduled', 'error ImagePullFailed']);
  expect(last()?.context).toMatchObject({ detail: 'no such image', restart: 1 });
  expect(viewOf(life.pod, life.notes)?.state).toBe('CRASHED');
});

test('a container that the kubelet restarts after failed liveness probes was unhealthy', () => {
  const { last, life } = follow(podWith(running, { isReady: true }));
  life.update(podWith(running));
  expect(viewOf(life.pod, life.notes)?.state).toBe('UNHEALTHY');
  life.probeFailed({ probe: 'Liveness', failure: { probe: 'Status', status: 500 } });
  life.update(podWith({ restartCount: 1, lastState: { terminated: ended(137) } }));
  expect(last()).toMatchObject({ code: 'Unhealthy', context: { status: 500, failures: 6 } });
});

test('a pod that is asked to stop, and one that had to be killed', () => {
  const deletionTimestamp = '2026-01-01T00:01:00Z';
  const { codes, last, life } = follow(podWith(running, { isReady: true }));
  const stopping = podWith({ state: { terminated: ended(137) } }, { deletionTimestamp });
  life.update(stopping);
  expect(viewOf(life.pod, life.notes)?.state).toBe('STOPPING');
  life.gone(stopping);
  expect(codes().slice(-2)).toEqual(['warning Killing', 'deleted Stopped']);
  expect(last()?.code).toBe('Stopped');
});

test('an evicted pod is over, a stopping one is not', () => {
  const failed = { ...podWith(running), status: { phase: 'Failed' } };
  expect(isOver(failed)).toBe(true);
  expect(isOver({ ...failed, metadata: { ...failed.metadata, deletionTimestamp: START } })).toBe(false);
});

describe('messages of the kubelet', () => {
  const pod = podWith(running);
  test.each([
    ['Readiness probe failed: HTTP probe failed with statuscode: 503', { probe: 'Status', status: 503, request: 'GET /healthz' }],
    [
      'Startup probe failed: Get "http://10.0.0.9:8080/healthz": dial tcp 10.0.0.9:8080: connect: connection refused',
      { probe: 'NothingListens' },
    ],
    [
      'Liveness probe failed: Get "http://10.0.0.9:8080/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
      { probe: 'NoAnswer', timeoutSeconds: 1, request: 'GET /healthz' },
    ],
    ['Readiness probe failed: dial tcp 10.0.0.9:8080: i/o timeout', { probe: 'ConnectionTimeout' }],
  ])('%s', (message, failure) => {
    expect(probeFailureOf(message, pod)?.failure).toEqual(failure);
  });

  test('of commands, and of something else', () => {
    const command = { ...pod, spec: { ...pod.spec, containers: [{ ...container, readinessProbe: { timeoutSeconds: 2, exec: {} } }] } };
    expect(probeFailureOf('Readiness probe failed: command timed out: "check" timed out after 2s', command)?.failure).toEqual({
      probe: 'CommandTimeout',
      timeoutSeconds: 2,
    });
    expect(probeFailureOf('Readiness probe failed: not yet', command)?.failure).toEqual({ probe: 'CommandFailed' });
    expect(probeFailureOf('Back-off restarting failed container', pod)).toBeUndefined();
  });
});
