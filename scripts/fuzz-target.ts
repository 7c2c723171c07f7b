/** Starts the program that is fuzzed, on free ports and with a directory of its own. Its teams and apps really exist. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceAccountCreate } from '../packages/contract/src/identity.ts';
import { pathOf, type RouteShape } from '../packages/contract/src/kernel/kernel.ts';
import type { PipelineRun } from '../packages/contract/src/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '../packages/contract/src/quickstart.ts';
import { secretGroupCreate } from '../packages/contract/src/secret/secret-group.ts';
import { teamCreate } from '../packages/contract/src/team.ts';
import { freePort } from '../packages/foundation/src/testing/free-port.ts';
import { Program, programToken, removeData } from '../packages/server/src/testing/program.ts';

/** One who sends requests, and what stands in their addresses: own things, and another team's. */
export interface Role {
  readonly name: string;
  readonly token: string | undefined;
  readonly ids: Readonly<Record<string, readonly string[]>>;
}
export interface Target {
  readonly url: string;
  readonly roles: readonly Role[];
  /** Returns the lines that the program logged with level error or fatal. There should be none. */
  errors(): string[];
  isAlive(): boolean;
  close(): Promise<void>;
}

const call = async (program: Program, route: RouteShape, params: Record<string, string>, body: unknown): Promise<unknown> => {
  const headers = { authorization: `Bearer ${programToken}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${program.port}${pathOf(route, params)}`;
  const answer = await fetch(url, { method: route.method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${route.id} answered ${answer.status} ${await answer.text()}`);
  return answer.json();
};

/** A team with an app, a service that runs, a secret group, and a service account that is a member. */
const furnish = async (program: Program, team: string, app: string) => {
  const ended = async (run: unknown): Promise<PipelineRun> => program.ended((run as PipelineRun).pipelineId);
  await ended(await call(program, teamCreate, {}, { id: team, displayName: team, ownerIds: ['platform-automation'] }));
  const { pipelineId } = await ended(
    await call(program, quickstartApplicationCreate, {}, { id: app, teamId: team, template: 'node-http-api' }),
  );
  const entries = [{ key: 'PASSWORD', value: 'not-a-secret' }];
  await call(program, secretGroupCreate, { app, env: 'development' }, { name: 'partner', entries });
  const made = await call(program, serviceAccountCreate, { team }, { displayName: `Member of ${team}` });
  const { identity, token } = made as { identity: { id: string }; token: { token: string } };
  return { team, app, pipelineId, identityId: identity.id, token: token.token };
};
type Furnished = Awaited<ReturnType<typeof furnish>>;

const idsOf = (...places: readonly Furnished[]): Role['ids'] => ({
  app: places.map(({ app }) => app),
  team: places.map(({ team }) => team),
  teamId: places.map(({ team }) => team),
  service: places.map(({ app }) => app),
  env: ['development', 'production'],
  revision: places.map(({ app }) => `${app}-1`),
  pipelineId: places.map(({ pipelineId }) => pipelineId),
  group: ['partner'],
  version: ['1', '2'],
  identityId: ['platform-automation', ...places.map(({ identityId }) => identityId)],
  robot: ['ci'],
});

const furnishAll = async (program: Program) => ({
  other: await furnish(program, 'gates', 'gate-books'),
  stranger: await furnish(program, 'quays', 'quay-plan'),
  member: await furnish(program, 'cranes', 'crane-log'),
  administrator: await furnish(program, 'docks', 'dock-list'),
});

const targetOf = (
  program: Program,
  { other, stranger, member, administrator }: Awaited<ReturnType<typeof furnishAll>>,
): Omit<Target, 'close'> => ({
  url: `http://127.0.0.1:${program.port}`,
  roles: [
    { name: 'stranger', token: undefined, ids: idsOf(stranger, other) },
    { name: 'member', token: member.token, ids: idsOf(member, other) },
    { name: 'administrator', token: programToken, ids: idsOf(administrator, other) },
  ],
  errors: () => program.output.split('\n').filter((line) => line.startsWith('{"level":50') || line.startsWith('{"level":60')),
  isAlive: () => program.child.exitCode === null && program.child.signalCode === null,
});

export const startTarget = async (): Promise<Target> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-fuzz-'));
  const program = await Program.start(await freePort(), {
    SLIPWAY_DATA: dataDir,
    SLIPWAY_INGRESS_PORT: String(await freePort()),
    SLIPWAY_LOG_LEVEL: 'error',
  });
  const close = async (): Promise<void> => {
    await program.end('SIGTERM');
    await removeData(dataDir);
  };
  try {
    return { ...targetOf(program, await furnishAll(program)), close };
  } catch (error) {
    await close();
    throw error;
  }
};
