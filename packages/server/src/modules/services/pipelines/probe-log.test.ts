import { expect, test } from 'vitest';
import { instanceEvent } from '@slipway/contract/service/instance-event.ts';
import { ProbeLog } from './probe-log.ts';

const status = (code: number) => instanceEvent('NotHealthyYet', { probe: 'Status', status: code, request: 'GET /healthz' });
const refused = instanceEvent('NotHealthyYet', { probe: 'NothingListens' });

const logged = (...looks: readonly (readonly [instance: string, event: typeof refused, count: number])[]): string[] => {
  const lines: string[] = [];
  const log = new ProbeLog((line) => lines.push(line));
  for (const [instance, { code, context }, count] of looks)
    log.see({ instance: `berth-4-${instance}`, reason: code, context, message: '', count });
  log.end();
  return lines;
};

test('shows the first two attempts, counts the others, and ends with the last one', () => {
  expect(logged(['p2n6c', status(404), 5], ['p2n6c', status(404), 5], ['p2n6c', status(404), 9])).toEqual([
    'p2n6c  GET /healthz returned 404 (attempt 5)',
    'p2n6c  GET /healthz returned 404 (attempt 9)',
  ]);
  // A look can find several attempts at once.
  const many = [1, 2, 3, 7, 12].map((count) => ['p2n6c', status(404), count] as const);
  expect(logged(...many)).toEqual([
    'p2n6c  GET /healthz returned 404 (attempt 1)',
    'p2n6c  GET /healthz returned 404 (attempt 2)',
    '9 more of the same',
    'p2n6c  GET /healthz returned 404 (attempt 12)',
  ]);
});

test('a new result ends the count of the former one, and each instance has its own', () => {
  const looks = [1, 2, 3].map((count) => ['aaaaa', refused, count] as const);
  expect(logged(...looks, ['bbbbb', refused, 1], ['aaaaa', status(500), 1])).toEqual([
    'aaaaa  nothing listens on its port (attempt 1)',
    'aaaaa  nothing listens on its port (attempt 2)',
    'bbbbb  nothing listens on its port (attempt 1)',
    'aaaaa  nothing listens on its port (attempt 3)',
    'aaaaa  GET /healthz returned 500 (attempt 1)',
  ]);
});

test('writes nothing for an event that is no health check', () => {
  expect(logged(['aaaaa', instanceEvent('WrongPort', { listens: '3000', port: 8080 }), 1])).toEqual([]);
});
