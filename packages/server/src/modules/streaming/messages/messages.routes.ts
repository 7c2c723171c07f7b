/** Messages over HTTP: browse, follow, reveal one, and produce a test message. Only for members of the team that owns the topic. */
import {
  skippedText,
  topicFieldsView,
  topicMessageList,
  topicMessageProduce,
  topicMessageReveal,
  topicMessageTail,
  type TopicMessage,
} from '@slipway/contract/streaming/message.ts';
import { secretRevealRule } from '@slipway/contract/secret/secret-group.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { transaction } from '#db/database.ts';
import { endWhenRefused } from '#kernel/auth/stream-guard.ts';
import { handle, type Context, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { JsonValue } from '#ports/schema.ts';
import type { StreamHeader } from '#ports/streaming.ts';
import { requireMadeTopic, requireTopic } from '../topics/status.ts';
import type { TopicDeps, TopicRow } from '../topics/topic-rows.ts';
import { browseMessages } from './browse-messages.ts';
import { showMessage, testHeader, topicFields, viewingOf } from './show-message.ts';
import { tailMessages } from './tail-messages.ts';

const registryIdOf = async ({ db }: TopicDeps, schemaId: string | null): Promise<number | null> => {
  if (schemaId === null) return null;
  const row = await db.selectFrom('event_schema').select('registry_id').where('id', '=', schemaId).executeTakeFirst();
  return row?.registry_id ?? null;
};

/** Every value other than undefined is JSON, since the request body was parsed. */
const isJson = (value: unknown): value is JsonValue => value !== undefined;
/** Encodes like a client: with the newest version of the schema, or as text without a schema. */
const bytesOf = async (
  deps: TopicDeps,
  row: TopicRow,
  schemaId: string | null,
  value: unknown,
  field: 'key' | 'value',
): Promise<Uint8Array | null> => {
  if (value === undefined || value === null || !isJson(value)) return null;
  const id = await registryIdOf(deps, schemaId);
  if (id === null) return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  try {
    return await deps.registry.encode(row.environment, id, value);
  } catch (error) {
    if (!isPortFailure(error, 'rejected')) throw error;
    const { path = '', reason = error.message } = error.context;
    throw new Problem('MessageInvalid', { field, context: { path: path || field, reason }, cause: error });
  }
};

/** Encodes typed text: as JSON if the key has a schema other than a string. */
const keyBytes = async (deps: TopicDeps, row: TopicRow, text: string): Promise<Uint8Array> => {
  const id = await registryIdOf(deps, row.key_schema_id);
  if (id === null) return Buffer.from(text);
  const values: JsonValue[] = [text];
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJson(parsed)) values.unshift(parsed);
  } catch {
    // Not JSON, so use the text.
  }
  for (const value of values) {
    try {
      return await deps.registry.encode(row.environment, id, value);
    } catch (error) {
      if (!isPortFailure(error, 'rejected')) throw error;
    }
  }
  throw new Problem('InvalidValue', { field: 'key', context: { label: 'Key' } });
};

/** The cluster returns the same error for a missing topic and for a missing partition. */
const notThere = (row: TopicRow, partition?: number) => (error: unknown) => {
  if (isPortFailure(error, 'notFound') && partition !== undefined && partition >= row.partitions)
    throw new Problem('PartitionDoesNotExist', { field: 'partition', cause: error });
  if (isPortFailure(error, 'notFound')) throw new Problem('TopicNotOnCluster', { context: { topic: row.topic_name }, cause: error });
  throw error;
};

const list = async (deps: TopicDeps, { params, query }: Context<typeof topicMessageList>) => {
  const row = await requireMadeTopic(deps, params);
  const key = query.key === undefined ? undefined : await keyBytes(deps, row, query.key);
  const browsing = { environment: row.environment, topic: row.topic_name, query, key };
  const { messages, skipped, ...found } = await browseMessages(deps.streaming, browsing).catch(notThere(row, query.partition));
  const viewing = await viewingOf(deps, row);
  const shown: TopicMessage[] = [];
  // Sequential: a message may need a schema from the registry, which is then cached for the others.
  for (const message of messages) shown.push(await showMessage(deps, viewing, message));
  const left = skipped.map(({ fromOffset, toOffset, ...rest }) => ({
    ...rest,
    fromOffset: String(fromOffset),
    toOffset: String(toOffset),
  }));
  return { ...found, skipped: left, messages: shown };
};

