/** One environment: its topics, groups, users, rules and listener. Wires the parts together. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { alterConfigsHandler, incrementalAlterConfigsHandler } from './handlers/alter-configs.ts';
import type { HandlerContext } from './handlers/context.ts';
import { createPartitionsHandler, createTopicsHandler } from './handlers/create-topics.ts';
import { deleteRecordsHandler } from './handlers/delete-records.ts';
import { deleteTopicsHandler } from './handlers/delete-topics.ts';
import { describeConfigsHandler } from './handlers/describe-configs.ts';
import { describeLogDirsHandler } from './handlers/describe-log-dirs.ts';
import { DiskRoom } from './handlers/disk-room.ts';
import { fetchHandler } from './handlers/fetch.ts';
import { initProducerIdHandler } from './handlers/init-producer-id.ts';
import { listOffsetsHandler, offsetForLeaderEpochHandler } from './handlers/list-offsets.ts';
import { describeClusterHandler, metadataHandler } from './handlers/metadata.ts';
import { ProducerIds } from './handlers/producer-ids.ts';
import { produceHandler } from './handlers/produce.ts';
import type { LogTools } from './log/partition-log.ts';
import { signInApis } from './network/connection.ts';
import type { BufferRoom } from './network/frames.ts';
import { listen } from './network/listener.ts';
import type { AdminCredential, AnyHandler, PartContext, StartAccess, StartGroups } from './parts.ts';
import { apiTables } from './protocol/apis.ts';
import { readState, writeState } from './state/state-file.ts';
import { Topics } from './topics/topics.ts';
import { newTopicId } from './topics/topic.ts';
import { startUpkeep } from './upkeep.ts';

export interface EnvironmentOptions {
  readonly name: string;
  readonly directory: string;
  readonly host: string;
  readonly port: number;
  readonly advertisedHost: string;
  readonly advertisedPort?: number | undefined;
  readonly admin: AdminCredential;
  readonly floorBytes?: number | undefined;
}
/** Shared by all environments of the broker. */
export interface EnvironmentParts {
  readonly tools: LogTools;
  readonly room: BufferRoom;
  readonly startAccess: StartAccess;
  readonly startGroups: StartGroups;
}
export interface Environment {
  readonly name: string;
  readonly port: number;
  close(): Promise<void>;
}

const Identity = z.object({ clusterId: z.string() });

const clusterIdOf = async (directory: string): Promise<string> => {
  const file = path.join(directory, 'identity.json');
  const known = Identity.safeParse(await readState(file)).data;
  if (known) return known.clusterId;
  const clusterId = newTopicId();
  await writeState(file, { clusterId });
  return clusterId;
};

const subdirectory = async (directory: string, name: string): Promise<string> => {
  const made = path.join(directory, name);
  await mkdir(made, { recursive: true, mode: 0o700 });
  return made;
};

/** Returns the handlers for messages and topics. */
const ownHandlers = (context: HandlerContext): AnyHandler[] => [
  produceHandler(context),
  fetchHandler(context),
  listOffsetsHandler(context),
  offsetForLeaderEpochHandler(context),
  deleteRecordsHandler(context),
  initProducerIdHandler(context),
  metadataHandler(context),
  describeClusterHandler(context),
  createTopicsHandler(context),
  createPartitionsHandler(context),
  deleteTopicsHandler(context),
  describeConfigsHandler(context),
  alterConfigsHandler(context),
  incrementalAlterConfigsHandler(context),
  describeLogDirsHandler(context),
];

export const startEnvironment = async (options: EnvironmentOptions, parts: EnvironmentParts): Promise<Environment> => {
  const { tools } = parts;
  const directory = await subdirectory(path.dirname(options.directory), path.basename(options.directory));
  const topics = new Topics(path.join(directory, 'topics'), tools);
  const clusterId = await clusterIdOf(directory);
  // The listener may choose its port, which is then only known after it has started. Nobody reads the port before.
  const advertised = { host: options.advertisedHost, port: options.advertisedPort ?? options.port };
  const partContext = async (name: string): Promise<PartContext> => ({
    directory: await subdirectory(directory, name),
    topics,
    advertised,
    clusterId,
    now: tools.now,
    log: tools.log,
  });
  const access = await parts.startAccess(await partContext('access'), options.admin);
  const groups = await parts.startGroups(await partContext('groups'), access.authorizer);
  const context: HandlerContext = {
    topics,
    authorizer: access.authorizer,
    room: new DiskRoom(directory, options.floorBytes),
    producerIds: new ProducerIds(directory),
    turns: tools.turns,
    advertised,
    clusterId,
    now: tools.now,
    log: tools.log,
  };
  const all = [...ownHandlers(context), ...access.handlers, ...groups.handlers];
  const handlers = new Map(all.map((one) => [one.api, one]));
  const offered = [
    ...all.map(({ api, versions: [minVersion, maxVersion] }) => ({ apiKey: apiTables[api].key, minVersion, maxVersion })),
    ...signInApis.map(({ api, max }) => ({ apiKey: apiTables[api].key, minVersion: 0, maxVersion: max })),
  ];
  const listener = await listen(options, { handlers, offered, users: access.users, room: parts.room, now: tools.now, log: tools.log });
  advertised.port = options.advertisedPort ?? listener.port;
  const endUpkeep = startUpkeep(topics, tools);
  const close = async (): Promise<void> => {
    await listener.close();
    const tidied = endUpkeep();
    await groups.close();
    await access.close();
    // Closing a log ends its compaction.
    topics.close();
    await tidied;
  };
  return { name: options.name, port: listener.port, close };
};
