/** The form's fields with a real store: marking and reverting changes, opening rows with errors, pasting files, keeping drafts. */
import type { ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { draftOf, envPath, envRowsOf, withValue } from './draft.ts';
import { EnvironmentSection } from './environment/EnvironmentSection.tsx';
import { focusField } from './focus-field.ts';
import { HealthSection } from './sections/HealthSection.tsx';
import { forgetDraft, keepDraft, keptDraft } from './kept-draft.ts';
import { RolloutSection } from './sections/RolloutSection.tsx';
import { facts, imagePrefix, settingsWith, variable } from './settings.fixture.ts';
import { SettingsContext } from './settings-context.ts';
import { createSettingsStore, type SettingsStore } from './store.ts';

vi.mock('@slipway/contract/secret/secret-look.ts', { spy: true });
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const place = { app: 'berth', env: 'development', service: 'berth-api' } as const;
let root: Root;
let store: SettingsStore;

const open = async (values: Record<string, unknown> = {}, isLocked = false): Promise<void> => {
  const settings = settingsWith(values);
  store = createSettingsStore(settings, 1, facts);
  const view: ServiceSettingsView = {
    ...settings,
    settingsVersion: 1,
    secretGroups: [{ name: 'orders', keys: ['db-url'] }],
    imagePrefix,
    appliedBasePath: null,
    engine: { limits: 'enforced', spot: null, hasVaultProxy: false, isNetworkIsolated: true, insideHosts: [], warning: null },
    canEdit: isLocked ? 'DeployPipelineAlreadyRunning' : true,
    pipelineId: null,
  };
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () =>
    root.render(
      <SettingsContext value={{ place, view, store, isLocked, isMember: true }}>
        <EnvironmentSection />
        <RolloutSection />
        <HealthSection />
      </SettingsContext>,
    ),
  );
};
beforeEach(() => {
  document.body.innerHTML = '<div id="root"></div>';
});
afterEach(async () => {
  await act(async () => root.unmount());
  sessionStorage.clear();
});

const labelled = (label: string): HTMLInputElement => {
  const found = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
  return document.getElementById(found?.htmlFor ?? '') as HTMLInputElement;
};
const button = (name: string): HTMLButtonElement | undefined =>
  [...document.querySelectorAll('button')].find((item) => item.getAttribute('aria-label') === name || item.textContent?.trim() === name);
