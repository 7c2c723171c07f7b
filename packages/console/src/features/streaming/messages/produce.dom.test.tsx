/** A test message: why production has none, and the values that the schemas prefill. */
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { schemaOf, topicOf } from '#features/streaming/streaming.fixture.ts';
import type { CodeEditorProps } from '#kit/code/code-editor-props.ts';
import MessagesTab from './MessagesTab.tsx';
import { ProducePanel } from './ProducePanel.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const record = (name: string, ...fields: object[]): string => JSON.stringify({ type: 'record', name, fields });
const contents: Readonly<Record<string, string>> = {
  sch_1: record('Event', { name: 'berth', type: 'string' }),
  sch_2: record('Key', { name: 'id', type: 'int' }),
};
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }, { params = {} }: { params?: { schema?: string } } = {}) =>
    id === 'schemaView' ? schemaOf({ content: contents[params.schema ?? ''] ?? '' }) : { messages: [], skipped: [], next: null }) as never,
}));
// The real editor needs a browser.
vi.mock(import('#kit/code/CodeEditor.tsx'), () => ({ CodeEditor: ({ value }: CodeEditorProps) => <pre>{value}</pre> }));

let root: Root;
afterEach(() => act(async () => root.unmount()));
const open = async (element: ReactNode): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ provider: () => new Map() }}>{element}</SWRConfig>;
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '/', element: page }])} />));
};
const button = (words: string) => [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.includes(words));
const place = { app: 'berth', topic: 'berthevents' } as const;

test('in production the button says why it does nothing', async () => {
  const topic = topicOf({ environmentClass: 'production', can: { ...topicOf().can, produce: 'DevelopmentOnly' } });
  await open(<MessagesTab place={{ ...place, env: 'production' }} topic={topic} isMember team="Cranes" noRight="" />);
  expect(button('Produce test message')?.getAttribute('aria-disabled')).toBe('true');
  expect(document.body.textContent).toContain('Test messages can be produced in development only');
});

test('key and value are filled from their schemas', async () => {
  const { spec } = topicOf();
  const topic = topicOf({ spec: { ...spec, keySchema: { ...spec.valueSchema, resourceId: 'sch_2', name: 'berthkey' } } });
  await open(<ProducePanel place={{ ...place, env: 'development' }} topic={topic} onClose={() => {}} onProduced={() => {}} />);
  await vi.waitFor(async () => (await act(async () => {}), expect(button('Fill from the schema')).toBeDefined()), { timeout: 20_000 });
  await act(async () => button('Fill from the schema')?.click());
  expect(document.querySelector<HTMLInputElement>('input[name="key"]')?.value).toBe('{"id":0}');
  expect(JSON.parse(document.querySelector('pre')?.textContent ?? '')).toEqual({ berth: '' });
});
