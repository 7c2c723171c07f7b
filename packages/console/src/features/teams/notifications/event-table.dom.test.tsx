/** Each choice of a channel's events is saved alone; members see it and cannot change it. */
import { notificationChannelUpdate, type NotificationChannel } from '@slipway/contract/notification/notification.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { EventTable } from './EventTable.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const asked: unknown[] = [];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async (route: { id: string }, input: unknown) => void asked.push([route.id, input])) as never,
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
const channel = (update: true | string, cadences: NotificationChannel['cadences'] = {}): NotificationChannel => ({
  id: 'chan_1',
  name: 'Chat',
  kind: 'SLACK',
  address: 'hooks.example/••••4f2c',
  cadences,
  failingSince: null,
  lastDelivery: null,
  waiting: 0,
  nextTryAt: null,
  can: { update },
});
const show = async (channels: NotificationChannel[]): Promise<void> => {
  asked.length = 0;
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<EventTable team="cranes" channels={channels} />));
};
const choices = (): HTMLInputElement[] => [...document.querySelectorAll<HTMLInputElement>('[aria-label="A pipeline failed, Chat"] input')];

test('a choice saves its own topic of its own channel', async () => {
  await show([channel(true, { 'pipeline.failed': 'AT_ONCE' })]);
  expect(choices().map(({ checked }) => checked)).toEqual([false, true, false]);
  await act(async () => choices()[2]?.click());
  expect(asked).toEqual([
    [notificationChannelUpdate.id, { params: { team: 'cranes', channel: 'chan_1' }, body: { cadences: { 'pipeline.failed': 'DAILY' } } }],
  ]);
});

test('members see the choices and cannot change them', async () => {
  await show([channel('NotAnOwner')]);
  expect(choices().every(({ disabled }) => disabled)).toBe(true);
  expect(document.body.textContent).not.toContain('Back to the defaults');
});
