/** Holds an event stream open, as a browser does, and keeps what it received. */
import http from 'node:http';
import { expect } from 'vitest';
import type { ChangeHint } from '@slipway/contract/hint.ts';

export interface EventListener {
  readonly hints: readonly ChangeHint[];
  /** When the server ended it. */
  readonly ended: Promise<unknown>;
  close(): void;
}

export const listenWith = async (url: string, token: string): Promise<EventListener> => {
  const hints: ChangeHint[] = [];
  const request = http.get(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` }, agent: false });
  request.on('error', () => {});
  const answer = await new Promise<http.IncomingMessage>((resolve) => request.once('response', resolve));
  expect(answer.statusCode).toBe(200);
  let rest = '';
  answer.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) hints.push(JSON.parse(line.slice(6)) as ChangeHint);
  });
  return { hints, ended: new Promise((resolve) => answer.once('close', resolve)), close: () => request.destroy() };
};
