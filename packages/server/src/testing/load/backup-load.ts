/** Writers of every kind against the real program, each of which remembers what was acknowledged. */
import { setTimeout as delay } from 'node:timers/promises';
import { containerRegistryView } from '@slipway/contract/registry/project.ts';
import { maxRobotAccounts, robotAccountCreate } from '@slipway/contract/registry/robot-account.ts';
import { keyRotationCreate } from '@slipway/contract/keys.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { secretGroupCreate, secretVersionCreate } from '@slipway/contract/secret/secret-group.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import { RegistryClient, type PushedImage } from '#ports/registry.suite-client.ts';
import type { RobotCredentials } from '#ports/registry.ts';
import { programToken, type Program } from '../program.ts';
import { workingCopy } from '../working-copy.ts';

export interface Acknowledged {
  readonly teams: string[];
  /** Values by version. Versions start at 1. */
  readonly secrets: string[];
  readonly commits: string[];
  readonly images: PushedImage[];
  readonly robots: RobotCredentials[];
  rotations: number;
}

export interface Load {
  readonly acknowledged: Acknowledged;
  /** Returns how many writes of each kind have been acknowledged up to now. */
  counts(): Record<keyof Acknowledged, number>;
  readonly repository: string;
  stop(): Promise<void>;
}

const params = { app: 'berth-one', env: 'development' };
export const loadGroup = 'load-values';

/** For an app `berth-one` that is there. Resolves when each writer has written something. */
export async function startLoad(program: Program): Promise<Load> {
  const acknowledged: Acknowledged = { teams: [], secrets: [], commits: [], images: [], robots: [], rotations: 0 };
  const url = `http://127.0.0.1:${program.port}`;
  const { project } = (await program.call(containerRegistryView, { params })) as { project: string };
  const repository = `${project}/load`;
  const robot = async (name: string): Promise<RobotCredentials> => {
    const made = (await program.call(robotAccountCreate, { params, body: { name, permissions: ['pull', 'push'] } })) as RobotCredentials;
    return { username: made.username, secret: made.secret };
  };
  const registry = new RegistryClient({ baseUrl: url }, await robot('load'));
  const copy = await workingCopy({ url }, 'berth-one/berth-one', programToken);
  const secret = (n: number) => [{ key: 'VALUE', value: `value-${n}-ü-${'x'.repeat(n)}` }];
  await program.call(secretGroupCreate, { params, body: { name: loadGroup, entries: secret(1) } });
  acknowledged.secrets.push(secret(1)[0]?.value ?? '');

  let isStopping = false;
  const failures: unknown[] = [];
  const forever = async (write: (n: number) => Promise<void>): Promise<void> => {
    for (let n = 1; !isStopping; n++) {
      try {
        await write(n);
      } catch (error) {
        if (!isStopping) failures.push(error);
        return;
      }
    }
  };
  const writers = [
    forever(async (n) => {
      const body = { id: `team-${n}`, displayName: `Team ${n}`, ownerIds: ['platform-automation'] };
      await program.ended(((await program.call(teamCreate, { body })) as PipelineRun).pipelineId);
      acknowledged.teams.push(body.id);
    }),
    forever(async (n) => {
      const entries = secret(n + 1);
      await program.call(secretVersionCreate, { params: { ...params, group: loadGroup }, body: { basedOn: n, entries } });
      acknowledged.secrets.push(entries[0]?.value ?? '');
    }),
    forever(async (n) => {
      const commit = await copy.commit({ 'notes.txt': `${n}\n` });
      const { code, stderr } = await copy.push();
      if (code !== 0) throw new Error(stderr);
      acknowledged.commits.push(commit);
    }),
    forever(async (n) => void acknowledged.images.push(await registry.pushImage(repository, `n${n}`, `content ${n} `.repeat(5000)))),
    // A project may have so many and no more, however long a backup takes.
    forever(async (n) => {
      if (n + 1 < maxRobotAccounts) acknowledged.robots.push(await robot(`r${n}`));
      await delay(100);
    }),
    forever(async () => {
      await program.call(keyRotationCreate).catch((error: unknown) => {
        if (!String(error).includes('KeyRotationRunning')) throw error;
      });
      acknowledged.rotations += 1;
      await delay(500);
    }),
  ];
  const counts = () =>
    Object.fromEntries(Object.entries(acknowledged).map(([kind, list]) => [kind, Array.isArray(list) ? list.length : list])) as Record<
      keyof Acknowledged,
      number
    >;
  while (failures.length === 0 && Object.values(counts()).some((count) => count === 0)) await delay(20);
  if (failures.length > 0) throw failures[0];
  return {
    acknowledged,
    counts,
    repository,
    async stop() {
      isStopping = true;
      await Promise.all(writers);
      await copy.remove();
      if (failures.length > 0) throw failures[0];
    },
  };
}
