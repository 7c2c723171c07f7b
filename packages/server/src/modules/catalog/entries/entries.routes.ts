/** Handlers for the calls of entries: the same for the four kinds, and those that only one kind has. */
import { sql } from 'kysely';
import {
  catalogApplicationList,
  catalogApplicationView,
  catalogAppUnlink,
  catalogAttestationSet,
  catalogBulkChange,
  catalogIssueCreate,
  CatalogApplication,
} from '@slipway/contract/catalog/application.ts';
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import { catalogPlatformProducts } from '@slipway/contract/catalog/platform.ts';
import { catalogPortfolioPlatforms } from '@slipway/contract/catalog/portfolio.ts';
import { CatalogProduct, catalogProductApplications, catalogProductApplicationsSet } from '@slipway/contract/catalog/product.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import { csvLine } from '#kernel/csv.ts';
import { handle, type Caller, type Context, type Handler } from '#kernel/http/handle.ts';
import type { Made } from '#kernel/http/write-claim.ts';
import { Problem } from '#kernel/problem.ts';
import { idOf } from '#modules/requests/index.ts';
import { typeOfKind } from '../requests/raise.ts';
import { pendingView, requestsOfEntry, requestView } from '../requests/request-view.ts';
import { listEntries, catalogInfo, type ListFilter } from '../search/entry-lists.ts';
import { entryRecords, recordsOf, type RecordsQuery } from '../search/records.ts';
import { bulkChange } from './bulk.ts';
import { askToDecommission, putBack } from './decommission.ts';
import { entrySubject, type CatalogDeps } from './entry-change.ts';
import type { Body } from './entry-fields.ts';
import { allSpecs, specOf, viewOf, type KindSpec } from './entry-kinds.ts';
import { isVisible, requireEntry, viewerOf } from './entry-row.ts';
import { attest, reportIssue, setContents, unlinkApp } from './entry-verbs.ts';
import { createEntry, updateEntry, type WriteOptions, type WriteResult } from './entry-writes.ts';
import { amendedBy, requireHeader } from './headers.ts';

type Call = Context<RouteShape>;
interface Read {
  readonly caller: Caller;
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Body;
}
/** The mount parsed these with the schemas of the route. */
const readOf = ({ caller, params, query, headers, body }: Call, { param }: KindSpec): Read => ({
  caller: caller as Caller,
  id: (params as Record<string, string>)[param] ?? '',
  query,
  headers,
  body: isRecord(body) ? body : {},
});
const optionsOf = ({ headers }: Read): WriteOptions => ({
  source: headers['source'] === 'CONSOLE' || headers['source'] === 'IMPORT' ? headers['source'] : 'API',
  ifMatch: headers['If-Match'],
  amends: amendedBy(headers['Mac-Request-Id']),
});

