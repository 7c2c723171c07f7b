/** Traces of services as an area: receives, samples and shows them. */
import { serviceTraceList, serviceTraceView } from '@slipway/contract/service/traces.ts';
import { TraceTokens } from '#kernel/auth/trace-tokens.ts';
import { handle } from '#kernel/http/handle.ts';
import { collectorLimits, type IngestLimits } from '#kernel/ingest/admission.ts';
import { Problem } from '#kernel/problem.ts';
import { Rounds } from '#kernel/rounds.ts';
import type { AreaContext, AreaOf } from '#modules/resources/index.ts';
import { serviceRow } from '#modules/services/index.ts';
import { TraceForwarder, type TraceCollector } from './forwarder.ts';
import { TraceReceiver } from './receiver.ts';
import { sampleTraces, tidyTraces } from './sampling.sql.ts';
import { SpanWriter, tracePartitions } from './span-writer.ts';
import { readTrace, readTraces } from './traces.sql.ts';

export interface TraceOptions {
  /** Lower in tests. */
  readonly traces?: {
    readonly limits?: Partial<IngestLimits>;
    readonly cap?: number;
    readonly sampleAgeSeconds?: number;
    readonly collector?: TraceCollector;
  };
}

const MEGABYTE = 1024 * 1024;
const [SAMPLE_MS, TIDY_MS] = [15_000, 3_600_000];
/** Spans that a team may store per day, some 200 MB. */
const CAP = 200_000;
const SAMPLE_AGE_SECONDS = 60;
/** A source is a team. */
const traceLimits: IngestLimits = {
  ...collectorLimits,
  perSecond: 100,
  burst: 400,
  bytesPerSecond: MEGABYTE,
  burstBytes: 8 * MEGABYTE,
  readingPerSource: 32,
  waiting: { perSource: 16, inAll: 64 },
};

export const traceArea: AreaOf = (context: AreaContext & TraceOptions) => {
  const { database, adapters, log, isWorker, traces: options = {} } = context;
  const { db, pool } = database;
  const { cap = CAP, sampleAgeSeconds = SAMPLE_AGE_SECONDS } = options;
  const forwarder = options.collector && new TraceForwarder(options.collector, log);
  const receiver = new TraceReceiver({
    pool,
    tokens: new TraceTokens(pool, adapters.keys),
    writer: new SpanWriter(pool, cap),
    limits: { ...traceLimits, ...options.limits },
    forwarder,
    log,
  });
  const placeOf = async ({
    params: { app, service },
    environment,
  }: Parameters<Parameters<typeof handle<typeof serviceTraceList>>[1]>[0]) => {
    const row = await serviceRow(db, { app, environment, service });
    if (!row) throw new Problem('ServiceDoesNotExist');
    return { app, environment, serviceId: row.id };
  };
  return {
    routes: [
      handle(serviceTraceList, async (c) => readTraces(db, { ...(await placeOf(c)), cap })),
      handle(serviceTraceView, async (c) => {
        const trace = await readTrace(db, await placeOf(c), c.params.traceId);
        if (!trace) throw new Problem('TraceDoesNotExist');
        return trace;
      }),
    ],
    adapters: [{ mount: receiver, close: async () => forwarder?.stop() }],
    foundations: [{ start: () => tracePartitions.ensure(pool, new Date()), stop: async () => undefined }],
    ...(isWorker
      ? {
          tasks: [
            new Rounds({
              everyMs: SAMPLE_MS,
              round: () => sampleTraces(db, sampleAgeSeconds),
              log,
              warning: 'Traces could not be sampled',
            }),
            new Rounds({ everyMs: TIDY_MS, round: () => tidyTraces(database), log, warning: 'Old traces could not be deleted' }),
          ],
        }
      : {}),
    metrics: () => [
      {
        name: 'slipway_traces_waiting_bytes',
        help: 'Bytes of traces of services that wait for the database',
        type: 'gauge',
        samples: [[{}, receiver.admission.waitingBytes]],
      },
      {
        name: 'slipway_traces_not_forwarded_total',
        help: 'Requests with traces of services that the collector did not get',
        type: 'counter',
        samples: [[{}, forwarder?.dropped ?? 0]],
      },
    ],
  };
};
