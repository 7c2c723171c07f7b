// @long: tries an engine by itself, which the tests of modules use, too
/** The embedded runtime in its node agent: the full runtime suite across the process boundary, and behavior specific to the boundary. */
import { spawnSync } from 'node:child_process';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { readProcess } from '../../sandbox/process-tree.ts';
import { SuiteRuntime, until } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import { runtimeSuite } from '@slipway/foundation/ports/runtime.suite.ts';
import { EdgeTokens, newClaimsKey } from '../../edge/auth/edge-tokens.ts';
import { CLAIMS_ISSUER } from '../runtime-subject.fixture.ts';
import type { AgentConfig } from './agent-config.ts';
import { makeAgentSubject } from './agent-subject.fixture.ts';

runtimeSuite('AgentRuntime', makeAgentSubject);

test('an agent that stands still for good is ended, and another one starts', async () => {
  const { agent, close, runtime } = await makeAgentSubject({ silentMs: 1000, hungMs: 2000 });
  try {
    await runtime.acquire();
    let losses = 0;
    runtime.onLost(() => (losses += 1));
    const pid = agent.pid!;
    process.kill(pid, 'SIGSTOP');
    await expect(runtime.list()).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(() => losses).toBe(1);
    expect(readProcess(pid)).toBeUndefined();
    await runtime.acquire();
    expect(await runtime.list()).toEqual([]);
  } finally {
    await close();
  }
});

type Tokens = NonNullable<AgentConfig['tokens']>;
const keysOf = async ({ claimsKey, issuer, platformAudience }: Tokens) => {
  const authority = { issuer, platformAudience, keys: () => Promise.reject(new Error('not asked')) };
  const made = await EdgeTokens.open({ authority, claimsKey: Buffer.from(claimsKey, 'base64'), issuer: CLAIMS_ISSUER });
  return createLocalJWKSet(made.keySet);
};

test('sign-in goes on without a server, and with the keys of the next one; none of them is on the disk', async () => {
  const subject = await makeAgentSubject({}, 60_000);
  const suite = new SuiteRuntime(subject);
  const audience = 'urn:slipway:service';
  const tokens = subject.config.tokens!;
  const others: Tokens = { ...tokens, claimsKey: Buffer.from(newClaimsKey()).toString('base64') };
  const next = subject.next({ tokens: others });
  try {
    expect(await subject.runtime.acquire()).toEqual({ isTakenOver: false });
    const service = suite.service();
    const [first] = [await service.serve({ env: { PLANTED: 'planted-value' } }, { authentication: { type: 'AZURE_AUTH', audience } })];
    const claims = async (): Promise<string> => {
      const authorization = `Bearer ${await subject.tokens.token({ audience })}`;
      const answer = await service.call('/echo', { headers: { authorization } });
      expect(answer.status).toBe(200);
      return (JSON.parse(answer.body) as { headers: Record<string, string> }).headers['x-slipway-claims'] ?? '';
    };
    await subject.runtime.leave();
    expect((await jwtVerify(await claims(), await keysOf(tokens), { audience })).payload.aud).toBe(audience);
    expect((await service.call('/echo')).status).toBe(401);

    expect(await next.acquire()).toEqual({ isTakenOver: true });
    expect((await next.list()).map(({ id }) => id)).toEqual([first.id]);
    expect((await jwtVerify(await claims(), await keysOf(others), { audience })).payload.aud).toBe(audience);

    const { d } = JSON.parse(Buffer.from(others.claimsKey, 'base64').toString()) as { d: string };
    for (const secret of ['planted-value', d, others.claimsKey, audience]) {
      const found = spawnSync('grep', ['-rlaF', '--', secret, subject.dataDir], { encoding: 'utf8' });
      expect(found, secret).toMatchObject({ status: 1, stdout: '' });
    }
  } finally {
    await next.close();
    await subject.close();
  }
});

test('an agent for another edge port is ended in order by the next server, and another one starts', async () => {
  const subject = await makeAgentSubject({}, 60_000);
  const suite = new SuiteRuntime(subject);
  const next = subject.next({ ingressHost: '127.0.0.3' });
  try {
    await subject.runtime.acquire();
    await suite.service().serve();
    await subject.runtime.leave();
    const before = subject.agent.pid;
    const acquired = await until('the other agent', () => next.acquire().catch(() => undefined));
    expect(acquired).toEqual({ isTakenOver: false });
    expect(subject.agent.pid).not.toBe(before);
    expect(await next.list()).toEqual([]);
  } finally {
    await next.close();
    await subject.close();
  }
});
