/** Routes of the inbox, and the reminders of due requests. */
import { requestCounts } from '@slipway/contract/request/request-counts.ts';
import {
  reasonLength,
  requestAssign,
  requestBulkDecide,
  requestCommentCreate,
  requestDecide,
  requestList,
  requestRaiseAgain,
  requestUpdate,
  requestView,
  requestWithdraw,
  type RequestDecision,
  type RequestOutcomes,
} from '@slipway/contract/request/request.ts';
import { transaction, type Database, type Db } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import type { Log } from '#ports/log.ts';
import { assignRequest, commentRequest, remindApprovers } from './request-changes.ts';
import { requestCountsOf, requestPage } from './request-list.ts';
import { idOf, numberOf } from './request-rows.ts';
import type { Requests } from './requests.ts';

const requireReason = ({ status, comment = '' }: Pick<RequestDecision, 'status' | 'comment'>): void => {
  if (status === 'APPROVED' || comment.length >= reasonLength) return;
  throw new Problem('MinimumLength', { field: 'comment', context: { min: String(reasonLength) } });
};

type Outcome = RequestOutcomes['content'][number];
/** Returns the state of a request after a bulk decision, or of a repeat of it. */
const outcomeOf = async (requests: Requests, db: Db, caller: Caller, id: string, problem?: Problem): Promise<Outcome> => {
  const row = await requests.find(db, id, caller).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
  return { id, status: row?.status ?? null, error: problem ? { code: problem.code, message: problem.message } : null };
};
const decideOne = async (requests: Requests, db: Db, caller: Caller, id: string, decision: RequestDecision): Promise<Outcome> => {
  try {
    await requests.decide(db, caller, id, decision);
    return await outcomeOf(requests, db, caller, id);
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return outcomeOf(requests, db, caller, id, error);
  }
};

const requestRoutes = (requests: Requests, db: Db): Handler[] => {
  const one = (c: { readonly params: { readonly request: string }; readonly caller: Caller }) =>
    requests.view(db, c.params.request, c.caller);
  return [
    handle(requestList, (c) => requestPage(requests, db, c.query, c.caller)),
    handle(requestCounts, (c) => requestCountsOf(requests, db, c.query, c.caller)),
    handle(requestView, one),
    handle(
      requestDecide,
      async (c) => {
        requireReason(c.body);
        await requests.decide(db, c.caller, c.params.request, c.body);
        return one(c);
      },
      one,
    ),
    handle(
      requestBulkDecide,
      async ({ body, caller }) => {
        requireReason(body);
        const { status, comment } = body;
        const content: Outcome[] = [];
        // A repeated id would otherwise report a conflict with itself.
        const wanted = new Map(body.requests.map((request) => [numberOf(request.id) ?? request.id, request]));
        for (const { id, revision } of wanted.values())
          content.push(await decideOne(requests, db, caller, id, { status, comment, revision }));
        return { content };
      },
      async ({ body, caller }) => {
        const content: Outcome[] = [];
        for (const { id } of body.requests) content.push(await outcomeOf(requests, db, caller, id));
        return { content };
      },
    ),
    handle(
      requestWithdraw,
      async (c) => {
        await transaction(db, (trx) => requests.withdraw(trx, c.caller, c.params.request, c.body.comment));
        return one(c);
      },
      one,
    ),
    handle(
      requestUpdate,
      async (c) => {
        await transaction(db, (trx) => requests.amend(trx, c.caller, c.params.request, c.body));
        return one(c);
      },
      one,
    ),
    handle(
      requestAssign,
      async (c) => {
        await transaction(db, (trx) => assignRequest(requests, trx, { caller: c.caller, id: c.params.request }, c.body));
        return one(c);
      },
      one,
    ),
    handle(
      requestCommentCreate,
      async (c) => {
        await transaction(db, (trx) => commentRequest(requests, trx, c.caller, c.params.request, c.body.text));
        return one(c);
      },
      one,
    ),
    handle(
      requestRaiseAgain,
      async (c) => {
        const row = await requests.raiseAgain(db, c.caller, c.params.request, c.body.comment);
        return requests.view(db, idOf(row), c.caller);
      },
      one,
    ),
  ];
};

const EVERY_MS = 60_000;
const everyMinute = async (requests: Requests, db: Db): Promise<void> => {
  for (const kind of requests.kinds) await kind.sync?.(db);
  await remindApprovers(requests, db);
};
/** Reminds approvers, and catches up with writes of older versions during a rolling upgrade. */
const upkeep = (requests: Requests, db: Db, log: Log) => {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  return {
    start: () => {
      timer = setInterval(() => {
        running = everyMinute(requests, db).catch((error: unknown) => log.warn({ err: error }, 'Requests could not be looked through'));
      }, EVERY_MS).unref();
    },
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
};

export const requestArea = ({ database: { db }, requests, log }: { database: Database; requests: Requests; log: Log }) => ({
  routes: requestRoutes(requests, db),
  tasks: [upkeep(requests, db, log)],
});
