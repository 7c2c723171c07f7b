/**
 * Eight outages of the control plane under 200 requests a second at the edge: what fails there, and how soon the API reads, writes and
 * deploys again, counted from the moment when the outage began. A deploy begins as soon as it is accepted, so a rollout meets most of
 * them. At the edge nothing may fail.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { otherVersion } from '../packages/server/src/testing/other-version.ts';
import { app, ingressPort, Scene, type Recovery } from './outages/scene.ts';
import { startLoad, type ConstantLoad, type Measured } from './rollout/constant-load.ts';

const perSecond = 200;
const warmUpSeconds = 2;
const quietSeconds = 5;
const awaySeconds = 15;
/** Before and after each outage. */
const marginMs = 1000;

/** `began` is called when what goes away is gone. Resolves when it is back. */
type Outage = (scene: Scene, began: () => void) => Promise<void>;
interface Row extends Measured, Partial<Recovery> {
  readonly name: string;
}

const only = (scene: Scene): number => {
  const [port] = scene.ports;
  if (port === undefined) throw new Error('There is no replica');
  return port;
};

const postgresAway =
  (seconds: number): Outage =>
  async (scene, began) => {
    await scene.stopPostgres();
    began();
    await delay(seconds * 1000);
    await scene.startPostgres();
  };

const restart =
  (signal: 'SIGTERM' | 'SIGKILL', entry?: string): Outage =>
  async (scene, began) => {
    const port = only(scene);
    await scene.end(port, signal);
    began();
    await scene.start(port, entry);
  };

const upgrade: Outage = async (scene, began) => {
  const version = otherVersion('version.ts', "const version = '0.1.0'", "const version = '0.2.0'");
  try {
    await restart('SIGTERM', version.entry)(scene, began);
  } finally {
    version.remove();
  }
};

const leaderKilled: Outage = async (scene, began) => {
  const port = await scene.leader();
  await scene.end(port, 'SIGKILL');
  began();
  await scene.start(port);
};

const rollingRestart: Outage = async (scene, began) => {
  // The leader first: each of the others may be the next.
  const leader = await scene.leader();
  for (const port of [leader, ...scene.ports.filter((other) => other !== leader)]) {
    await scene.end(port, 'SIGTERM');
    began();
    await scene.start(port);
  }
};

const postmasterKilled: Outage = async (scene, began) => {
  scene.killPostmaster();
  began();
};

const groups: readonly {
  readonly replicas: number;
  readonly isExternal: boolean;
  readonly outages: readonly (readonly [string, Outage])[];
}[] = [
  {
    replicas: 1,
    isExternal: true,
    outages: [
      ['PostgreSQL restarted', postgresAway(0)],
      [`PostgreSQL away for ${awaySeconds} s`, postgresAway(awaySeconds)],
      ['server restarted (SIGTERM)', restart('SIGTERM')],
      ['server killed (kill -9)', restart('SIGKILL')],
      ['upgrade to another version', upgrade],
    ],
  },
  { replicas: 1, isExternal: false, outages: [['postmaster killed (embedded)', postmasterKilled]] },
  {
    replicas: 3,
    isExternal: true,
    outages: [
      ['leader of three killed', leaderKilled],
      ['rolling restart of three', rollingRestart],
    ],
  },
];

const measure = async (scene: Scene, load: ConstantLoad, name: string, outage: Outage): Promise<Row> => {
  let recovery: Recovery | undefined;
  const measured = await load.during(async () => {
    await delay(marginMs);
    const began = Promise.withResolvers<void>();
    const recovering = began.promise.then(() => scene.recovery());
    const [, recovered] = await Promise.all([outage(scene, began.resolve), recovering]);
    recovery = recovered;
    await delay(marginMs);
  });
  for (const [failure, count] of Object.entries(measured.failures)) console.log(`${name}: ${count} × ${failure}`);
  return { name, ...measured, ...recovery };
};

const quiet = async (load: ConstantLoad): Promise<Row> => ({ name: 'nothing', ...(await load.during(() => delay(quietSeconds * 1000))) });

const print = (rows: readonly Row[]): void => {
  const seconds = (value: number | undefined): string => (value === undefined ? '' : `${value.toFixed(1)} s`);
  console.table(
    rows.map((row) => ({
      outage: row.name,
      requests: row.answered,
      failed: row.failed,
      p95: `${row.p95Ms.toFixed(1)} ms`,
      max: `${row.maxMs.toFixed(0)} ms`,
      'reads after': seconds(row.readSeconds),
      'writes after': seconds(row.writeSeconds),
      'a deploy after': seconds(row.deploySeconds),
    })),
  );
};

export const run = async (): Promise<void> => {
  const rows: Row[] = [];
  for (const { isExternal, outages, replicas } of groups) {
    const scene = await Scene.open({ replicas, isExternal });
    const load = startLoad({ port: ingressPort, host: `${app}.${app}.development.localhost:${ingressPort}`, perSecond });
    try {
      await load.during(() => delay(warmUpSeconds * 1000));
      if (rows.length === 0) rows.push(await quiet(load));
      for (const [name, outage] of outages) rows.push(await measure(scene, load, name, outage));
    } finally {
      load.stop();
      await scene.close();
    }
  }
  print(rows);
  const sum = (pick: (row: Row) => number): number => rows.reduce((total, row) => total + pick(row), 0);
  const slowest = Math.max(...rows.map(({ deploySeconds = 0 }) => deploySeconds));
  const failed = sum((row) => row.failed);
  console.log(
    `outages: ${failed} of ${sum((row) => row.answered)} requests failed at ${perSecond} a second through ${rows.length - 1} outages; a deploy worked again after ${slowest.toFixed(1)} s at most`,
  );
  if (failed > 0) process.exitCode = 1;
};
