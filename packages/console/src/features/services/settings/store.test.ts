import { expect, test, vi } from 'vitest';
import { draftOf, envPath, withValue } from './draft.ts';
import { facts, settingsWith, variable } from './settings.fixture.ts';
import { createSettingsStore } from './store.ts';

const cpu = 'spec.resources.cpuMillicores';
const memory = 'spec.resources.memoryMegabytes';
const made = (values = {}) => createSettingsStore(settingsWith(values), 3, facts);
const fieldsOf = (store: ReturnType<typeof made>) => store.get().errors.map(({ field }) => field);

test('nothing is wrong before the first review, and everything after it, with every change', () => {
  const store = made();
  store.set(cpu, 10);
  expect(fieldsOf(store)).toEqual([]);
  expect(store.check()).toBe(false);
  expect(fieldsOf(store)).toEqual([cpu]);
  store.set(cpu, 100);
  expect(fieldsOf(store)).toEqual([]);
  store.set(memory, null);
  expect(fieldsOf(store)).toEqual([memory]);
  expect(store.check()).toBe(false);
});

test('what the server refuses stands at its field until that field changes', () => {
  const store = made();
  const image = 'spec.containerImageName';
  expect(store.refuse([{ field: image, code: 'ContainerImageWrong', context: {} }])).toBe(true);
  store.set(cpu, 300);
  expect(fieldsOf(store)).toEqual([image]);
  store.set(image, 'registry.example.com/berth/other');
  expect(fieldsOf(store)).toEqual([]);
  expect(store.refuse([{ code: 'ServiceNotCreated' }])).toBe(false);
});

test('changes are counted against what is saved; they are taken back one by one or all at once', () => {
  const store = made({ [envPath]: [variable('A', '1')] });
  const listener = vi.fn<() => void>();
  store.subscribe(listener);
  store.set(cpu, 300);
  store.set(`${envPath}.0.value`, '2');
  expect(store.get().changes.map(({ path }) => path)).toEqual([cpu, `${envPath}.A`]);
  store.putBack(cpu);
  expect(store.get().changes.map(({ path }) => path)).toEqual([`${envPath}.A`]);
  store.discard();
  expect(store.get().changes).toEqual([]);
  expect(listener).toHaveBeenCalledTimes(4);
});

test('new saved settings: one’s own changes stay, with the new version', () => {
  const store = made();
  store.set(cpu, 300);
  store.rebase(settingsWith({ [memory]: 512, [cpu]: 400 }), 4);
  expect(store.get().version).toBe(4);
  expect(store.get().changes).toMatchObject([{ path: cpu, before: 400, after: 300 }]);
});

test('what is filled in is a change, also when it was still being undone', () => {
  const [failed, undone] = [settingsWith({ [cpu]: 300 }), settingsWith()];
  const store = createSettingsStore(failed, 3, facts);
  store.fill(failed.spec);
  expect(store.get().changes).toEqual([]);
  store.rebase(undone, 4);
  expect(store.get().changes).toMatchObject([{ path: cpu, after: 300 }]);
  store.discard();
  store.rebase(settingsWith({ [memory]: 512 }), 5);
  expect(store.get().changes).toEqual([]);
});

test('a filled-in draft is a draft like any other', () => {
  const store = made();
  store.replace(withValue(draftOf(settingsWith()), memory, 1024));
  expect(store.get().changes).toMatchObject([{ path: memory, before: 256, after: 1024 }]);
});
