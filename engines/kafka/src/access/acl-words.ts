/** Maps Kafka's ACL codes to the terms of the contract's access rules. */
import type { AccessOperation, AccessResource, AccessRule } from '@slipway/contract/streaming/access-rules.ts';

import { operations, resourceTypes } from '../parts.ts';

/** In filters: matches any resource, pattern, operation or permission. */
export const ANY = 1;
/** In filters: matches all patterns that cover the name. */
export const MATCH = 2;

const resources: readonly (readonly [AccessResource, number])[] = [
  ['topic', resourceTypes.topic],
  ['group', resourceTypes.group],
  ['cluster', resourceTypes.cluster],
  ['transactionalId', resourceTypes.transactionalId],
  ['delegationToken', 6],
  ['user', 7],
];
const acts: readonly (readonly [AccessOperation, number])[] = [
  ['all', operations.all],
  ['read', operations.read],
  ['write', operations.write],
  ['create', operations.create],
  ['delete', operations.delete],
  ['alter', operations.alter],
  ['describe', operations.describe],
  ['clusterAction', operations.clusterAction],
  ['describeConfigs', operations.describeConfigs],
  ['alterConfigs', operations.alterConfigs],
  ['idempotentWrite', operations.idempotentWrite],
  ['createTokens', 13],
  ['describeTokens', 14],
];
const patterns: readonly (readonly [string, number])[] = [
  ['literal', 3],
  ['prefixed', 4],
];
const permissions: readonly (readonly [AccessRule['permission'], number])[] = [
  ['deny', 2],
  ['allow', 3],
];

interface Words<Word> {
  /** Returns undefined for an unknown number. */
  word(number: number): Word | undefined;
  /** Returns 0 (unknown) for an unknown word. */
  number(word: string): number;
}
const words = <Word extends string>(pairs: readonly (readonly [Word, number])[]): Words<Word> => {
  const byNumber = new Map(pairs.map(([word, number]) => [number, word]));
  const byWord = new Map<string, number>(pairs);
  return { word: (number) => byNumber.get(number), number: (word) => byWord.get(word) ?? 0 };
};

export const resourceWords = words(resources);
export const operationWords = words(acts);
export const patternWords = words(patterns);
export const permissionWords = words(permissions);

const PRINCIPAL = 'User:';
/**
 * Returns the user's name. Kafka has other principal types, but no listener here creates them, so a rule for such a principal would never
 * match.
 */
export const userOf = (principal: string): string | undefined =>
  principal.startsWith(PRINCIPAL) && principal.length > PRINCIPAL.length ? principal.slice(PRINCIPAL.length) : undefined;
export const principalOf = (user: string): string => PRINCIPAL + user;
