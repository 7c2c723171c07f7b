/**
 * Identifies callers of the registry's HTTP API: an account of a topic with its Kafka name and password, or a person or service account
 * with an API token, sent as Bearer or as the Basic password with any user name. All known callers can read. Only the platform and its
 * administrators can write.
 */
import type { IncomingMessage } from 'node:http';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';
import { RegistryError } from '../registry-error.ts';

export interface RegistryCaller {
  readonly name: string;
  readonly mayWrite: boolean;
}
/** Each method returns undefined for wrong credentials. */
export interface RegistrySignIn {
  /** An API token of the platform. */
  token(token: string): Promise<RegistryCaller | undefined>;
  /** Checks an account of the environment by its Kafka name and password. */
  account?(environment: Environment, name: string, password: string): Promise<RegistryCaller | undefined>;
}

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="Slipway schema registry", charset="UTF-8"' };
const unknown = (message: string): RegistryError => new RegistryError(401, 40101, message, CHALLENGE);

interface Credentials {
  /** Undefined for Bearer. */
  readonly user: string | undefined;
  readonly password: string;
}

const credentialsOf = ({ headers }: IncomingMessage): Credentials | undefined => {
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return { user: undefined, password: value };
  if (scheme === '') return undefined;
  const decoded = Buffer.from(value, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
};

/** Counts wrong credentials by name and address. Answers 401, then 429. */
export const callerOf = async (
  request: IncomingMessage,
  environment: Environment,
  signIn: RegistrySignIn,
  attempts: AttemptLimit,
): Promise<RegistryCaller> => {
  const given = credentialsOf(request);
  if (!given) throw unknown('Sign in with an API token, or with the name and password of an account');
  const { user, password } = given;
  // API tokens have too many bits to guess, so only passwords are limited.
  if (user === undefined) return (await signIn.token(password)) ?? Promise.reject(unknown('The token is not valid'));
  // Counted only after the check: a client requests many schemas in parallel, each time with the right password.
  const attempt = attempts.look(`${environment} ${user}`, request.socket.remoteAddress);
  if (!attempt.isAllowed)
    throw new RegistryError(429, 42901, 'Too many failed sign-ins; try again later', { 'Retry-After': String(attempt.secondsLeft) });
  const caller = (await signIn.token(password)) ?? (await signIn.account?.(environment, user, password));
  if (!caller) {
    attempt.count();
    throw unknown('The user name or the password is not valid');
  }
  attempt.forgive();
  return caller;
};

export const requireWriter = ({ name, mayWrite }: RegistryCaller): void => {
  if (mayWrite) return;
  throw new RegistryError(
    403,
    40301,
    `${name} may read schemas, not change them. Schemas are registered on the platform, under Events processing, where every change is checked first. ` +
      'In your client set auto.register.schemas=false and use.latest.version=true.',
  );
};
