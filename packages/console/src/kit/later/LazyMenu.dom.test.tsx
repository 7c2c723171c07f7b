import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

let root: Root;
let later: typeof import('./page-ready.ts');
beforeEach(async () => {
  // The module caches the menu's code once it is loaded: each test starts without it.
  vi.resetModules();
  const { LazyMenu } = await import('./LazyMenu.tsx');
  later = await import('./page-ready.ts');
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const items = [{ label: 'By name', onSelect: vi.fn() }];
  await act(async () => root.render(<LazyMenu items={items} trigger={<button type="button">Sort</button>} />));
});
afterEach(() => act(async () => root.unmount()));

const button = (): HTMLElement => document.querySelector('button') as HTMLElement;
const menuLoaded = () => act(async () => void (await import('@slipway/ui/overlay/Menu.tsx')));

test('a button that is pressed before its menu is there opens it when it comes', async () => {
  expect(button().getAttribute('aria-haspopup')).toBe('menu');
  await act(async () => button().click());
  await menuLoaded();
  expect(document.querySelector('[role=menuitem]')?.textContent).toBe('By name');
});

test('the menu comes when the page stands, and its button keeps the focus', async () => {
  const before = button();
  before.focus();
  void later.whileAsking(Promise.resolve());
  await act(async () => later.pageReady);
  await menuLoaded();
  await vi.waitFor(async () => {
    await act(async () => undefined);
    expect(button()).not.toBe(before);
    expect(document.activeElement).toBe(button());
  }, 60_000);
});
