/** Labels of topic requests and grants. */
import type { GrantState, TopicGrant, TopicOperation } from '@slipway/contract/streaming/grant.ts';
import type { StatusLook } from '#entities/status.ts';

export const operationVerb: Readonly<Record<TopicOperation, string>> = { READ: 'read', WRITE: 'write' };

/** Follows the app's name in a sentence: "asks to read". */
export const grantSentence = ({ operation, state }: Pick<TopicGrant, 'operation' | 'state'>): string =>
  `${state === 'REQUESTED' ? 'asks to' : state === 'APPROVED' ? 'may' : 'asked to'} ${operationVerb[operation]}`;

const looks: Readonly<Record<GrantState, StatusLook>> = {
  REQUESTED: { tone: 'warn', word: 'Waits for an answer' },
  APPROVED: { tone: 'ok', word: 'Approved' },
  DECLINED: { tone: 'idle', word: 'Declined' },
  WITHDRAWN: { tone: 'off', word: 'Withdrawn' },
  REVOKED: { tone: 'off', word: 'Taken back' },
};
export const grantLook = ({ state, can }: Pick<TopicGrant, 'state' | 'can'>): StatusLook =>
  state === 'REQUESTED' && can['decide'] === true ? { tone: 'warn', word: 'Waits for your team' } : looks[state];

/** Returns the reason of the decision: the rule or the person. */
export const basisLabel = ({ basis, decidedBy }: Pick<TopicGrant, 'basis' | 'decidedBy'>): string | undefined => {
  if (basis === 'OWN') return 'own topic';
  if (basis === 'AUTOMATIC') return 'by the rule for development';
  return decidedBy ? `by ${decidedBy.displayName}` : undefined;
};
