/** Checks how the label of the server's own pod follows what the replica does, beside an API server that fails at first. */
import { expect, test, vi } from 'vitest';
import { silentLog } from '@slipway/runtime/local/runtime-subject.fixture.ts';
import { PortFailure } from '#ports/failure.ts';
import { ClusterApi } from './api/cluster-api.ts';
import type { KubeMetadata } from './api/kube-object.ts';
import { HOLDER_LABEL, HolderLabel } from './holder-label.ts';

const away = new PortFailure('unavailable', 'The API server does not answer.');

const labelsOf = (isHolder: boolean, component = 'server'): Record<string, string> => ({
  'app.kubernetes.io/instance': 'blue',
  'app.kubernetes.io/component': component,
  ...(isHolder && { [HOLDER_LABEL]: 'open' }),
});

/** Returns a label, and what was written. The first `failures` requests fail. */
const makeLabel = (failures = 0, others: readonly string[] = []) => {
  const own = 'slipway-7d-abc';
  const written: (string | null | undefined)[] = [];
  const paths = new Set<string>();
  let attempts = 0;
  const api = Object.create(ClusterApi.prototype) as ClusterApi;
  api.label = async (path, labels) => {
    attempts += 1;
    if (attempts <= failures) throw away;
    paths.add(path);
    written.push(labels[HOLDER_LABEL]);
    const metadata = { name: path.split('/').at(-1) ?? '', labels: labelsOf(labels[HOLDER_LABEL] === 'open') };
    return { apiVersion: 'v1', kind: 'Pod', metadata };
  };
  const selectors: unknown[] = [];
  /** Pods of the release, if a test sets them. */
  const pods: KubeMetadata[] = [];
  api.get = async (_, query) => {
    selectors.push(query?.['labelSelector']);
    const items = pods.length > 0 ? pods : [own, ...others].map((name): KubeMetadata => ({ name }));
    return { items: items.map((metadata) => ({ metadata })) };
  };
  const label = new HolderLabel(`platform/${own}`, async () => api, silentLog, 5);
  return { label, own, pods, written, paths, selectors, attempts: () => attempts };
};

test('follows acquire and release in their order, on the own pod alone', async () => {
  const { label, paths, written } = makeLabel();
  label.show(false);
  label.show(true);
  label.show(false);
  await label.end();
  expect(written).toEqual([null, 'open', null]);
  expect([...paths]).toEqual(['/api/v1/namespaces/platform/pods/slipway-7d-abc']);
});

test('takes the label from a pod of the same release that was lost with it', async () => {
  const { label, paths, selectors, written } = makeLabel(0, ['slipway-7d-lost']);
  label.show(true);
  await label.end();
  expect(selectors).toEqual([`${HOLDER_LABEL}=open,app.kubernetes.io/instance=blue`]);
  expect(written).toEqual(['open', null]);
  expect([...paths].at(-1)).toBe('/api/v1/namespaces/platform/pods/slipway-7d-lost');
});

test('tries again while the API server is away', async () => {
  const { label, written } = makeLabel(3);
  label.show(true);
  await vi.waitFor(() => expect(written).toEqual(['open']));
  await label.end();
});

test('a later call replaces one that still fails, and an end waits for no API server', async () => {
  const { attempts, label, written } = makeLabel(2);
  label.show(true);
  label.show(false);
  await vi.waitFor(() => expect(written).toEqual([null]));
  await label.end();

  const gone = makeLabel(Number.POSITIVE_INFINITY);
  gone.label.show(true);
  await gone.label.end();
  expect(gone.attempts()).toBe(1);
  expect(attempts()).toBe(3);
});

test('waits until the next holder has taken the label over', async () => {
  const { label, own, pods, selectors } = makeLabel();
  label.show(true);
  await label.end();
  pods.push({ name: own, labels: labelsOf(true) }, { name: 'slipway-7d-next', labels: labelsOf(false) });
  let isOver = false;
  const over = label.takenOver(60_000, new AbortController().signal).then(() => (isOver = true));
  await vi.waitFor(() => expect(selectors.length).toBeGreaterThan(3));
  expect(isOver).toBe(false);
  pods[0] = { name: own, labels: labelsOf(false) };
  await over;
});

test.each([
  ['the only replica', []],
  ['beside a replica that also stops', [{ name: 'slipway-7d-old', labels: labelsOf(false), deletionTimestamp: '2026-11-01T00:00:00Z' }]],
  ['beside a job', [{ name: 'slipway-backup-x', labels: labelsOf(false, 'backup') }]],
] satisfies [string, KubeMetadata[]][])('waits for no next holder as %s', async (_, others) => {
  const { label, own, pods, selectors } = makeLabel();
  label.show(true);
  await label.end();
  pods.push({ name: own, labels: labelsOf(true) }, ...others);
  await label.takenOver(60_000, new AbortController().signal);
  expect(selectors).toHaveLength(2);
});

test('gives up when no replica takes the label over, and at once when aborted', async () => {
  const { label, own, pods } = makeLabel();
  label.show(true);
  await label.end();
  pods.push({ name: own, labels: labelsOf(true) }, { name: 'slipway-7d-next', labels: labelsOf(false) });
  await label.takenOver(20, new AbortController().signal);
  await expect(label.takenOver(60_000, AbortSignal.abort())).rejects.toThrow(/aborted/);
});