const press = (name: string) => act(async () => button(name)?.click());
const type = (input: HTMLInputElement | HTMLTextAreaElement, text: string) =>
  act(async () => {
    // React listens to the native setter, so the test sets the value through that setter.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
const page = (): string => document.body.textContent ?? '';

describe('a field', () => {
  const path = 'spec.template.healthCheck.http.path';
  test('says what it was, and is put back with one press', async () => {
    await open();
    expect(page()).not.toContain('was /healthz');
    await type(labelled('HTTP path'), '/ready');
    expect(page()).toContain('was /healthz');
    expect(store.get().changes).toMatchObject([{ path, after: '/ready' }]);
    await press('Put back HTTP path');
    expect([labelled('HTTP path').value, store.get().changes]).toEqual(['/healthz', []]);
  });

  test('says nothing before the review, then what is wrong, and gets the focus', async () => {
    await open();
    await type(labelled('HTTP path'), 'ready');
    expect(page()).not.toContain('not a valid path');
    await act(async () => void store.check());
    expect(page()).toContain('HTTP path is not a valid path');
    expect(labelled('HTTP path').getAttribute('aria-invalid')).toBe('true');
    expect(focusField(path)).toBe(true);
    expect(document.activeElement).toBe(labelled('HTTP path'));
    await type(labelled('HTTP path'), '/ready');
    expect(page()).not.toContain('not a valid path');
  });

  test('a choice of cards gets the focus at what is chosen', async () => {
    await open();
    expect(focusField('spec.rollout.strategy')).toBe(true);
    expect((document.activeElement as HTMLInputElement).value).toBe('ROLLING_UPDATE');
    expect(focusField('spec.nothing')).toBe(false);
  });

  test('while a change is applying nothing can be edited', async () => {
    await open({ [envPath]: [variable('A', '1')] }, true);
    expect(labelled('HTTP path').readOnly).toBe(true);
    expect(button('Edit A')).toBeUndefined();
    expect(button('Add')?.getAttribute('aria-disabled')).toBe('true');
  });
});

describe('environment variables', () => {
  const rows = (): string[] => envRowsOf(store.get().draft).map(({ name, value }) => `${name}=${value}`);
  const paste = (target: Element, text: string) =>
    act(async () => {
      const event = new Event('paste', { bubbles: true, cancelable: true });
      Object.assign(event, { clipboardData: { getData: () => text } });
      target.dispatchEvent(event);
    });

  test('are added, edited, removed and put back', async () => {
    await open({ [envPath]: [variable('A', '1'), variable('B', '2')] });
    await press('Add');
    expect(document.activeElement).toBe(labelled('Name'));
    await type(labelled('Name'), 'C');
    await type(labelled('Value'), '3');
    expect(rows()).toEqual(['A=1', 'B=2', 'C=3']);
    await press('Remove A');
    expect(page()).toContain('removed');
    await press('Put back A');
    expect(rows().toSorted()).toEqual(['A=1', 'B=2', 'C=3']);
  });

  test('a row with an error is open', async () => {
    await open();
    await act(async () => store.set(envPath, [variable('A', '1'), variable('A', '2')]));
    await act(async () => void store.check());
    expect(page()).toContain('The environment variable A is set more than once');
    expect(labelled('Name').value).toBe('A');
  });

  test('a file pasted where a name belongs is shown before it is used', async () => {
    await open({ [envPath]: [variable('LOG_LEVEL', 'info')] });
    await press('Add');
    await paste(labelled('Name'), 'LOG_LEVEL=debug\nTIDE=high\n');
    await vi.waitFor(() => expect(page()).toContain('1 added, 1 changed, 0 removed, 0 the same'), 60_000);
    expect(rows()).toEqual(['LOG_LEVEL=info']);
    await press('Merge');
    expect(rows()).toEqual(['LOG_LEVEL=debug', 'TIDE=high']);
  });

  test('a value that looks like a secret is not shown, and is warned of while it is edited', async () => {
    const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8'.repeat(2)}`;
    await open({ [envPath]: [variable('HOOK', secret)] });
    expect(page()).toContain('looks like a GitHub token');
    expect(page()).not.toContain(secret);
    await press('Edit HOOK');
    expect(page()).toContain('The value of HOOK looks like a GitHub token');
    expect(button('Move to a secret group')).toBeDefined();
  });

  test('many of them: one that is edited does not draw the others', async () => {
    const count = 200;
    await open({ [envPath]: Array.from({ length: count }, (_, index) => variable(`NAME_${index}`, String(index))) });
    await press('Edit NAME_100');
    // Every row calls this function when it renders.
    const asked = vi.mocked(looksLikeSecret).mockClear();
    await type(labelled('Value'), 'other');
    expect(asked.mock.calls.length).toBeGreaterThan(0);
    expect(asked.mock.calls.length).toBeLessThan(10);
    expect(store.get().changes).toHaveLength(1);
    expect(page()).toContain('200 variables');
  });
});

describe('a draft', () => {
  const base = settingsWith({ [envPath]: [variable('HOOK', 'none')] });
  const edited = withValue(draftOf(base), 'spec.resources.cpuMillicores', 500);
  test('is kept until it is forgotten', () => {
    keepDraft('a/b/c', { base, draft: edited });
    expect(keptDraft('a/b/c')?.draft.spec.resources.cpuMillicores).toBe(500);
    expect(keptDraft('a/b/d')).toBeUndefined();
    forgetDraft('a/b/c');
    expect(keptDraft('a/b/c')).toBeUndefined();
  });
  test('without changes there is none, and nonsense is none', () => {
    keepDraft('a/b/c', { base, draft: edited });
    keepDraft('a/b/c', { base, draft: draftOf(base) });
    expect(keptDraft('a/b/c')).toBeUndefined();
    sessionStorage.setItem('slipway.settings-draft.a/b/c', '{"base":1');
    expect(keptDraft('a/b/c')).toBeUndefined();
  });
  test('what looks like a secret is not kept', () => {
    const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8'.repeat(2)}`;
    const draft = withValue(edited, envPath, [variable('HOOK', secret), variable('NEW', secret), variable('PLAIN', 'x')]);
    keepDraft('a/b/c', { base, draft });
    expect(JSON.stringify(Object.values(sessionStorage))).not.toContain('ghp_');
    const kept = keptDraft('a/b/c');
    expect(kept && envRowsOf(kept.draft).map(({ value }) => value)).toEqual(['none', '', 'x']);
  });
});
