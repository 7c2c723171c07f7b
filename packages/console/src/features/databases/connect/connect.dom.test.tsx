/** The Connect tab: each access shows its own secret group and variables, and the read-only login can be turned on and off. */
import type { Database } from '@slipway/contract/database/database.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { databaseOf, place } from '#features/databases/database.fixture.ts';
import ConnectTab from './ConnectTab.tsx';
import { snippetFor, snippetKinds } from './snippets.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const asked: string[] = [];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async (_route: object, { params }: { params: { group: string } }) => {
    asked.push(params.group);
    return { services: [] };
  }) as never,
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
const open = async (database: Database, search = ''): Promise<string> => {
  asked.length = 0;
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const element = (
    <SWRConfig value={{ provider: () => new Map() }}>
      <ConnectTab place={place} database={database} team="Cranes" />
    </SWRConfig>
  );
  const router = createMemoryRouter([{ path: '/', element }], { initialEntries: [`/${search}`] });
  await act(async () => root.render(<RouterProvider router={router} />));
  await act(async () => {});
  return document.getElementById('root')?.textContent ?? '';
};
const button = (text: string) => [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.includes(text));
const reader = { secretGroup: 'berth-berthplans-read', user: 'berthplans_k3f9_reader_a', version: 2, maxConnections: 20 };

test('to read and write, the variables of the main secret group are shown', async () => {
  const text = await open(databaseOf({ reader }));
  expect(text).toContain('psql "$DB_URL"');
  expect(text).not.toContain('DB_READ_');
  expect(asked).toEqual(['berth-berthplans']);
});

test('only to read, the variables and the share of the read-only login are shown, and it can be turned off', async () => {
  const text = await open(databaseOf({ reader }), '?access=read');
  expect(text).toContain('psql "$DB_READ_URL"');
  expect(text).toContain('20 of 100');
  expect(text).not.toMatch(/\bDB_(URL|PASSWORD)/);
  expect(asked).toEqual(['berth-berthplans-read']);
  expect(button('Turn off read-only login')).toBeDefined();
});

test('a read-only login that is off says what it is for, and can be turned on', async () => {
  const text = await open(databaseOf(), '?access=read');
  expect(text).toContain('The read-only login is off');
  expect(text).not.toContain('psql');
  expect(button('Turn on read-only login')?.getAttribute('aria-disabled')).not.toBe('true');
  await act(async () => root.unmount());
  await open(databaseOf({ can: { setReader: 'DatabaseInactive' } }), '?access=read');
  expect(button('Turn on read-only login')?.getAttribute('aria-disabled')).toBe('true');
});

test('no snippet for reading names a variable of the main secret group', () => {
  for (const kind of snippetKinds) {
    expect(snippetFor(kind, true).code).toContain('DB_READ_');
    expect(snippetFor(kind, true).code).not.toMatch(/DB_(?!READ_)/);
  }
});
