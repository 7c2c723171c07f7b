/** The dialog of a team's links sends every link: an empty field removes its link. */
import type { Team } from '@slipway/contract/team.ts';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { beforeEach, expect, test, vi } from 'vitest';
import { TeamLinksDialog } from './TeamLinksDialog.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const sent: unknown[] = [];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async (_: unknown, { body }: { body: unknown }) => {
    sent.push(body);
    return { pipelineId: 'pl_1', subject: { kind: 'team', team: 'cranes' }, status: { state: 'QUEUED', steps: [] } };
  }) as never,
}));

beforeEach(() => void (sent.length = 0));

type Links = Pick<Team, 'githubTeamName' | 'githubTeamId' | 'azureGroupName' | 'azureGroupId'>;
/** Types these texts into the fields of the dialog, and submits it. */
const submit = async (links: Links, texts: Readonly<Record<number, string>>) => {
  const onClose = vi.fn();
  document.body.innerHTML = '<div id="root"></div>';
  const root = createRoot(document.getElementById('root') as HTMLElement);
  const team = { id: 'cranes', displayName: 'Cranes', ownerIds: ['ingrid'], ...links } as unknown as Team;
  const router = createMemoryRouter([{ path: '*', element: <TeamLinksDialog team={team} onClose={onClose} /> }]);
  await act(async () => root.render(<RouterProvider router={router} />));
  const type = async (index: number, text: string) => {
    const input = document.querySelectorAll('input')[index] as HTMLInputElement;
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
  };
  for (const [index, text] of Object.entries(texts)) await type(Number(index), text);
  await act(async () => document.querySelector('form')?.requestSubmit());
  await expect.poll(() => onClose.mock.calls.length).toBe(1);
  await act(async () => root.unmount());
};

test('keeps a link, sets one, and removes one', async () => {
  const links = { githubTeamName: null, githubTeamId: null, azureGroupName: 'Crane operators', azureGroupId: 'group-1' };
  await submit(links, { 0: 'harbor/cranes', 2: ' ' });
  expect(sent).toEqual([
    { displayName: 'Cranes', ownerIds: ['ingrid'], githubTeamName: 'harbor/cranes', azureGroupName: 'Crane operators', azureGroupId: null },
  ]);
});

test('removes a link that has an id alone', async () => {
  await submit({ githubTeamName: null, githubTeamId: '4711', azureGroupName: null, azureGroupId: null }, { 0: '' });
  expect(sent).toEqual([expect.objectContaining({ githubTeamName: null, githubTeamId: null })]);
});
