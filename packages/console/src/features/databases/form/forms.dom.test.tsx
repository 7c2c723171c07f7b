/** Database forms: derived name, errors at their fields, disabled storage steps, and a change in progress. */
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import SettingsTab from '#features/databases/settings/SettingsTab.tsx';
import { databaseOf, place, withStatus } from '#features/databases/database.fixture.ts';
import { RestoreDialog } from '#features/databases/backups/RestoreDialog.tsx';
import { backupOf } from '#features/databases/database.fixture.ts';
import { NewDatabaseForm } from './NewDatabaseForm.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const sent = vi.fn<(id: string, input: unknown) => unknown>();
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id, method }: { id: string; method: string }, input: unknown) => {
    if (method === 'GET') return { content: [], totalElements: 0 };
    const answer = sent(id, input);
    if (answer instanceof Error) throw answer;
    return answer;
  }) as never,
}));

const run = { pipelineId: 'pl_1', subject: { kind: 'database', names: place }, status: { state: 'QUEUED', steps: [] } };
const plan = { isPlan: true, changes: [], consequences: [], warnings: [], steps: [], usualMs: null };
let root: Root;
beforeEach(() => sent.mockReset());
afterEach(() => act(async () => root.unmount()));
const open = async (element: ReactNode, search = ''): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ provider: () => new Map() }}>{element}</SWRConfig>;
  const router = createMemoryRouter([{ path: '*', element: page }], { initialEntries: [`/settings${search}`] });
  await act(async () => root.render(<RouterProvider router={router} />));
};
const field = (name: string): HTMLInputElement => document.querySelector(`input[name="${name}"]`) as HTMLInputElement;
const type = (name: string, text: string) =>
  act(async () => {
    const input = field(name);
    // React listens to the native setter, so the test sets the value through that setter.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
const submit = () => act(async () => document.querySelector('form')?.requestSubmit());
const choose = (value: string) => act(async () => document.querySelector<HTMLInputElement>(`input[type=radio][value="${value}"]`)?.click());
const text = (): string => document.body.textContent ?? '';

const newForm = (
  <NewDatabaseForm
    place={{ app: 'berth-planner', env: 'development' }}
    regions={[
      { region: 'CENTRALUS', engineVersion: null, connectionsLeft: null },
      { region: 'WESTEUROPE', engineVersion: '18.1', connectionsLeft: 437 },
    ]}
    reason={undefined}
  />
);

test('the name follows the app, then the display name, until somebody types one', async () => {
  await open(newForm);
  expect(field('name').value).toBe('berthplanner');
  await type('displayName', 'Yard moves');
  expect(field('name').value).toBe('yardmoves');
  expect(text()).toContain('berth-planner-yardmoves');
  await type('name', 'moves');
  await type('displayName', 'Yard moves, all');
  expect(field('name').value).toBe('moves');
});

test('what is wrong is said at its field, in the words of the specification, and nothing is sent', async () => {
  await open(newForm);
  await type('name', 'yard-moves');
  await type('maxConnections', '6000');
  await submit();
  expect(text()).toContain('Display name is required');
  expect(text()).toContain('Database name can only contain lowercase letters and numbers');
  expect(text()).toContain('Maximum Connections of 5000 is required');
  expect(sent).not.toHaveBeenCalled();
});

test('what is sent is what was chosen, in the first region that answers; what the server refuses stands at the field', async () => {
  await open(newForm);
  await type('displayName', 'Yard moves');
  await choose('128');
  await choose('GENERAL_2');
  const errors = [{ field: 'name', code: 'DatabaseAlreadyExists' }];
  sent.mockReturnValueOnce(new ResponseError(409, { status: 409, title: 'Conflict', detail: '', traceId: 't', errors }));
  await submit();
  expect(sent).toHaveBeenCalledWith('databaseCreate', {
    params: { app: 'berth-planner', env: 'development' },
    body: {
      displayName: 'Yard moves',
      name: 'yardmoves',
      region: 'WESTEUROPE',
      plan: 'GENERAL_2',
      storageGb: 128,
      maxConnections: 50,
      backupRetentionDays: 14,
      attachTo: [],
    },
  });
  expect(text()).toContain('Database already exists');
});

const radios = () =>
  [...document.querySelectorAll<HTMLInputElement>('[role=radiogroup] input')].map(({ value, disabled }) => [value, disabled]);
const settings = (database = databaseOf()) => <SettingsTab place={place} database={database} team="Cranes" />;

test('steps of the ladder below what it has are closed, and a change is reviewed before it is sent', async () => {
  await open(settings());
  expect(radios().slice(0, 3)).toEqual([
    ['32', true],
    ['64', false],
    ['128', false],
  ]);
  await choose('128');
  sent.mockReturnValueOnce(plan);
  await submit();
  expect(sent).toHaveBeenCalledWith('databaseUpdate', expect.objectContaining({ query: { dryRun: 'true' } }));
  expect(document.querySelector('[role=dialog], [role=alertdialog]')?.textContent).toContain('Change Berth plans?');
});

test('a notice leads to the step that it offers', async () => {
  await open(settings(), '?storage=256');
  expect(document.querySelector<HTMLInputElement>('[role=radiogroup] input:checked')?.value).toBe('256');
});

test('while a change is being applied every field is closed, with one reason', async () => {
  await open(settings(withStatus({ provisioning: 'RUNNING' }, { can: { update: 'DatabasePipelineRunning' } })));
  expect(document.querySelector('fieldset')?.disabled).toBe(true);
  expect(text().match(/A pipeline of this database is running/g)?.length).toBeGreaterThanOrEqual(1);
  expect([...document.querySelectorAll('button')].find(({ type: kind }) => kind === 'submit')?.getAttribute('aria-disabled')).toBe('true');
});

test('a change that failed comes back as a draft', async () => {
  await open(settings());
  await choose('512');
  sent.mockReturnValueOnce(plan);
  await submit();
  sent.mockReturnValueOnce(run);
  const apply = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Apply changes')?.click();
  await act(async () => apply());
  expect(sent).toHaveBeenLastCalledWith('databaseUpdate', { params: place, body: expect.objectContaining({ storageGb: 512 }) });
  const { displayName, plan: size, maxConnections, backupRetentionDays } = databaseOf();
  const draft = { displayName, plan: size, storageGb: 512, maxConnections, backupRetentionDays };
  await act(async () => root.unmount());
  await open(settings(withStatus({ provisioning: 'FAILED' }, { draft })));
  expect(document.querySelector<HTMLInputElement>('[role=radiogroup] input:checked')?.value).toBe('512');
});

test('a restore asks for the new name, and says what it leaves alone', async () => {
  await open(<RestoreDialog place={{ app: 'berth', env: 'development' }} backup={backupOf()} onClose={() => undefined} />);
  expect(field('name').value).toBe('berthplans2');
  expect(text()).toContain('berthplans is not touched');
  expect(text()).toContain('berth-berthplans2');
  sent.mockReturnValueOnce(run);
  await submit();
  expect(sent).toHaveBeenCalledWith('databaseBackupRestore', {
    params: { app: 'berth', env: 'development', database: 'berthplans', backup: 'bk_1' },
    body: { name: 'berthplans2' },
  });
});
