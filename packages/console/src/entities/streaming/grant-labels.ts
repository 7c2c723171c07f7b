/** Requests and grants in words. */
import type { GrantState, TopicGrant, TopicOperation } from '@slipway/contract/streaming/grant.ts';
import type { StatusLook } from '#entities/status.ts';

export const operationVerb: Readonly<Record<TopicOperation, string>> = { READ: 'read', WRITE: 'write' };

/** After the name of the app: "asks to read". */
export const grantSentence = ({ operation, state }: Pick<TopicGrant, 'operation' | 'state'>): string =>
  `${state === 'REQUESTED' ? 'asks to' : state === 'APPROVED' ? 'may' : 'asked to'} ${operationVerb[operation]}`;

const looks: Readonly<Record<GrantState, StatusLook>> = {
  REQUESTED: { tone: 'warn', word: 'Waits for an answer' },
  APPROVED: { tone: 'ok', word: 'Approved' },
  DECLINED: { tone: 'idle', word: 'Declined' },
  WITHDRAWN: { tone: 'off', word: 'Withdrawn' },
  REVOKED: { tone: 'off', word: 'Taken back' },
};
export const stateWord: Readonly<Record<GrantState, string>> = {
  REQUESTED: 'Waiting',
  APPROVED: 'Approved',
  DECLINED: 'Declined',
  WITHDRAWN: 'Withdrawn',
  REVOKED: 'Taken back',
};
export const grantLook = ({ state, can }: Pick<TopicGrant, 'state' | 'can'>): StatusLook =>
  state === 'REQUESTED' && can['decide'] === true ? { tone: 'warn', word: 'Waits for your team' } : looks[state];

/** Why it is so: the rule that said it, or the person. */
export const basisLabel = ({ basis, decidedBy }: Pick<TopicGrant, 'basis' | 'decidedBy'>): string | undefined => {
  if (basis === 'OWN') return 'own topic';
  if (basis === 'AUTOMATIC') return 'by the rule for development';
  return decidedBy ? `by ${decidedBy.displayName}` : undefined;
};
