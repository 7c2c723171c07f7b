/** Calls for requests of the catalog: inbox, one request, comments, assignment and decisions. */
import { catalogApplicationApprovalDecide, catalogApplicationOwnersDecide } from '@slipway/contract/catalog/application.ts';
import { wordsOf } from '@slipway/contract/catalog/entry.ts';
import {
  catalogRequestAssign,
  catalogRequestComment,
  catalogRequestCount,
  catalogRequestDecide,
  catalogRequestList,
  catalogRequestsDecide,
  catalogRequestView,
  requestStatuses,
  type CatalogDecision,
  type CatalogRequest,
} from '@slipway/contract/catalog/request.ts';
import { reasonLength } from '@slipway/contract/request/request.ts';
import { transaction } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { assignRequest, commentRequest } from '#modules/requests/index.ts';
import type { CatalogDeps } from '../entries/entry-change.ts';
import { requireEntry, viewerOf } from '../entries/entry-row.ts';
import { requireHeader } from '../entries/headers.ts';
import { inbox, inboxCount, requestView } from './request-view.ts';

/** `"REQ-20418.2"` → revision 2. Another request's tag matches no revision. */
const revisionIn = (ifMatch: string | undefined, id: string): number | undefined => {
  if (ifMatch === undefined) return undefined;
  const [, request = '', revision = '0'] = /^"?(REQ-\d+)\.(\d+)"?$/.exec(ifMatch) ?? [];
  return request === id.toUpperCase() ? Number(revision) : 0;
};

/** The kernel's refusals in the catalog's words. */
const inCatalogWords = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && error.code === 'NotADecider') throw new Problem('NotCatalogueApprover', { cause: error });
    throw error;
  }
};

interface Decided {
  readonly id: string;
  /** The entry in the path, to which the request must belong. */
  readonly entry?: string;
  readonly ifMatch?: string | undefined;
}
const decide = async (
  deps: CatalogDeps,
  caller: Caller,
  { id, entry, ifMatch }: Decided,
  decision: CatalogDecision,
): Promise<CatalogRequest> => {
  await requestView(deps, caller, id, entry);
  const { status, comment } = decision;
  if (status === 'WITHDRAWN') await transaction(deps.db, (trx) => deps.requests.withdraw(trx, caller, id, comment));
  else {
    if (status === 'REJECTED' && (comment ?? '').length < reasonLength)
      throw new Problem('MinimumLength', { field: 'comment', context: { min: String(reasonLength) } });
    const revision = revisionIn(ifMatch, id);
    await inCatalogWords(deps.requests.decide(deps.db, caller, id, { status, comment, revision }));
  }
  return requestView(deps, caller, id);
};

export const requestRoutes = (deps: CatalogDeps): Handler[] => {
  const { db, requests } = deps;
  const one = (c: { readonly params: { readonly requestId: string }; readonly caller: Caller }) =>
    requestView(deps, c.caller, c.params.requestId);
  const entryOf = async (caller: Caller, id: string, header: string) => {
    requireHeader({ header: 'Mac-App-Id', id }, header);
    return (await requireEntry(db, await viewerOf(db, caller), 'application', id)).id;
  };
  const bulk = async (requestIds: readonly string[], work: (id: string) => Promise<CatalogRequest>) => {
    const answers = [];
    for (const requestId of new Set(requestIds)) {
      const answer = await work(requestId).catch((error: unknown) => {
        if (error instanceof Problem && error.status < 500) return error.code;
        throw error;
      });
      answers.push(typeof answer === 'string' ? { requestId, request: null, code: answer } : { requestId, request: answer, code: null });
    }
    return answers;
  };
  return [
    handle(catalogRequestView, one),
    handle(catalogRequestDecide, (c) => decide(deps, c.caller, { id: c.params.requestId, ifMatch: c.headers['If-Match'] }, c.body), one),
    handle(
      catalogApplicationApprovalDecide,
      async ({ caller, params, headers, body }) => {
        const entry = await entryOf(caller, params.appId, headers['Mac-App-Id']);
        return decide(deps, caller, { id: params.requestId, entry, ifMatch: headers['If-Match'] }, body);
      },
      one,
    ),
    handle(
      catalogApplicationOwnersDecide,
      async ({ caller, params, headers, query, body }) => {
        const entry = await entryOf(caller, params.appId, headers['Mac-App-Id']);
        const { reqType } = await requestView(deps, caller, query.requestId, entry);
        if (reqType !== 'OWNER_CHANGE') throw new Problem('RequestDoesNotExist');
        const { status, comments: comment } = body;
        return decide(deps, caller, { id: query.requestId, entry, ifMatch: headers['If-Match'] }, { status, comment });
      },
      ({ caller, query }) => requestView(deps, caller, query.requestId),
    ),
    handle(
      catalogRequestComment,
      async (c) => {
        await requestView(deps, c.caller, c.params.requestId);
        await transaction(db, (trx) => commentRequest(requests, trx, c.caller, c.params.requestId, c.body.text));
        return one(c);
      },
      one,
    ),
    handle(
      catalogRequestAssign,
      async (c) => {
        await requestView(deps, c.caller, c.params.requestId);
        await inCatalogWords(transaction(db, (trx) => assignRequest(requests, trx, { caller: c.caller, id: c.params.requestId }, c.body)));
        return one(c);
      },
      one,
    ),
    handle(
      catalogRequestsDecide,
      ({ caller, body: { requestIds, ...decision } }) => bulk(requestIds, (id) => decide(deps, caller, { id }, decision)),
      ({ caller, body }) => bulk(body.requestIds, (id) => requestView(deps, caller, id)),
    ),
    handle(catalogRequestList, ({ caller, query: { status, view, ...page } }) =>
      inbox(deps, caller, { statuses: wordsOf(status), view, ...page }),
    ),
    handle(catalogRequestCount, async (c) => {
      const statuses = c.params.status.split(',');
      if (!statuses.every((status) => requestStatuses.some((known) => known === status)))
        throw new Problem('InvalidValue', { field: 'status' });
      const count = await inboxCount(deps, c.caller, { statuses, view: c.query.view });
      if (c.request.headers.accept?.startsWith('text/plain')) return c.reply.type('text/plain').send(String(count));
      return { count };
    }),
  ];
};
