/** The node agent's access to the platform's registry, with a pull-only secret that its server generated. */
import { timingSafeEqual } from 'node:crypto';
import { textAt } from '@slipway/foundation/text-at.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import { nodeAgent } from '@slipway/foundation/ports/registry.ts';

export interface AgentAccount {
  readonly username: string;
  readonly secret: string;
}
const TIMEOUT_MS = 10_000;

export const newAgentAccount = (): AgentAccount => ({
  username: nodeAgent,
  secret: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url'),
});

/** Checks the agent's credentials, on the server's side. */
export function isAgentAccount({ secret, username }: AgentAccount, given: AgentAccount): boolean {
  const [right, wrong] = [Buffer.from(secret), Buffer.from(given.secret)];
  return username === given.username && right.length === wrong.length && timingSafeEqual(right, wrong);
}

/** Requests a token at the server's own address: the public one may be a proxy's, which this machine may not reach. */
export async function pullToken(registry: AgentAccount & { readonly baseUrl: string }, repository: string): Promise<string> {
  const url = new URL('/v2/token', registry.baseUrl);
  url.searchParams.set('service', 'slipway-registry');
  url.searchParams.set('scope', `repository:${repository}:pull`);
  const authorization = `Basic ${Buffer.from(`${registry.username}:${registry.secret}`).toString('base64')}`;
  const unavailable = (cause: unknown): PortFailure => new PortFailure('unavailable', 'the registry gives no token', { cause });
  const answer = await fetch(url, { headers: { authorization }, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: unknown) => {
    throw unavailable(error);
  });
  if (answer.status >= 500 || answer.status === 429) throw unavailable(answer.status);
  if (!answer.ok) {
    throw new PortFailure('rejected', `the registry answers ${answer.status} to the token request`, { code: 'RegistryDenied' });
  }
  const token = textAt(await answer.json(), 'token');
  if (token === undefined) throw unavailable('no token');
  return token;
}