/** Calls that every kind has. */
const sharedRoutes = (deps: CatalogDeps, spec: KindSpec): Handler[] => {
  const { db } = deps;
  const { routes, kind } = spec;
  const view = async (caller: Caller, id: string): Promise<object> => {
    const viewer = await viewerOf(db, caller);
    return viewOf(await requireEntry(db, viewer, kind, id), viewer);
  };
  /** Registers a handler whose answer the route's schema describes; in tests, the mount checks that it does. */
  const on = (
    route: RouteShape,
    answer: (read: Read, c: Call) => Promise<object>,
    again?: (read: Read, c: Call, made: readonly Made[]) => Promise<object>,
  ): Handler =>
    handle(
      route,
      (c) => answer(readOf(c, spec), c) as Promise<never>,
      again && ((c, made) => again(readOf(c, spec), c, made) as Promise<never>),
    );
  const written = async ({ caller }: Read, { reply }: Call, { id, requests, isApplied }: WriteResult): Promise<object> => {
    if (!isApplied) reply.status(202);
    return { ...(await view(caller, id)), requests };
  };
  /** Answers a repeat as its write did, with the requests that it raised, amended or followed. */
  const again = async ({ caller }: Read, { reply }: Call, made: readonly Made[]): Promise<object> => {
    const name = spec.subject.names[0] ?? '';
    const { rows } = await sql<{ id: string; type: string; reason: string; raised: { number: number; kind: string }[] }>`
      select subject_names ->> ${name} as id, type, reason,
        coalesce((select jsonb_agg(jsonb_build_object('number', number, 'kind', kind) order by number) from request
          where subject_id = subject_names ->> ${name} and (after -> 'requests' ? ('REQ-' || number)
            -- Written by the version before, which did not name them.
            or not coalesce(after ? 'requests', false) and requested_by = actor_id and requested_at = activity.at)), '[]') as raised
      from activity where id = ${made.at(-1)?.entry ?? ''}`.execute(db);
    const [{ id, type, reason, raised } = { id: '', type: '', reason: '', raised: [] }] = rows;
    const viewer = await viewerOf(db, caller);
    const row = await requireEntry(db, viewer, kind, id);
    if (reason === 'Requested' && type !== routes.create.id) reply.status(202);
    return { ...viewOf(row, viewer), requests: raised.map((one) => ({ requestId: idOf(one), reqType: typeOfKind(one.kind) })) };
  };
  const decommission = async ({ caller, id, body, headers }: Read): Promise<object> => {
    if (routes.remove.headers) requireHeader({ header: spec.header, id }, headers[spec.header] ?? '');
    const { requestId } = await askToDecommission(deps, await viewerOf(db, caller), { spec, id }, body);
    return requestView(deps, caller, requestId);
  };
  const patch = async (read: Read, c: Call): Promise<object> => {
    const { caller, id, headers, body } = read;
    if (routes.patch.headers) requireHeader({ header: spec.header, id }, headers[spec.header] ?? '');
    const viewer = await viewerOf(db, caller);
    const { status, reason, ...rest } = body;
    const row = await requireEntry(db, viewer, kind, id);
    const isPutBack = status === 'ACTIVE' && row.status !== 'ACTIVE';
    if ((isPutBack || rest['criticalityId'] !== undefined) && !reason) throw new Problem('ReasonRequired', { field: 'reason' });
    if (isPutBack) {
      await putBack(deps, viewer, { spec, id }, String(reason));
      return view(caller, id);
    }
    const options = { ...optionsOf(read), source: row.source };
    return written(
      read,
      c,
      await updateEntry(deps, viewer, { spec, id, route: routes.patch }, { ...rest, status, requestComment: reason }, options),
    );
  };
  return [
    on(routes.view, ({ caller, id }) => view(caller, id)),
    on(routes.list, async ({ caller, query }) =>
      listEntries(db, await viewerOf(db, caller), kind, query as unknown as RecordsQuery & ListFilter),
    ),
    on(
      routes.create,
      async (read, c) => {
        if (!['1', '2', undefined].includes(read.headers['X-API-Version']))
          throw new Problem('UnsupportedVersion', { field: 'X-API-Version' });
        if (read.headers['X-API-Version'] === '2' && read.body['productionDeployed'] === undefined)
          throw new Problem('Required', { field: 'productionDeployed' });
        const result = await createEntry(deps, await viewerOf(db, read.caller), spec, read.body, optionsOf(read));
        return written(read, c, result);
      },
      again,
    ),
    on(
      routes.update,
      async (read, c) => {
        requireHeader({ header: spec.header, id: read.id }, read.headers[spec.header] ?? '');
        const viewer = await viewerOf(db, read.caller);
        return written(read, c, await updateEntry(deps, viewer, { spec, id: read.id }, read.body, optionsOf(read)));
      },
      again,
    ),
    on(routes.patch, patch, again),
    on(routes.remove, decommission, async ({ caller, id }) => {
      const viewer = await viewerOf(db, caller);
      return (await pendingView(deps, viewer, id, 'DECOMMISSION')) ?? Promise.reject(new Problem('RequestDoesNotExist'));
    }),
    on(routes.requests, async ({ caller, id, query }) => {
      const viewer = await viewerOf(db, caller);
      const row = await requireEntry(db, viewer, kind, id);
      return requestsOfEntry(deps, viewer, row.id, query as unknown as RecordsQuery);
    }),
    on(routes.history, async ({ caller, id, query }) => {
      const row = await requireEntry(db, await viewerOf(db, caller), kind, id);
      return history(deps, spec, row.id, query as unknown as RecordsQuery);
    }),
  ];
};

/** Activity of an entry, newest first. */
const history = async ({ db }: CatalogDeps, spec: KindSpec, id: string, { page, size }: RecordsQuery) => {
  const where = sql`subject_keys @> ${[subjectKey(entrySubject(spec, id))]}::text[]`;
  const { rows } = await sql<{ id: string; at: Date; type: string; message: string; actor: object; before: unknown; after: unknown }>`
    select id, at, type, message, jsonb_build_object('id', actor_id, 'displayName', actor_name) as actor, before, after
    from activity where ${where} order by at desc, id desc limit ${size} offset ${page * size}`.execute(db);
  const { rows: counted } = await sql<{ n: number }>`select count(*)::integer as n from activity where ${where}`.execute(db);
  const total = { total: counted[0]?.n ?? 0, isAtLeast: false };
  return recordsOf(
    rows.map((row) => ({ ...row, at: row.at.toISOString() })),
    total,
    { page, size, next: null },
  );
};

