import type { Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiagnosisCard } from './DiagnosisCard.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const place = { app: 'reefer', env: 'production', service: 'reefer-alerts', revision: 'reefer-alerts-88' };
const line = (number: number, text: string) => ({ at: '2026-11-20T12:00:00.000Z', instance: 'reefer-alerts-88-p2n6c', line: text, number });
const memory: Diagnosis = {
  code: 'OutOfMemory',
  context: { limit: '256' },
  since: '2026-11-20T12:00:00.000Z',
  evidence: {
    event: null,
    exit: { code: null, signal: 'SIGKILL', reason: 'OOMKilled', at: '2026-11-20T12:00:00.000Z' },
    restarts: 4,
    lastLines: [line(6, 'heap 251 MB'), line(7, '\u001B[31mError: allocation failed\u001B[0m')],
  },
  next: { place: 'settings', target: 'resources' },
  stillServing: 'reefer-alerts-87',
};

let root: Root;
beforeEach(() => {
  document.body.innerHTML = '<div id="root"></div>';
});
afterEach(() => act(async () => root.unmount()));
const show = async (diagnosis: Diagnosis, isOnPage = false): Promise<void> => {
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<DiagnosisCard place={place} diagnosis={diagnosis} isOnPage={isOnPage} />));
};
const text = (): string => document.body.textContent ?? '';
const hrefs = (): (string | null)[] => [...document.querySelectorAll('a')].map((link) => link.getAttribute('href'));
const base = '/app/reefer/production/service/reefer-alerts';

test('one sentence, the evidence, what is safe, and the settings that help first', async () => {
  await show(memory);
  expect(document.querySelector('h2')?.textContent).toBe('Why is revision 88 failing?');
  expect(text()).toContain('It was stopped for using more than its 256 MB of memory.');
  expect(text()).toContain('Its last instance ended with out of memory, restarted 4 times');
  expect(text()).toContain('Revision 87 still serves. No action needed.');
  expect(hrefs()).toEqual([
    `${base}/revision/reefer-alerts-88?line=reefer-alerts-88-p2n6c%3A6#logs`,
    `${base}/revision/reefer-alerts-88?line=reefer-alerts-88-p2n6c%3A7#logs`,
    `${base}/settings#resources`,
    `${base}/revision/reefer-alerts-88#logs`,
    `${base}/revision/reefer-alerts-88`,
  ]);
});

test('log lines come without what terminals draw with, and the bad ones stand out', async () => {
  await show(memory);
  const lines = [...document.querySelectorAll('[data-level]')];
  expect(lines.map((item) => item.getAttribute('data-level'))).toEqual(['info', 'error']);
  expect(lines.map((item) => item.querySelector('code')?.textContent)).toEqual(['heap 251 MB', 'Error: allocation failed']);
});

test('a stranger sees no log and no way into it; the revision itself links not to itself', async () => {
  await show({ ...memory, evidence: { ...memory.evidence, lastLines: [] }, next: { place: 'none', target: null } }, true);
  expect(text()).not.toContain('The last lines of its log');
  expect(hrefs()).toEqual([]);
});

test('structured lines are shown as message and fields, and repeats once with their count', async () => {
  const lines = [1, 2, 3].map((number) => line(number, `{"level":30,"msg":"request","url":"/healthz","ms":${number}}`));
  await show({ ...memory, evidence: { ...memory.evidence, lastLines: [...lines, line(4, 'plain')] } });
  const shown = [...document.querySelectorAll('[data-level]')].map(({ textContent }) => textContent?.replace(/^\S+ /, ''));
  expect(shown).toEqual(['request url=/healthz ms=3 3 times', 'plain']);
});
