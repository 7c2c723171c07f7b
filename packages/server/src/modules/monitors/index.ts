/** Browser monitoring as an area: monitors, the collector, and what it collected. */
import type { Handler } from '#kernel/http/handle.ts';
import { Rounds } from '#kernel/rounds.ts';
import { createSeals } from '#modules/deliveries/index.ts';
import { resourceModule, type AreaContext, type AreaOf } from '#modules/resources/index.ts';
import { collectorLimits, type IngestLimits } from '#kernel/ingest/admission.ts';
import { Collector } from './collector.ts';
import { Forwarder } from './forwarder.ts';
import { KnownMonitors } from './known-monitors.ts';
import { KnownNames } from './known-names.ts';
import { monitorEntity } from './monitor-entity.ts';
import { monitorRoutes } from './monitor-routes.ts';
import { monitorPartitions } from './partitions.ts';
import { PayloadWriter } from './payload-writer.ts';
import { eraseGone, foldCounts, tidy } from './rounds.sql.ts';

export interface MonitorOptions {
  /** Lower in tests. */
  readonly collector?: { readonly limits?: Partial<IngestLimits>; readonly foldMs?: number; readonly retryMs?: readonly number[] };
}

const FOLD_MS = 2000;
const ERASE_MS = 5000;
const TIDY_MS = 3_600_000;

/** Calls `done` after each successful write of a handler. */
const thenDo = (handler: Handler, done: () => void): Handler => {
  if (handler.route.method === 'GET') return handler;
  const answer = async (context: never): Promise<unknown> => {
    const answered = await handler.answer(context);
    done();
    return answered;
  };
  return { ...handler, answer };
};

export const monitorArea: AreaOf = (context: AreaContext & MonitorOptions) => {
  const { database, adapters, publicUrl, engine, log, isWorker, collector: options = {} } = context;
  const { db, pool } = database;
  const entity = monitorEntity(publicUrl);
  const seals = createSeals(pool, adapters.keys, 'monitor');
  const monitors = new KnownMonitors(pool);
  const forwarder = new Forwarder({
    pool,
    outgoing: adapters.outgoing,
    seals,
    log,
    ...(options.retryMs && { retryMs: options.retryMs, gatherMs: 50 }),
  });
  const writer = new PayloadWriter(pool, new KnownNames());
  const collector = new Collector({ monitors, writer, forwarder, limits: { ...collectorLimits, ...options.limits }, log });
  const area = resourceModule({ db, engine }, entity);
  const rounds = [
    new Rounds({
      everyMs: options.foldMs ?? FOLD_MS,
      round: () => foldCounts(db),
      log,
      warning: 'Counts of browser monitors could not be added up',
    }),
    new Rounds({ everyMs: ERASE_MS, round: () => eraseGone(db), log, warning: 'Data of deleted browser monitors could not be deleted' }),
    new Rounds({ everyMs: TIDY_MS, round: () => tidy(database), log, warning: 'Old data of browser monitors could not be deleted' }),
  ];
  return {
    ...area,
    routes: [
      ...area.routes.map((handler) => thenDo(handler, () => monitors.clear())),
      ...monitorRoutes({ db, entity, outgoing: adapters.outgoing, seals, onChange: () => monitors.clear() }),
    ],
    adapters: [{ mount: collector, close: async () => forwarder.stop() }],
    foundations: [{ start: () => monitorPartitions.ensure(pool, new Date()), stop: async () => undefined }],
    ...(isWorker ? { tasks: rounds } : {}),
    metrics: () => [
      {
        name: 'slipway_collector_waiting_bytes',
        help: 'Bytes of browser payloads that wait for the database',
        type: 'gauge',
        samples: [[{}, collector.admission.waitingBytes]],
      },
    ],
  };
};
