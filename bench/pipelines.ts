/** How many pipeline runs a single server gets through: six steps that do nothing, on the embedded PostgreSQL with fsync on. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase, transaction, type Db } from '../packages/server/src/db/database.ts';
import { startEmbeddedPostgres } from '../engines/postgres/src/embedded-postgres.ts';
import { migrate } from '../packages/server/src/db/migrator.ts';
import { definePipeline, PipelineEngine } from '../packages/server/src/modules/pipelines/index.ts';
import { subjectNamed } from '../packages/server/src/testing/subject-named.ts';

const CONCURRENCIES = [1, 10, 100];
const MEASURE_MS = 3000;
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const createdBy = { id: 'bench', displayName: 'Bench' };

interface Figures {
  readonly concurrency: number;
  readonly runsPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Answers when a run has ended: its module's part runs just before the commit, which is then looked for. */
const ended = new Map<string, () => void>();
const pipeline = definePipeline<object, object>({
  type: 'Deploy',
  steps: ['ReadSource', 'BuildImage', 'ValidateService', 'CreateRevision', 'StartInstances', 'ShiftTraffic'].map((code) => ({
    code,
    async run() {},
  })),
  async onFinished(_trx, { runId }) {
    ended.get(runId)?.();
  },
});

export async function run(): Promise<void> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-bench-'));
  fs.chmodSync(directory, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: directory, log });
  await migrate(postgres.connection, { log });
  const { db, close } = openDatabase(postgres.connection);
  const engine = new PipelineEngine({ connection: postgres.connection, db, log });
  engine.register(pipeline);
  await engine.launch();
  try {
    await measure(engine, db, 10, 500);
    const figures: Figures[] = [];
    for (const concurrency of CONCURRENCIES) figures.push(await measure(engine, db, concurrency, MEASURE_MS));
    console.table(figures);
    console.log(figures.map((item) => `pipelines@${item.concurrency}=${item.runsPerSecond}/s p50=${item.p50Ms}ms`).join(' '));
  } finally {
    await engine.close();
    await close();
    await postgres.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(engine: PipelineEngine, db: Db, concurrency: number, forMs: number): Promise<Figures> {
  const durations: number[] = [];
  const begun = performance.now();
  const client = async (name: string) => {
    while (performance.now() - begun < forMs) {
      const startedAt = performance.now();
      await runOne(engine, db, `app:bench-${name}`);
      durations.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, index) => client(String(index))));
  const seconds = (performance.now() - begun) / 1000;
  durations.sort((a, b) => a - b);
  const percentile = (share: number) => Math.round((durations[Math.floor(durations.length * share)] ?? 0) * 10) / 10;
  return { concurrency, runsPerSecond: Math.round(durations.length / seconds), p50Ms: percentile(0.5), p95Ms: percentile(0.95) };
}

async function runOne(engine: PipelineEngine, db: Db, key: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { runId } = await transaction(db, async (trx) => {
    const started = await engine.start(trx, pipeline, { input: {}, subject: subjectNamed(key), createdBy, trigger: 'platform' });
    ended.set(started.runId, resolve);
    return started;
  });
  await promise;
  ended.delete(runId);
  const state = db.selectFrom('pipeline_run').select('state').where('run_id', '=', runId);
  while ((await state.executeTakeFirst())?.state !== 'COMPLETED') await delay(1);
}

if (import.meta.main) await run();
