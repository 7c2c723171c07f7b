/** The error banner: its trace, its full error, and the link to the trace for administrators of an installation with a page for traces. */
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

const button = (name: RegExp) =>
  [...document.querySelectorAll('button')].find((each) => name.test(each.getAttribute('aria-label') ?? each.textContent ?? ''));
const press = (name: RegExp) => act(async () => button(name)?.click());
const fullError = () => document.querySelector('[aria-label="Full error"]');

test('with a trace id the banner names it and whom to ask; the full error opens on demand', async () => {
  await show(false, null);
  expect(document.body.textContent).toContain(`Trace Id: ${traceId}`);
  expect(document.body.textContent).toContain('contact the support team and paste the error details');
  expect(fullError()).toBeNull();
  await press(/^View Full Error$/);
  expect(fullError()?.textContent).toContain(traceId);
  await press(/^Hide Full Error$/);
  expect(fullError()).toBeNull();
});

test('without a trace id the full error is open at once, and the banner can be closed', async () => {
  await show(false, null, {});
  expect(fullError()?.textContent).toContain('Internal Server Error');
  await press(/^Close$/);
  expect(document.body.textContent).not.toContain('Internal Server Error');
});
