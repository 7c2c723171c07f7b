/** The link from an error to its trace: for administrators of an installation with a page for traces. */
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, test } from 'vitest';
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { ResponseError } from '#kit/api/errors.ts';
import { setRuntimeConfig } from '#kit/api/runtime-config.ts';
import { ErrorBanner } from './ErrorBanner.tsx';
import './TraceLink.tsx';
import { mayOpenTraces, reportError } from './global-error.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const traceId = '0af7651916cd43dd8448eb211c80319c';
const link = () => [...document.querySelectorAll('a')].find(({ textContent }) => textContent?.trim() === 'Open trace');
let root: Root;
afterEach(() => act(async () => root.unmount()));

const show = async (isAdministrator: boolean, tracing: RuntimeConfig['tracing'], problem: object = { traceId }): Promise<void> => {
  setRuntimeConfig({ supportUrl: '', tracing } as RuntimeConfig);
  mayOpenTraces.set(isAdministrator);
  const answer = { status: 500, title: 'Internal Server Error', errors: [], ...problem };
  reportError(new ResponseError(500, answer, { url: '/', type: 'application/problem+json' }));
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () =>
    root.render(
      <MemoryRouter>
        <ErrorBanner />
      </MemoryRouter>,
    ),
  );
};
const page = { url: 'https://grafana.example.com/trace/{traceId}' };

test('an administrator opens the trace of an error', async () => {
  await show(true, page);
  expect(link()).toHaveProperty('href', `https://grafana.example.com/trace/${traceId}`);
});

test.each([
  ['for other people', false, page, { traceId }],
  ['without a page for traces', true, { url: null }, { traceId }],
  ['without telemetry', true, null, { traceId }],
  ['for an error without a trace', true, page, {}],
])('there is no link %s', async (_, isAdministrator, tracing, problem) => {
  await show(isAdministrator, tracing, problem);
  expect(document.body.textContent).toContain('Internal Server Error');
  expect(link()).toBeUndefined();
});
