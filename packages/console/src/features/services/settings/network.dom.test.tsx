/** The network section: hosts are edited only if they apply, and a sign-in that this machine can't enforce is disabled. */
import { messageOf } from '@slipway/contract/kernel/errors.ts';
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import type { ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setRuntimeConfig } from '#kit/api/runtime-config.ts';
import { NetworkSection } from './sections/NetworkSection.tsx';
import { SettingsContext } from './settings-context.ts';
import { facts, imagePrefix, settingsWith } from './settings.fixture.ts';
import { createSettingsStore, type SettingsStore } from './store.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const place = { app: 'berth', env: 'development', service: 'berth-api' } as const;
let root: Root;
let store: SettingsStore;

const open = async (values: Record<string, unknown>, isNetworkIsolated = true): Promise<void> => {
  const settings = settingsWith(values);
  store = createSettingsStore(settings, 1, { ...facts, isNetworkIsolated });
  const view: ServiceSettingsView = {
    ...settings,
    settingsVersion: 1,
    secretGroups: [],
    imagePrefix,
    appliedBasePath: null,
    engine: { limits: 'enforced', spot: null, hasVaultProxy: false, isNetworkIsolated, insideHosts: [], warning: null },
    canEdit: true,
    pipelineId: null,
  };
  await act(async () =>
    root.render(
      <SettingsContext value={{ place, view, store, isLocked: false, isMember: true }}>
        <NetworkSection />
      </SettingsContext>,
    ),
  );
};
beforeEach(() => {
  document.body.innerHTML = '<div id="root"></div>';
  setRuntimeConfig({ serviceUrl: 'http://{service}.{app}.{env}.localhost' } as RuntimeConfig);
  root = createRoot(document.getElementById('root') as HTMLElement);
});
afterEach(() => act(async () => root.unmount()));

const radio = (value: string): HTMLInputElement => document.querySelector(`input[type=radio][value=${value}]`) as HTMLInputElement;
const byLabel = (label: string): HTMLInputElement | null => {
  const found = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
  return found ? (document.getElementById(found.htmlFor) as HTMLInputElement) : null;
};
const press = (name: string) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.trim() === name)?.click());

test('hosts are asked for with a list alone, and kept in lower case', async () => {
  await open({});
  expect(document.body.textContent).not.toContain('Add a host');
  await act(async () => radio('LISTED').click());
  await act(async () => void store.check());
  expect(document.body.textContent).toContain('Outgoing hosts is required');
  await press('Add a host');
  const input = byLabel('Host 1') as HTMLInputElement;
  await act(async () => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')?.set?.call(input, ' API.Example.com:8443 ');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  expect(store.get().draft.spec.outgoingTraffic).toEqual({ type: 'LISTED', hosts: ['api.example.com:8443'] });
  expect(document.body.textContent).not.toContain('Outgoing hosts is required');
});

test('a sign-in is not offered where it could be walked around, and can be left', async () => {
  await open({ 'spec.externalTrafficAuthentication': 'BASIC_AUTH' }, false);
  expect([radio('AZURE_AUTH').disabled, radio('BASIC_AUTH').disabled, radio('NO_AUTH').disabled]).toEqual([true, true, false]);
  expect(document.body.textContent).toContain(messageOf('SignInNeedsNetworks'));
  await act(async () => radio('NO_AUTH').click());
  expect(store.get().draft.spec.externalTrafficAuthentication).toBe('NO_AUTH');
});
