/** The demo scene on Home: when administrators see it, what its buttons send, and how it shows progress and failures. */
import { demoSceneView, type DemoScene } from '@slipway/contract/demo.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { keepAnswer } from '#kit/api/query.ts';
import { DemoPanel } from './DemoPanel.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const none: DemoScene = {
  state: 'NONE',
  step: null,
  done: 0,
  total: 0,
  failure: null,
  objects: 0,
  isPlatformEmpty: true,
  startedAt: null,
  endedAt: null,
};
let scene = none;
const sent: string[] = [];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id, method }: { id: string; method: string }) => {
    if (method !== 'GET') {
      sent.push(id);
      scene = { ...scene, state: id === 'demoSceneFill' ? 'FILLING' : 'REMOVING', failure: null };
    }
    return scene;
  }) as never,
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
/** With the cache that writes put their answers into. */
const open = async (more: Partial<DemoScene> = {}): Promise<string> => {
  scene = { ...none, ...more };
  sent.length = 0;
  await keepAnswer(demoSceneView, {}, scene);
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<DemoPanel />));
  for (let tick = 0; tick < 5; tick += 1) await act(async () => {});
  return document.body.textContent ?? '';
};
const buttons = (): (string | null)[] =>
  [...document.querySelectorAll('button')].map(({ textContent }) => textContent).filter((text) => text !== 'Copy');
const press = (label: string) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label)?.click());

test('an empty platform offers the scene and its command, and a platform in use says nothing', async () => {
  expect(await open()).toContain('npx slipway demo');
  expect(buttons()).toContain('Create the demo scene');
  expect(await open({ isPlatformEmpty: false })).toBe('');
});

test('the button creates the scene, and the progress replaces it', async () => {
  await open();
  await press('Create the demo scene');
  expect(sent).toEqual(['demoSceneFill']);
  await expect.poll(() => document.body.textContent).toContain('Creating the demo scene');
  expect(buttons()).toEqual(['Stop and remove']);
});

test('the progress names the step', async () => {
  const text = await open({ state: 'FILLING', step: 'Push berth-planner', done: 4, total: 20 });
  expect(text).toContain('Creating the demo scene, step 5 of 20: Push berth-planner');
});

test('a failure says why, and offers to continue or to remove', async () => {
  const text = await open({ state: 'FILLING', step: 'Push berth-planner', done: 4, total: 20, failure: 'The build failed' });
  expect(text).toContain('Push berth-planner: The build failed');
  expect(buttons()).toEqual(['Continue', 'Remove the demo scene']);
  await press('Continue');
  expect(sent).toEqual(['demoSceneFill']);
});

test('a filled scene is removed in one go, also on a platform that has teams of its own', async () => {
  expect(await open({ state: 'FILLED', objects: 41, isPlatformEmpty: false })).toContain('The scene has 41 objects');
  await press('Remove the demo scene');
  expect(sent).toEqual(['demoSceneRemove']);
  await expect.poll(() => document.body.textContent).toContain('Removing the demo scene');
  expect(buttons()).toEqual([]);
});
