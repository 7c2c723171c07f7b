import fs from 'node:fs';
import pg from 'pg';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { startEmbeddedPostgres } from '../packages/server/src/db/embedded-postgres.ts';
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const directory = fs.mkdtempSync('/tmp/plx/base-');
fs.chmodSync(directory, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir: directory, log });
const pool = new pg.Pool({ ...postgres.connection, max: 20 });
pool.on('error', () => {});
const wf = DBOS.registerWorkflow(
  async () => {
    for (let i = 0; i < 6; i++) await DBOS.runStep(async () => {}, { name: `s${i}` });
  },
  { name: 'w' },
);
DBOS.setConfig({ name: 'base', systemDatabasePool: pool, useListenNotify: false, logger: log as never });
await DBOS.launch();
const measure = async (c: number, ms: number) => {
  const d: number[] = [];
  const t0 = performance.now();
  await Promise.all(
    Array.from({ length: c }, async () => {
      while (performance.now() - t0 < ms) {
        const t = performance.now();
        await (await DBOS.startWorkflow(wf)()).getResult();
        d.push(performance.now() - t);
      }
    }),
  );
  d.sort((a, b) => a - b);
  return `base@${c}=${Math.round(d.length / ((performance.now() - t0) / 1000))}/s p50=${Math.round(d[d.length >> 1]! * 10) / 10}`;
};
import { pgCpu, nodeCpu } from './.cpu.ts';
const data = fs.readdirSync(directory, { recursive: true }).find((f) => String(f).endsWith('postmaster.pid'));
const dd = directory + '/' + String(data).replace('/postmaster.pid', '');
await measure(10, 500);
for (const c of [1, 10, 100]) {
  const a = pgCpu(dd),
    b = nodeCpu();
  const before = Number((await pool.query('select count(*) from dbos.workflow_status')).rows[0].count);
  console.log(await measure(c, 2500));
  const n = Number((await pool.query('select count(*) from dbos.workflow_status')).rows[0].count) - before;
  console.log('base cpu per run pg', (pgCpu(dd) - a) / n, 'node', (nodeCpu() - b) / n, n);
}
await DBOS.shutdown();
await pool.end();
await postgres.stop();
process.exit(0);
