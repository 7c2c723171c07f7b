/** States of a list: rows, none yet, no match, no such page, and an error. */
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { listDefaults, useListControl } from './list-control.ts';
import { ResourceList } from './ResourceList.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
interface Crane {
  name: string;
}
const defaults = { ...listDefaults, sort: 'name', kind: '' };
const mutate = vi.fn(async () => undefined);

function Cranes({ names, error }: { names: string[]; error?: ResponseError }) {
  const control = useListControl(defaults);
  const data = {
    content: names.map((name) => ({ name })),
    totalElements: names.length,
    totalPages: 1,
    isTotalAtLeast: false,
    number: 0,
    size: 25,
    first: true,
    last: true,
  };
  return (
    <>
      <output>{JSON.stringify(control.filter)}</output>
      <ResourceList<Crane>
        label="Cranes"
        noun="crane"
        plural="cranes"
        list={{ attempt: 0, mutate, ...(error ? { error } : { data }) }}
        control={control}
        columns={[
          { key: 'name', header: 'Name', isSortable: true, cell: ({ name }) => name },
          { key: 'builtAt', header: 'Built', isSortable: true, isDescendingFirst: true, cell: () => '' },
        ]}
        rowKey={({ name }) => name}
        searchLabel="Filter cranes"
        firstUse={{ title: 'There are no cranes yet', text: 'A crane lifts.' }}
        noRight="Ask Ingrid."
      />
    </>
  );
}

let root: Root;
let router: ReturnType<typeof createMemoryRouter>;
afterEach(() => act(async () => root.unmount()));
const open = async (search: string, element: React.ReactNode): Promise<string> => {
  document.body.innerHTML = '<div id="root"></div>';
  history.replaceState(null, '', `/${search}`);
  root = createRoot(document.getElementById('root') as HTMLElement);
  router = createMemoryRouter([{ path: '/', element }], { initialEntries: [`/${search}`] });
  await act(async () => root.render(<RouterProvider router={router} />));
  return document.body.textContent ?? '';
};
const press = (label: string) =>
  act(async () => [...document.querySelectorAll<HTMLElement>('button, a')].find(({ textContent }) => textContent === label)?.click());
const asked = (): unknown => JSON.parse(document.querySelector('output')?.textContent ?? '');
const hasSearch = (): boolean => document.querySelector('input') !== null;

test('rows, and how many', async () => {
  expect(await open('', <Cranes names={['north', 'south']} />)).toMatch(/2 cranes.*north.*south/);
  expect(asked()).toEqual({ page: 0, size: 25, sort: 'name' });
});

test('where there is none yet it says what one is for, and nothing is searched', async () => {
  expect(await open('', <Cranes names={[]} />)).toMatch(/There are no cranes yet.*A crane lifts/);
  expect(hasSearch()).toBe(false);
});

test('a search or filter that finds nothing can be cleared', async () => {
  expect(await open('?query=x&page=0', <Cranes names={[]} />)).toContain('No crane matches “x”');
  expect(asked()).toEqual({ page: 0, size: 25, sort: 'name', query: 'x' });
  expect(hasSearch()).toBe(true);
  await press('Clear the filter');
  expect(router.state.location.search).toBe('');
  await act(async () => root.unmount());
  expect(await open('?kind=harbour', <Cranes names={[]} />)).toContain('No crane fits the filter');
});

test('a page behind the last one is not “none yet”', async () => {
  expect(await open('?page=7', <Cranes names={[]} />)).toContain('There is no page 8 of cranes');
  expect(document.querySelector('a')?.outerHTML).toMatch(/href="\/".*First page/);
});

test('an error is never an empty list, and a missing right says whom to ask', async () => {
  expect(await open('', <Cranes names={[]} error={new ResponseError(503, { status: 503, title: 'x' })} />)).toContain(
    'could not be loaded',
  );
  await press('Try now');
  expect(mutate).toHaveBeenCalledOnce();
  await act(async () => root.unmount());
  const text = await open('', <Cranes names={[]} error={new ResponseError(403, { status: 403, title: 'x' })} />);
  expect(text).toMatch(/You may not see the cranes.*Ask Ingrid/);
});

test('a press on a head sorts by it, of times the newest first', async () => {
  await open('', <Cranes names={['north']} />);
  await press('Built');
  expect(router.state.location.search).toBe('?sort=-builtAt');
  await press('Name');
  expect(router.state.location.search).toBe('');
  await press('Name');
  expect(router.state.location.search).toBe('?sort=-name');
});
