/**
 * A schema that someone else saves during editing, and a topic that differs on the cluster: display, and the request of each resolution.
 */
import { act, useState, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SchemaDrift } from '@slipway/contract/streaming/schema-drift.ts';
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import type { TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import type { CodeEditorProps } from '#kit/code/code-editor-props.ts';
import { ConfirmHost } from '#kit/confirm/ConfirmHost.tsx';
import { SchemaEditor } from './schema/SchemaEditor.tsx';
import { schemaOf, topicOf } from './streaming.fixture.ts';
import { SchemaDriftNotice } from './schema/SchemaDriftNotice.tsx';
import { DriftPanel } from './topic/DriftPanel.tsx';
import TopicSettings from './topic/TopicSettings.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const sent = vi.fn<(id: string, input: { body?: unknown }) => unknown>();
const drift: TopicDrift = {
  comparedAt: '2026-11-20T12:00:00.000Z',
  isStale: false,
  differences: [
    { kind: 'CONFIG', name: 'retention.ms', ours: '86400000', theirs: '7200000', canRepair: true, canAdopt: true },
    { kind: 'CONFIG', name: 'max.message.bytes', ours: null, theirs: '1048576', canRepair: true, canAdopt: false },
  ],
  same: [],
  foreign: [],
};
let schemaDrift: SchemaDrift;
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id, method }: { id: string; method: string }, input: { body?: unknown }) => {
    if (id === 'streamingInfoView') return { cluster: { state: 'REACHABLE' }, registry: { state: 'REACHABLE' } };
    if (id === 'topicDriftView') return drift;
    if (id === 'schemaDriftView') return schemaDrift;
    return method === 'GET' ? { content: [], totalElements: 0 } : sent(id, input);
  }) as never,
}));
// The real editor needs a browser; browser tests cover typing in it.
vi.mock(import('#kit/code/CodeEditor.tsx'), () => ({
  CodeEditor: ({ label, value, onChange }: CodeEditorProps) => (
    <button type="button" aria-label={label} onClick={() => onChange(`${value}\nmine`)}>
      {value}
    </button>
  ),
}));

let root: Root;
beforeEach(() => {
  sent.mockReset();
  sent.mockImplementation((id) =>
    id.endsWith('Check') ? { state: 'INVALID', problems: [], issues: [], affected: { topics: [], accounts: [] } } : {},
  );
});
afterEach(() => act(async () => root.unmount()));
const open = async (element: ReactNode): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ provider: () => new Map() }}>{element}</SWRConfig>;
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '*', element: page }])} />));
  await act(async () => {});
};
const text = (): string => document.body.textContent ?? '';
const press = async (name: string): Promise<void> => {
  const button = [...document.querySelectorAll('button')].find(
    (one) => one.textContent === name || one.getAttribute('aria-label') === name,
  );
  await act(async () => button?.click());
};

const place = { app: 'berth', env: 'development', schema: 'berthevent' } as const;
const first = schemaOf({ content: 'a\nb\nc', revisionId: 1 });
/** Opens the editor, appends a line, and lets someone else save another version. */
const crossed = async (theirs: string): Promise<void> => {
  let saved: (schema: Schema) => void = () => {};
  const Page = () => {
    const [schema, setSchema] = useState(first);
    saved = setSchema;
    return <SchemaEditor place={place} schema={schema} team="Cranes" />;
  };
  await open(<Page />);
  await press('Schema content, version 2');
  await act(async () => saved({ ...first, content: theirs, revisionId: 2 }));
  expect(text()).toContain('Version 2 was saved meanwhile');
};
const contentOf = (version: number): string =>
  document.querySelector(`[aria-label="Schema content, version ${version}"]`)?.textContent ?? '';

test('what somebody saved elsewhere in the text is joined with the draft on a press', async () => {
  await crossed('A\nb\nc');
  await press('Take over my changes');
  expect(contentOf(3)).toBe('A\nb\nc\nmine');
  expect(text()).not.toContain('was saved meanwhile');
});

test('where both changed the same lines, one goes on with one of them, and nothing is sent before', async () => {
  await crossed('a\nb\nc\ntheirs');
  expect(text()).toContain('Both changed the same lines');
  await press('Save version 2');
  expect(sent.mock.calls.filter(([id]) => id === 'schemaUpdate')).toEqual([]);
  await press('Go on with mine');
  expect(contentOf(3)).toBe('a\nb\nc\nmine');
});

test('the newest can be taken instead', async () => {
  await crossed('a\nb\nc\ntheirs');
  await press('Take version 2');
  expect(contentOf(3)).toBe('a\nb\nc\ntheirs');
  expect(text()).not.toContain('Unsaved');
});

