/** The area of event streaming: schemas and topics, their pipelines, and the background watchers. */
import { setTimeout as delay } from 'node:timers/promises';
import type { StreamingInfo } from '@slipway/contract/streaming/streaming.ts';
import { streamingInfoView } from '@slipway/contract/streaming/streaming.ts';
import type { Db } from '#db/database.ts';
import { handle, type Context, type Handler } from '#kernel/http/handle.ts';
import type { AreaContext } from '#modules/resources/index.ts';
import type { SchemaRegistry } from '#ports/schema-registry.ts';
import type { Streaming, StreamingConnection } from '#ports/streaming.ts';
import type { StreamingLinks } from './links.ts';
import { withIds } from './names.ts';
import { promotionRoutes } from './promotion.ts';
import { schemaParts } from './schemas/schema-area.ts';
import { schemaWatcher, type SchemaTimings } from './schemas/schema-watcher.ts';
import { usersOfTopics, voidRequests } from './grants/index.ts';
import type { StreamingUsers } from './streaming-users.ts';
import { topicParts } from './topics/topic-area.ts';
import { topicWatcher, type TopicTimings } from './topics/topic-watcher.ts';
import { unlessAway } from './unless-away.ts';

export interface StreamingOptions {
  /** Overrides for tests. */
  readonly topicTimings?: Partial<TopicTimings>;
  readonly schemaTimings?: Partial<SchemaTimings>;
  readonly streamingLinks?: StreamingLinks;
}

const READY_MS = 1000;
const addressesOf = ({ bootstrapServers }: StreamingConnection): string =>
  bootstrapServers.map(({ host, port }) => `${host}:${port}`).join(',');
/** Returns whether the cluster is in use. The embedded cluster is not started only to describe it. */
const isNeeded = async (db: Db, streaming: Streaming): Promise<boolean> =>
  streaming.kind !== 'embedded' || (await db.selectFrom('topic').select('id').limit(1).executeTakeFirst()) !== undefined;

const clusterOf = async (
  db: Db,
  streaming: Streaming,
  environment: StreamingInfo['environmentClass'],
): Promise<StreamingInfo['cluster']> => {
  const base = {
    kind: streaming.kind === 'embedded' ? ('EMBEDDED' as const) : ('KAFKA' as const),
    name: streaming.kind === 'embedded' ? 'Embedded development broker' : 'Apache Kafka',
    bootstrapServers: addressesOf(await streaming.connection(environment)),
    brokers: null,
    maxReplication: streaming.isDevelopmentBroker ? 1 : null,
  };
  if (!(await isNeeded(db, streaming))) return { ...base, state: 'NOT_STARTED' };
  const cluster = await unlessAway(streaming.cluster(environment));
  if (!cluster) return { ...base, state: 'UNREACHABLE' };
  const maxReplication = streaming.isDevelopmentBroker ? 1 : cluster.maxReplication;
  return { ...base, state: 'REACHABLE', brokers: cluster.brokers.length, maxReplication };
};

const infoOf = async (
  db: Db,
  streaming: Streaming,
  registry: SchemaRegistry,
  c: Context<typeof streamingInfoView>,
): Promise<StreamingInfo> => {
  const isThere = await unlessAway(registry.probe(c.environment).then(() => true));
  return {
    environmentClass: c.environment,
    prefix: `${c.params.app}.`,
    cluster: await clusterOf(db, streaming, c.environment),
    registry: {
      kind: registry.kind === 'embedded' ? 'EMBEDDED' : 'HTTP',
      url: registry.info(c.environment).url,
      state: isThere ? 'REACHABLE' : 'UNREACHABLE',
    },
  };
};

/** Reports `low` if an engine is unavailable: a replica still serves, but an operator should look. The timeout keeps readiness fast. */
const answers = (check: Promise<void>): Promise<string> =>
  Promise.race([
    check.then(
      () => 'ok',
      () => 'low',
    ),
    delay(READY_MS, 'low', { ref: false }),
  ]);

export const streamingArea = (context: AreaContext & StreamingOptions) => {
  const { database, engine, adapters, requests, log, topicTimings, schemaTimings, streamingLinks: links } = context;
  const { db } = database;
  const { streaming, schemaRegistry: registry } = adapters;
  const users: StreamingUsers = {
    ofTopics: (topicIds) => usersOfTopics(db, topicIds),
    voidRequests: (trx, topic) => voidRequests(trx, requests, { topic }),
  };
  const deps = { db, streaming, registry, engine, links, users };
  const schemas = schemaParts(deps);
  const topics = topicParts(deps);
  const info: Handler = handle(streamingInfoView, (c) => infoOf(db, streaming, registry, c));
  const promotions = promotionRoutes({
    ...deps,
    schemas: schemas.entity,
    topics: topics.entity,
    writes: { ...schemas.writes, ...topics.writes },
  });
  return {
    routes: [
      info,
      ...schemas.routes,
      ...promotions.schemas.map(withIds(db, 'schema')),
      ...topics.routes,
      ...promotions.topics.map(withIds(db, 'topic')),
    ],
    pipelines: [...schemas.pipelines, ...topics.pipelines],
    adapters: [streaming],
    checks: { streaming: () => answers(streaming.check()), schemaRegistry: () => answers(registry.probe()) },
    tasks: [topicWatcher(deps, log, topicTimings), schemaWatcher(deps, log, schemaTimings)],
  };
};
