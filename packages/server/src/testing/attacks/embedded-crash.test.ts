// @long: waits for limits, or starts programs
/** Kills the embedded PostgreSQL under a single server: its services do not notice, and the platform is back by itself. */
import fs from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPid } from '#db/embedded-survivor.ts';
import { freePort } from '#testing/free-port.ts';
import { edgeLoad } from '../load/edge-load.ts';
import { Program, removeData, untilServed } from '../program.ts';

let dataDir: string;
let ingressPort: number;
let program: Program;

const postmaster = () => readPid(join(fs.realpathSync(join(dataDir, 'pg')), 'cluster/postmaster.pid'));
const readiness = async () => (await fetch(`http://127.0.0.1:${program.port}/readyz`)).status;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-crash-'));
  ingressPort = await freePort();
  program = await Program.start(await freePort(), { SLIPWAY_DATA: dataDir, SLIPWAY_INGRESS_PORT: String(ingressPort) });
  await program.makeTeam();
  await program.ended(await program.quickstart('berth-one'));
  await untilServed(ingressPort, 'berth-one');
});
afterAll(async () => {
  await program?.end('SIGTERM');
  await removeData(dataDir);
});

test('kill -9 of the postmaster, again and again: no request at the edge fails, pipelines go on', async () => {
  const stopEdge = edgeLoad(ingressPort, 'berth-one');
  for (let round = 1; round <= 3; round++) {
    const pipelineId = await program.quickstart(`berth-crash-${round}`);
    const pid = postmaster();
    if (pid === undefined) throw new Error('PostgreSQL does not run');
    process.kill(pid, 'SIGKILL');
    await expect.poll(readiness, { interval: 10 }).toBe(503);
    await expect.poll(readiness).toBe(200);
    expect(postmaster()).not.toBe(pid);
    expect((await program.ended(pipelineId)).status.state).toBe('COMPLETED');
  }
  const { count, failures } = await stopEdge();
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(50);
  expect(program.output).toContain('The embedded PostgreSQL ended: starting it again');
  expect(await program.end('SIGTERM')).toBe(0);
});
