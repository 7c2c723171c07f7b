/** A running catalog for tests: calls by actor with the headers that the routes want, and short names for frequent writes. */
import { afterAll, beforeAll, expect } from 'vitest';
import {
  catalogApplicationCreate,
  catalogApplicationUpdate,
  catalogApplicationView,
  type CatalogApplication,
} from '@slipway/contract/catalog/application.ts';
import { catalogRequestDecide, type CatalogRequest } from '@slipway/contract/catalog/request.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Actor } from '#testing/actors.ts';
import { errorsOf, testApp, type Answer, type Request, type TestApp } from '#testing/app.ts';
import { seedCatalogApplication } from '#testing/fixtures.ts';
import { Requests } from '#modules/requests/index.ts';
import type { CatalogDeps } from './entries/entry-change.ts';
import { catalogRequestKinds } from './requests/request-kinds.ts';

export const description = 'Plans which vessel is moored where, and for how long.';
export const platform = 'PLT-0901';
export const otherPlatform = 'PLT-0902';
export const because = 'Because the test wants it';

export interface CatalogWorld {
  readonly app: () => TestApp;
  call(actor: Actor, route: RouteShape, request?: Request): Promise<Answer>;
  /** Calls and expects success. */
  good<T>(actor: Actor, route: RouteShape, request?: Request): Promise<T>;
  errors(actor: Actor, route: RouteShape, request?: Request): Promise<(number | string)[]>;
  /** Onboards an application as a member, and approves it. */
  onboard(name: string, more?: object): Promise<CatalogApplication>;
  view(id: string, actor?: Actor): Promise<CatalogApplication>;
  update(actor: Actor, entry: CatalogApplication, change: object, headers?: Record<string, string>): Promise<Answer>;
  decide(actor: Actor, requestId: string, status: string, comment?: string): Promise<Answer>;
  sql<T extends object>(query: string, values?: unknown[]): Promise<T[]>;
  /** Dependencies of a worker's background work. */
  deps(): CatalogDeps;
}

export const catalogWorld = (): CatalogWorld => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ isWorker: false });
    // Brings the portfolio and the platforms with it.
    await seedCatalogApplication(app.database.db, { id: 'MAC-1', name: 'Seeded' });
  });
  afterAll(() => app?.close());
  const call: CatalogWorld['call'] = (actor, route, request) => app.call(actor, route, request);
  const world: CatalogWorld = {
    app: () => app,
    call,
    good: async <T>(actor: Actor, route: RouteShape, request?: Request) => {
      const answer = await call(actor, route, request);
      expect([route.id, answer.status, answer.body]).toEqual([route.id, expect.toSatisfy((status: number) => status < 300), answer.body]);
      return answer.body as T;
    },
    errors: async (actor, route, request) => errorsOf(await call(actor, route, request)),
    onboard: async (name, more = {}) => {
      const body = { owners: ['olga'], applicationName: name, description, platformId: platform, ...more };
      const made = await world.good<CatalogApplication>('member', catalogApplicationCreate, { body });
      const { requestId = '' } = made.requests?.[0] ?? {};
      await world.good('administrator', catalogRequestDecide, { params: { requestId }, body: { status: 'APPROVED' } });
      return world.view(made.applicationId);
    },
    view: (appId, actor = 'owner') => world.good<CatalogApplication>(actor, catalogApplicationView, { params: { appId } }),
    update: (actor, entry, change, headers = {}) => {
      const { applicationId: appId, applicationName, owners } = entry;
      const body = { owners, applicationName, description: entry.description, platformId: entry.platform?.platformId, ...change };
      return call(actor, catalogApplicationUpdate, { params: { appId }, headers: { 'Mac-App-Id': appId, ...headers }, body });
    },
    decide: (actor, requestId, status, comment) => call(actor, catalogRequestDecide, { params: { requestId }, body: { status, comment } }),
    deps: () => {
      const requests = new Requests();
      const deps = { db: app.database.db, requests };
      for (const kind of catalogRequestKinds(deps)) requests.register(kind);
      return deps;
    },
    sql: async <T extends object>(query: string, values: unknown[] = []) => (await app.database.pool.query<T>(query, values)).rows,
  };
  return world;
};

/** The request that a write raised. */
export const raisedBy = ({ body }: Answer): string =>
  (body as CatalogApplication).requests?.[0]?.requestId ?? (body as CatalogRequest).requestId ?? '';