test('settings of the cluster are said in words, and each way out sends its side', async () => {
  await open(
    <>
      <DriftPanel place={{ ...place, topic: 'berthevents' }} topic={topicOf()} team="Cranes" />
      <ConfirmHost />
    </>,
  );
  expect(text()).toContain('Kept retention.msSlipway 24 hCluster 2 hChanged, not by Slipway');
  await press('Put back 2 settings');
  const dialog = () => document.querySelector('[role="alertdialog"]');
  const says = (words: string) =>
    vi.waitFor(async () => (await act(async () => {}), expect(dialog()?.textContent).toContain(words)), { timeout: 20_000 });
  await says('max.message.bytes: 1 MB becomes the default');
  await press('Cancel');
  await press('Keep the cluster’s');
  await says('Kept: 24 h becomes 2 h');
  const confirm = [...(dialog()?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === 'Keep the cluster’s');
  await act(async () => confirm?.click());
  expect(sent.mock.calls.filter(([id]) => id === 'topicReconcile').map(([, { body }]) => body)).toEqual([{ keep: 'theirs' }]);
});

test('a schema that differs in the registry says how, and is put back', async () => {
  const differing = schemaOf({ drift: { count: 2, at: '2026-11-20T12:00:00.000Z' } });
  schemaDrift = {
    comparedAt: '2026-11-20T12:00:00.000Z',
    isStale: false,
    differences: [
      { kind: 'SUBJECT', name: 'berth.berthevent', ours: 'newest', theirs: null, canRepair: true, canAdopt: false },
      { kind: 'LEVEL', name: 'berth.berthevent compatibility', ours: 'FULL', theirs: 'NONE', canRepair: true, canAdopt: false },
    ],
    same: [],
  };
  await open(
    <>
      <SchemaDriftNotice place={place} schema={differing} team="Cranes" />
      <ConfirmHost />
    </>,
  );
  expect(text()).toContain('Its subject is not there. It checks new versions by NONE, not by FULL.');
  await press('Put back');
  expect(text()).toContain('The newest version is registered again');
  const confirms = [...document.querySelectorAll('[role="alertdialog"] button, dialog button, [role="dialog"] button')];
  await act(async () => (confirms.find((button) => button.textContent === 'Put back') as HTMLButtonElement).click());
  expect(sent).toHaveBeenCalledWith(
    'schemaReconcile',
    expect.objectContaining({ params: expect.objectContaining({ schema: 'berthevent' }) }),
  );
});

test('a version of somebody else above ours is said, and nothing of it put back', async () => {
  schemaDrift = {
    comparedAt: null,
    isStale: false,
    differences: [{ kind: 'SUBJECT', name: 'berth.berthevent', ours: 'newest', theirs: '3', canRepair: false, canAdopt: false }],
    same: [],
  };
  const differing = schemaOf({ drift: { count: 1, at: '2026-11-20T12:00:00.000Z' } });
  await open(<SchemaDriftNotice place={place} schema={differing} team="Cranes" />);
  expect(text()).toContain('Somebody registered version 3 by themselves.');
  expect(
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Put back')?.getAttribute('aria-disabled'),
  ).toBe('true');
});

test('changed settings of a topic are reviewed as what goes and what comes, in words', async () => {
  const note = (field: string, label: string, before: string, after: string) => ({
    code: 'ChangesSetting',
    field,
    context: { label, before, after },
  });
  const plan = {
    isPlan: true,
    pipelineType: 'topicUpdate',
    changes: [],
    consequences: [
      note('spec.retentionHours', 'Retention in hours', '72', '24'),
      note('spec.isSharable', 'Sharing', 'true', 'false'),
      { code: 'CutsOff', context: { reader: 'tracker' } },
    ],
    warnings: [],
    steps: [],
    usualMs: null,
    image: null,
    secretVersions: [],
  };
  sent.mockReturnValue(plan);
  await open(<TopicSettings place={{ ...place, topic: 'berthevents' }} topic={topicOf({ tags: ['berth'] })} team="Cranes" />);
  const description = document.querySelector('input[name="description"]') as HTMLInputElement;
  await act(async () => {
    // React listens to the native setter, so the test sets the value through that setter.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(description, 'Another');
    description.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await press('Review changes');
  const dialog = () => document.querySelector('[role="dialog"]')?.textContent ?? '';
  await vi.waitFor(async () => (await act(async () => {}), expect(dialog()).toContain('Retention in hours')), { timeout: 20_000 });
  expect(dialog()).toContain('3 days');
  expect(dialog()).toContain('Own team only');
  expect(dialog()).toContain('tracker cannot use it any more.');
  expect(dialog()).not.toMatch(/changes from|false/);
});
