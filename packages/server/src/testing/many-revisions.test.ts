// @long: fills tables with many rows
/**
 * 60,000 rows of revisions in every status, at a platform whose processes may open 1,024 files each: it goes on answering, nothing that
 * it opens or keeps grows with the rows, and what runs is served throughout.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedRevisions } from './load/many-revisions.ts';
import { Place } from './outliving.fixture.ts';
import { askEdge, programToken, untilServed, withFileLimit, type Program } from './program.ts';

const SERVICES = 600;
const FILES = 1024;
const MEGABYTES = 400;
const P95_MS = 100;
let place: Place;
let program: Program;
beforeAll(async () => {
  place = await Place.open();
  program = await place.start({}, withFileLimit(FILES));
  await program.makeTeam();
  await program.ended(await program.quickstart('berth'));
  await untilServed(place.ingressPort, 'berth');
}, 120_000);
afterAll(() => place?.close(), 60_000);

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Asks for a list, for readiness and for the service, one after the other, until it is stopped. */
const asking = (): { stop(): Promise<{ p95Ms: number; statuses: ReadonlySet<number>; edge: ReadonlySet<number> }> } => {
  const times: number[] = [];
  const statuses = new Set<number>();
  const edge = new Set<number>();
  let isStopped = false;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      for (const path of ['/api/v1/apps?size=25', '/api/v1/apps/berth/development/services/berth', '/readyz']) {
        const at = performance.now();
        const headers = { authorization: `Bearer ${programToken}` };
        const answer = await fetch(`http://127.0.0.1:${program.port}${path}`, { headers, signal: AbortSignal.timeout(10_000) });
        await answer.text();
        times.push(performance.now() - at);
        statuses.add(answer.status);
      }
      edge.add(await askEdge(place.ingressPort, 'berth'));
      await delay(20);
    }
  };
  const running = run();
  return {
    stop: async () => {
      isStopped = true;
      await running;
      return { p95Ms: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0, statuses, edge };
    },
  };
};
const unsettled = async (): Promise<number> =>
  (
    await place.rows<{ count: number }>(
      `select count(*)::int as count from revision where replicas_wanted = 0 and status not in ('NO_INSTANCES', 'DELETED')`,
    )
  )[0]?.count ?? -1;

test('60,000 revisions of every status, at 1,024 files', { timeout: 600_000 }, async () => {
  const before = residentMegabytes(program.child.pid ?? 0);
  const load = asking();
  const at = performance.now();
  await seedRevisions(place.database.pool, SERVICES);
  const seededMs = performance.now() - at;
  await place.rows(`select pg_notify('slipway_change', '{"kind":"service"}')`);
  await expect.poll(unsettled, { timeout: 500_000, interval: 500 }).toBe(0);
  const settledMs = performance.now() - at;
  const { p95Ms, statuses, edge } = await load.stop();
  const server = residentMegabytes(program.child.pid ?? 0);
  const agent = residentMegabytes(place.agent ?? 0);
  const figures = { p95Ms, seededMs, settledMs, before, server, agent };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect([...statuses], JSON.stringify(figures)).toEqual([200]);
  expect([...edge]).toEqual([200]);
  expect(program.output).not.toMatch(/EMFILE|too many open files/);
  expect(place.agentLog()).not.toMatch(/EMFILE|too many open files/);
  // Garbage of the read rows is freed once the server is idle.
  await expect.poll(() => residentMegabytes(program.child.pid ?? 0), { timeout: 60_000, interval: 1000 }).toBeLessThan(MEGABYTES);
  expect(agent).toBeLessThan(MEGABYTES);
  expect(p95Ms).toBeLessThan(P95_MS);
  // Another team's first service comes up as ever.
  expect(await program.ended(await program.quickstart('quay'))).toMatchObject({ status: { state: 'COMPLETED' } });
});
