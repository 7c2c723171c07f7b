/** DescribeUserScramCredentials and AlterUserScramCredentials. Listing users needs DESCRIBE on the cluster, changing them ALTER. */
import { operations, type AnyHandler, type Authorizer } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { REFUSED, mayOnCluster } from './rule-handlers.ts';
import { credentialOf, mechanismNumbered, mechanisms } from './scram.ts';
import type { UserCredential, UserKey, UserStore } from './user-store.ts';

const MIN_ITERATIONS = 4096;
const MAX_ITERATIONS = 16_384;
const MAX_SALT_BYTES = 1024;

interface Fault {
  readonly errorCode: number;
  readonly errorMessage: string;
}
type Upsertion = Request<'AlterUserScramCredentials'>['upsertions'][number];
type Deletion = Request<'AlterUserScramCredentials'>['deletions'][number];

const unacceptable = (errorMessage: string): Fault => ({ errorCode: errors.UNACCEPTABLE_CREDENTIAL, errorMessage });

const keyOf = (store: UserStore, { name, mechanism: number }: Deletion): UserKey | Fault => {
  const mechanism = mechanismNumbered(number);
  if (name === '') return unacceptable('Username must not be empty');
  if (name === store.adminName) return unacceptable('The credential of this user is given to the broker at its start');
  if (mechanism === undefined) return { errorCode: errors.UNSUPPORTED_SASL_MECHANISM, errorMessage: 'Unknown SCRAM mechanism' };
  return { name, mechanism };
};

const deletionOf = (store: UserStore, deletion: Deletion): UserKey | Fault => {
  const key = keyOf(store, deletion);
  if ('errorCode' in key || store.find(key) !== undefined) return key;
  return { errorCode: errors.RESOURCE_NOT_FOUND, errorMessage: 'Attempt to delete a user credential that does not exist' };
};

const upsertionOf = (store: UserStore, upsertion: Upsertion): UserCredential | Fault => {
  const key = keyOf(store, upsertion);
  if ('errorCode' in key) return key;
  const { iterations, salt, saltedPassword } = upsertion;
  if (iterations < MIN_ITERATIONS) return unacceptable('Too few iterations');
  if (iterations > MAX_ITERATIONS) return unacceptable('Too many iterations');
  if (salt.length === 0 || salt.length > MAX_SALT_BYTES) return unacceptable('A salt has 1 to 1024 bytes');
  if (saltedPassword.length !== mechanisms[key.mechanism].bytes)
    return unacceptable('The salted password has another length than its hash');
  return { ...key, credential: credentialOf(key.mechanism, saltedPassword, Buffer.from(salt), iterations) };
};

/** Applies all valid changes in one write, even if others are invalid. */
const alter = async (store: UserStore, request: Request<'AlterUserScramCredentials'>): Promise<Response<'AlterUserScramCredentials'>> => {
  const counts = new Map<string, number>();
  for (const { name } of [...request.deletions, ...request.upsertions]) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isOnce = ({ name }: Deletion): boolean => counts.get(name) === 1;
  const results = new Map<string, Fault | undefined>();
  const good = <Change extends UserKey>(name: string, change: Change | Fault): Change[] => {
    results.set(name, 'errorCode' in change ? change : undefined);
    return 'errorCode' in change ? [] : [change];
  };
  const deleted = request.deletions.filter(isOnce).flatMap((deletion) => good(deletion.name, deletionOf(store, deletion)));
  const upserted = request.upsertions.filter(isOnce).flatMap((upsertion) => good(upsertion.name, upsertionOf(store, upsertion)));
  for (const [name, count] of counts) {
    const errorMessage = 'A user credential cannot be altered twice in the same request';
    if (count > 1) results.set(name, { errorCode: errors.DUPLICATE_RESOURCE, errorMessage });
  }
  if (deleted.length + upserted.length > 0) await store.alter(deleted, upserted);
  const answers = [...results].map(([user, fault]) => ({ user, errorCode: errors.NONE, errorMessage: null, ...fault }));
  return { throttleTimeMs: 0, results: answers };
};

const describe = (store: UserStore, { users }: Request<'DescribeUserScramCredentials'>): Response<'DescribeUserScramCredentials'> => {
  const byName = Map.groupBy(store.list(), ({ name }) => name);
  const asked = users === null || users.length === 0 ? [...byName.keys()] : users.map(({ name }) => name);
  const results = [...Map.groupBy(asked, (name) => name)].map(([user, { length }]) => {
    const found = byName.get(user);
    if (length > 1) {
      const errorMessage = `Cannot describe SCRAM credentials for the same user twice in a single request: ${user}`;
      return { user, errorCode: errors.DUPLICATE_RESOURCE, errorMessage, credentialInfos: [] };
    }
    if (found === undefined) {
      const errorMessage = `Attempt to describe a user credential that does not exist: ${user}`;
      return { user, errorCode: errors.RESOURCE_NOT_FOUND, errorMessage, credentialInfos: [] };
    }
    const credentialInfos = found.map(({ mechanism, iterations }) => ({ mechanism: mechanisms[mechanism].number, iterations }));
    return { user, errorCode: errors.NONE, errorMessage: null, credentialInfos };
  });
  return { throttleTimeMs: 0, errorCode: errors.NONE, errorMessage: null, results };
};

export const userHandlers = (store: UserStore, authorizer: Authorizer): readonly AnyHandler[] => [
  handler({
    api: 'DescribeUserScramCredentials',
    versions: [0, 0],
    handle(request, caller) {
      if (mayOnCluster(authorizer, caller, operations.describe)) return describe(store, request);
      return { throttleTimeMs: 0, ...REFUSED, results: [] };
    },
  }),
  handler({
    api: 'AlterUserScramCredentials',
    versions: [0, 0],
    handle(request, caller) {
      if (mayOnCluster(authorizer, caller, operations.alter)) return alter(store, request);
      const names = new Set([...request.deletions, ...request.upsertions].map(({ name }) => name));
      return { throttleTimeMs: 0, results: [...names].map((user) => ({ user, ...REFUSED })) };
    },
  }),
];
