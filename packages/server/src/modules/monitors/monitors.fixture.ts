/** A monitor of the app `berth`, and payloads as the SDK sends them. */
import { expect, vi } from 'vitest';
import { monitorCreate, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Actor } from '#testing/actors.ts';
import { testApp, type Request, type TestApp, type TestAppOptions } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';

export const ORIGIN = 'https://plans.example.com';
export const inEnvironment = { app: 'berth', env: 'development' };

export const payloadOf = (session: string, more: object = {}): Record<string, unknown> => ({
  meta: {
    app: { name: 'plans', version: '1.4.0' },
    session: { id: session, attributes: { isSampled: 'true', country: 'Norway' } },
    user: { id: 'olga@example.test', email: 'olga@example.test' },
    page: { url: 'https://plans.example.com/plans/8841/edit?token=secret#x' },
    browser: { name: 'Chrome', version: '156.0.1.2', os: 'Windows 11', userAgent: 'Mozilla/5.0 unique' },
  },
  ...more,
});
export const vital = (name: string, value: number) => ({
  type: 'web-vitals',
  values: { [name]: value, delta: value },
  timestamp: new Date().toISOString(),
});
export const failure = (message: string, more: object = {}) => ({
  type: 'TypeError',
  value: message,
  timestamp: new Date().toISOString(),
  stacktrace: { frames: [{ filename: 'https://plans.example.com/assets/index-4f2a9c1b.js', function: 'b', lineno: 1, colno: 1 }] },
  ...more,
});
export const called = (url: string, duration: number, status = 200) => ({
  name: 'faro.performance.resource',
  timestamp: new Date().toISOString(),
  attributes: { name: url, duration: String(duration), initiatorType: 'fetch', responseStatus: String(status) },
});

export interface MonitorWorld {
  readonly app: TestApp;
  call<T>(actor: Actor, route: RouteShape, request?: Request): Promise<T>;
  make(name: string, settings?: object): Promise<Monitor>;
  send(monitor: Monitor, payload: unknown, init?: RequestInit & { query?: string }): Promise<Response>;
  /** Waits until the check passes. */
  until(check: () => Promise<unknown>): Promise<unknown>;
}

export const monitorWorld = async (options: TestAppOptions = {}): Promise<MonitorWorld> => {
  const app = await testApp({ collector: { foldMs: 50 }, ...options });
  await seedApp(app.database.db, { id: 'berth' });
  const call = async <T>(actor: Actor, route: RouteShape, request: Request = {}): Promise<T> => {
    const answer = await app.call(actor, route, { ...request, params: { ...inEnvironment, ...request.params } });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body as T;
  };
  return {
    app,
    call,
    make: (name, settings = {}) => call('member', monitorCreate, { body: { name, allowedOrigins: [ORIGIN], ...settings } }),
    send: ({ appKey, apiKey }, payload, { query = '', headers, ...init } = {}) =>
      fetch(`${app.url}/collect/${appKey}${query}`, {
        method: 'POST',
        body:
          payload === undefined
            ? null
            : typeof payload === 'string' || payload instanceof Uint8Array
              ? (payload as NonNullable<RequestInit['body']>)
              : JSON.stringify(payload),
        headers: {
          origin: ORIGIN,
          'content-type': 'application/json',
          ...(query === '' ? { 'x-api-key': apiKey } : {}),
          ...(headers as object),
        },
        ...init,
      }),
    until: (check) => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 50 }),
  };
};