export const entryRoutes = (deps: CatalogDeps): Handler[] => {
  const { db } = deps;
  const own = new Set<RouteShape>([catalogApplicationList, catalogApplicationView]);
  const viewer = (caller: Caller) => viewerOf(db, caller);
  const application = async (caller: Caller, id: string) => {
    const seen = await viewer(caller);
    return CatalogApplication.parse(viewOf(await requireEntry(db, seen, 'application', id), seen));
  };
  const product = async (caller: Caller, id: string) => {
    const seen = await viewer(caller);
    return CatalogProduct.parse(viewOf(await requireEntry(db, seen, 'product', id), seen));
  };
  const below = async (caller: Caller, kind: EntryKind, parent: EntryKind, id: string, query: RecordsQuery) => {
    const seen = await viewer(caller);
    const row = await requireEntry(db, seen, parent, id);
    const conditions = [sql<boolean>`entry.kind = ${kind}`, isVisible(seen), sql<boolean>`${sql.ref(`entry.${parent}_id`)} = ${row.id}`];
    return entryRecords(db, conditions, query, (child) => child);
  };
  return [
    ...allSpecs.flatMap((spec) => sharedRoutes(deps, spec)).filter(({ route }) => !own.has(route)),
    handle(catalogApplicationList, async ({ caller, query }) => {
      const [list, info] = await Promise.all([listEntries(db, await viewer(caller), 'application', query), catalogInfo(db, query.days)]);
      const content = list.content.map((view) => CatalogApplication.parse(view));
      return { ...list, content, ...info };
    }),
    handle(catalogApplicationView, async ({ caller, params, query: { includeRequest, requestId, requestType } }) => {
      const view = await application(caller, params.appId);
      if (!includeRequest && requestId === undefined) return view;
      const request =
        requestId === undefined
          ? await pendingView(deps, await viewer(caller), view.applicationId, requestType)
          : await requestView(deps, caller, requestId, view.applicationId);
      return { ...view, request };
    }),
    handle(catalogPlatformProducts, async ({ caller, params, query }) => {
      const list = await below(caller, 'product', 'platform', params.platformId, query);
      return {
        ...list,
        content: list.content.map(({ id, name, code, status }) => ({ productId: id, productName: name, productCode: code ?? '', status })),
      };
    }),
    handle(catalogProductApplications, async ({ caller, params, query }) => {
      const list = await below(caller, 'application', 'product', params.productId, query);
      return { ...list, content: list.content.map(({ id, name, status }) => ({ applicationId: id, applicationName: name, status })) };
    }),
    handle(catalogPortfolioPlatforms, async ({ caller, params, query, headers, reply }) => {
      const seen = await viewer(caller);
      const list = await below(caller, 'platform', 'portfolio', params.portfolioId, query);
      if (!headers['X-Content-Type'].startsWith('text/csv'))
        return { ...list, content: list.content.map((row) => specOf('platform').view(row, seen) as never) };
      const lines = list.content.map(({ id, name, type, status, description }) => csvLine([id, name, type ?? '', status, description]));
      return reply
        .type('text/csv; charset=utf-8')
        .send(csvLine(['platformId', 'platformName', 'platformType', 'status', 'description']) + lines.join(''));
    }),
    handle(
      catalogProductApplicationsSet,
      async ({ caller, params, headers, body }) => {
        requireHeader({ header: 'Mac-Product-Id', id: params.productId }, headers['Mac-Product-Id']);
        await setContents(deps, await viewer(caller), params.productId, body.applicationIds);
        return product(caller, params.productId);
      },
      ({ caller, params }) => product(caller, params.productId),
    ),
    handle(
      catalogIssueCreate,
      async ({ caller, params, body }) => {
        const { requestId } = await reportIssue(deps, await viewer(caller), params.appId, body);
        return requestView(deps, caller, requestId);
      },
      async ({ caller, params }) =>
        (await pendingView(deps, await viewer(caller), params.appId, 'DATA_ISSUE')) ?? Promise.reject(new Problem('RequestDoesNotExist')),
    ),
    handle(
      catalogAttestationSet,
      async ({ caller, params }) => {
        await attest(deps, await viewer(caller), params.appId);
        return application(caller, params.appId);
      },
      ({ caller, params }) => application(caller, params.appId),
    ),
    handle(
      catalogAppUnlink,
      async ({ caller, params, body }) => {
        await unlinkApp(deps, await viewer(caller), params.appId, body.reason);
        return application(caller, params.appId);
      },
      ({ caller, params }) => application(caller, params.appId),
    ),
    handle(
      catalogBulkChange,
      async ({ caller, body, query }) => bulkChange(deps, await viewer(caller), body, query.dryRun),
      async ({ caller, body }) => bulkChange(deps, await viewer(caller), body, true),
    ),
  ];
};
