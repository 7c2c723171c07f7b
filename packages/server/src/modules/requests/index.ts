/** The public interface of requests. */
export { assignRequest, commentRequest, reviseRequest, type Amendment } from './request-changes.ts';
export type { Deciding, NewRequest, Notify, PartyKey, Recorded, RequestEvent, RequestKind, RequestRow } from './request-kind.ts';
export {
  commentsOf,
  holdAccount,
  holdAccountsAt,
  idOf,
  isForeign,
  keysSql,
  readable,
  releaseApp,
  requestOf,
  seenColumns,
  type SeenRow,
} from './request-rows.ts';
export { Requests, type OfSubjects } from './requests.ts';
export { requestArea } from './requests.routes.ts';