/** Explains why a message cannot be read. Damaged messages are reported as such. */
const whyNotRead = async ({ streaming }: TopicDeps, row: TopicRow, partition: number, offset: bigint): Promise<Problem> => {
  const { skipped } = await streaming.browse(row.environment, {
    topic: row.topic_name,
    partition,
    from: { at: 'offset', offset },
    limit: 1,
  });
  const found = skipped.find(({ fromOffset, toOffset }) => fromOffset <= offset && offset <= toOffset);
  if (!found) return new Problem('MessageDoesNotExist');
  const at = String(offset);
  const { why } = skippedText({ partition, reason: found.reason, fromOffset: at, toOffset: at });
  return new Problem('MessageCannotBeShown', { context: { reason: why } });
};
/** Only team members may reveal, not even administrators, as with secret values. */
const reveal = async (deps: TopicDeps, c: Context<typeof topicMessageReveal>): Promise<TopicMessage> => {
  const { params, body, caller, owner } = c;
  const rule = secretRevealRule({ isAutomation: caller.isAutomation, isMember: caller.memberOf.has(owner.teamId) });
  if (rule !== true) throw new Problem(rule, { context: { team: owner.teamName } });
  const row = await requireMadeTopic(deps, params);
  const { partition, offset, reason } = body;
  const message = await deps.streaming
    .readMessage(row.environment, row.topic_name, partition, BigInt(offset))
    .catch(notThere(row, partition));
  if (!message) throw await whyNotRead(deps, row, partition, BigInt(offset));
  const shown = await showMessage(deps, await viewingOf(deps, row, true), message);
  await transaction(deps.db, (trx) =>
    recordWrite(trx, caller, {
      type: topicMessageReveal.id,
      reason: 'Revealed',
      message: `${caller.displayName} read message ${offset} of partition ${partition} of ${row.topic_name} unmasked: ${reason}`,
      subject: subjectOf(topicKind, params, { team: owner.teamId, ids: { topic: row.id } }),
      after: { partition, offset, reason },
    }),
  );
  return shown;
};

/** Rejected by the cluster, for example because the message is too large or a required key is missing. */
const refused = (error: unknown): never => {
  if (!isPortFailure(error, 'rejected')) throw error;
  throw new Problem('MessageInvalid', {
    field: 'value',
    context: {
      path: 'The message',
      reason: error.code === 'StreamingMessageTooLarge' ? 'is larger than the topic takes' : 'was refused by the cluster',
    },
    cause: error,
  });
};

const headersFor = (name: string, headers: readonly { name: string; value: string }[]): StreamHeader[] => [
  ...headers.map(({ name: key, value }) => ({ key, value: Buffer.from(value) })),
  { key: testHeader, value: Buffer.from(name) },
];
const produce = async (deps: TopicDeps, c: Context<typeof topicMessageProduce>) => {
  const { params, body, caller, owner } = c;
  const row = await requireMadeTopic(deps, params);
  if (row.environment !== 'development') throw new Problem('DevelopmentOnly');
  if (body.value === undefined) throw new Problem('Required', { field: 'value', context: { label: 'Value' } });
  const isKeyNeeded = row.key_schema_id !== null && row.cleanup_policy !== 'DELETE';
  if (isKeyNeeded && (body.key === undefined || body.key === null))
    throw new Problem('Required', { field: 'key', context: { label: 'Key' } });
  if (body.partition !== undefined && body.partition >= row.partitions) throw new Problem('PartitionDoesNotExist', { field: 'partition' });
  const message = {
    key: await bytesOf(deps, row, row.key_schema_id, body.key, 'key'),
    value: await bytesOf(deps, row, row.value_schema_id, body.value, 'value'),
    headers: headersFor(caller.displayName, body.headers),
    ...(body.partition !== undefined && { partition: body.partition }),
  };
  const { partition, offset } = await deps.streaming.produce(row.environment, row.topic_name, message).catch(refused).catch(notThere(row));
  await transaction(deps.db, (trx) =>
    recordWrite(trx, caller, {
      type: topicMessageProduce.id,
      reason: 'Produced',
      message: `${caller.displayName} produced a test message to ${row.topic_name}`,
      subject: subjectOf(topicKind, params, { team: owner.teamId, ids: { topic: row.id } }),
      after: { partition, offset: String(offset) },
    }),
  );
  return { partition, offset: String(offset) };
};

const producedBy = async ({ db }: TopicDeps, entry: string) => {
  const row = await db.selectFrom('activity').select('after').where('id', '=', entry).executeTakeFirst();
  const after = isRecord(row?.after) ? row.after : {};
  return { partition: Number(after['partition']), offset: String(after['offset']) };
};

export const messageRoutes = (deps: TopicDeps): Handler[] => [
  handle(topicFieldsView, async (c) => topicFields(deps, await requireTopic(deps, c.params))),
  handle(topicMessageList, (c) => list(deps, c)),
  handle(topicMessageReveal, (c) => reveal(deps, c)),
  handle(
    topicMessageProduce,
    (c) => produce(deps, c),
    // A repeated request does not produce again: the activity log has the message's offset.
    async (_c, [made]) => producedBy(deps, made?.entry ?? ''),
  ),
  handle(topicMessageTail, async ({ params, query, reply, callerNow, log }) => {
    const row = await requireMadeTopic(deps, params);
    const viewing = await viewingOf(deps, row);
    endWhenRefused(reply, callerNow);
    const body = tailMessages({
      messages: (signal) =>
        deps.streaming.tail(row.environment, {
          topic: row.topic_name,
          signal,
          ...(query.partition !== undefined && { partition: query.partition }),
        }),
      show: (message) => showMessage(deps, viewing, message),
      log,
    });
    return reply.type('text/event-stream').header('cache-control', 'no-store').header('x-accel-buffering', 'no').send(body);
  }),
];
