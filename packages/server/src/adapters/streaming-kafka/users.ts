/** Users and their passwords (SCRAM, KIP-554). The cluster receives the salted form. A password leaves this process only in a sign-in. */
import { pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { alterUserScramCredentialsV0, describeUserScramCredentialsV0, metadataV12, ScramMechanisms } from '@platformatic/kafka';
import type { StreamingConnection } from '#ports/streaming.ts';
import type { KafkaCluster } from './cluster.ts';
import { failureFrom, isSignInRefusal, RESOURCE_NOT_FOUND, throwIfFailed } from './failures.ts';
import { untilShown } from './patience.ts';

const SALT_BYTES = 32;
/** Kafka accepts 4096 to 16384. */
const ITERATIONS = 8192;
/** Marks a closed user: the cluster reports iterations, and no open user has this number. */
export const CLOSED_ITERATIONS = 4097;
const MECHANISMS = {
  'SCRAM-SHA-256': { id: ScramMechanisms.SCRAM_SHA_256, hash: 'sha256', bytes: 32 },
  'SCRAM-SHA-512': { id: ScramMechanisms.SCRAM_SHA_512, hash: 'sha512', bytes: 64 },
} as const satisfies Record<StreamingConnection['mechanism'], unknown>;
const keyBytes = (mechanism: number): number => Object.values(MECHANISMS).find(({ id }) => id === mechanism)?.bytes ?? 64;
const salted = promisify(pbkdf2);

export async function openUser(cluster: KafkaCluster, name: string, password: string): Promise<void> {
  const { id: mechanism, hash, bytes } = MECHANISMS[(await cluster.access()).mechanism];
  const salt = randomBytes(SALT_BYTES);
  const saltedPassword = await salted(password.normalize('NFKC'), salt, ITERATIONS, bytes, hash);
  const wanted = { name, mechanism, iterations: ITERATIONS, salt, saltedPassword };
  await alter(cluster, [wanted]);
  await untilShown(async () => (await mechanismsOf(cluster, name)).includes(mechanism));
}

/**
 * Closes a user by setting keys that match no password. Apache Kafka must not be asked to remove a user: a broker that restarts before its
 * first metadata snapshot may then refuse all users (decision record 63).
 */
export async function closeUser(cluster: KafkaCluster, name: string): Promise<void> {
  const mechanisms = await mechanismsOf(cluster, name);
  if (mechanisms.length === 0) return;
  const closed = mechanisms.map((mechanism) => ({
    name,
    mechanism,
    iterations: CLOSED_ITERATIONS,
    salt: randomBytes(SALT_BYTES),
    saltedPassword: randomBytes(keyBytes(mechanism)),
  }));
  await alter(cluster, closed);
  await untilShown(async () => (await mechanismsOf(cluster, name)).length === 0);
}

/** Returns the credentials that are not closed. */
const openOf = <Info extends { readonly iterations: number }>(infos: readonly Info[]): Info[] =>
  infos.filter(({ iterations }) => iterations !== CLOSED_ITERATIONS);

type Alter = Parameters<typeof alterUserScramCredentialsV0.createRequest>;
async function alter(cluster: KafkaCluster, upsertions: Alter[1]): Promise<void> {
  const operation = 'AlterUserScramCredentials';
  const { results } = await cluster.askController(operation, alterUserScramCredentialsV0.api, [], upsertions);
  for (const { errorCode, errorMessage } of results) throwIfFailed(errorCode, operation, errorMessage);
}

async function mechanismsOf(cluster: KafkaCluster, name: string): Promise<readonly number[]> {
  const [found] = await describe(cluster, [{ name }]);
  return openOf(found?.credentialInfos ?? []).map(({ mechanism }) => mechanism);
}

export async function listUsers(cluster: KafkaCluster, prefix: string): Promise<readonly string[]> {
  // An empty list asks for all users.
  const found = await describe(cluster, []);
  return found
    .flatMap(({ user, credentialInfos }) => (user.startsWith(prefix) && openOf(credentialInfos).length > 0 ? [user] : []))
    .toSorted();
}

async function describe(cluster: KafkaCluster, users: { name: string }[]) {
  const operation = 'DescribeUserScramCredentials';
  const answer = await cluster.ask(operation, describeUserScramCredentialsV0.api, users);
  throwIfFailed(answer.errorCode, operation, answer.errorMessage);
  for (const { errorCode, errorMessage } of answer.results)
    if (errorCode !== RESOURCE_NOT_FOUND) throwIfFailed(errorCode, operation, errorMessage);
  return answer.results;
}

/** Checks that every broker accepts the user, since clients connect to each of them. */
export async function canSignIn(cluster: KafkaCluster, user: string, password: string): Promise<boolean> {
  for (const broker of await cluster.addresses()) {
    try {
      const connection = await cluster.connectAs(broker, user, password);
      await metadataV12.api.async(connection, [], false, false).finally(() => connection.close());
    } catch (error) {
      if (isSignInRefusal(error)) return false;
      throw failureFrom(error, 'SaslAuthenticate');
    }
  }
  return true;
}
