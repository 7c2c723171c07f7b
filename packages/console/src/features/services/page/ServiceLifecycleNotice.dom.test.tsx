import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, test } from 'vitest';
import { ServiceLifecycleNotice } from './ServiceLifecycleNotice.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const status: Service['status'] = {
  url: 'http://berth.example/',
  health: 'NO_INSTANCES',
  serving: 'berth-2',
  imageTag: 'v2',
  replicasWanted: 0,
  replicasReady: 0,
  requestsPerMinute: null,
  errorsPerMinute: null,
  p95Ms: null,
  memoryMegabytes: null,
  lastDeployAt: null,
  pipelineId: null,
  scaledDownAt: null,
  lastRequestAt: null,
};
const service = (change: Partial<Service>): Service => ({
  name: 'berth',
  metadata: { name: 'berth', environment: 'production' },
  app: 'berth',
  environment: 'production',
  active: true,
  state: 'ACTIVE',
  region: 'WESTEUROPE',
  githubRepositoryName: null,
  repositoryUrl: null,
  areSettingsReadable: true,
  spec: { ...newServiceSpec('localhost/berth/berth'), scaleDownAfterDays: 7 },
  status,
  settingsVersion: 1,
  creationPipelineId: null,
  creationTimestamp: '',
  can: { activate: true },
  ...change,
});

let root: Root;
afterEach(() => act(async () => root.unmount()));
const show = async (of: Service): Promise<string> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<ServiceLifecycleNotice service={of} team="Cranes" />));
  return document.body.textContent ?? '';
};
const activate = (): HTMLButtonElement | undefined =>
  [...document.querySelectorAll('button')].find((button) => button.textContent?.includes('Activate'));

test('a service that runs has no news', async () => {
  expect(await show(service({}))).toBe('');
});

test('a service with unreadable settings says so', async () => {
  expect(await show(service({ areSettingsReadable: false }))).toContain("The stored settings of this service can't be read.");
});

test('an inactive service says what that means, and can be activated', async () => {
  expect(await show(service({ active: false }))).toMatch(/This service is inactive\. No instance runs, and its URL does not answer/);
  expect(activate()?.getAttribute('aria-disabled')).toBeNull();
});

test('one that was stopped for want of requests says so, by its days', async () => {
  const stopped = service({ status: { ...status, scaledDownAt: '2026-11-20T12:00:00.000Z' } });
  expect(await show(stopped)).toMatch(/Stopped after 7 days without a request, .*Activating it, or the next deploy, starts it again/);
  expect(activate()).toBeDefined();
});

test('who may not activate it sees why', async () => {
  const text = await show(service({ active: false, can: { activate: 'NotAMember' } }));
  expect(activate()?.getAttribute('aria-disabled')).toBe('true');
  expect(text).toMatch(/Cranes/);
});
