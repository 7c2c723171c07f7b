/**
 * Fetch: returns whole batches as stored, from as many partitions as fit. If there is less than the client wants, it waits for appends.
 * Fetch sessions are not kept: every answer is complete, which the protocol allows.
 */
import { LEADER_EPOCH, type PartitionLog } from '../log/partition-log.ts';
import { DamagedSegment } from '../log/segment.ts';
import type { Caller } from '../parts.ts';
import { operations } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { mayTopic, type HandlerContext } from './context.ts';

type FetchTopic = Request<'Fetch'>['topics'][number];
type FetchPartition = FetchTopic['partitions'][number];
type TopicResponse = Response<'Fetch'>['responses'][number];
type PartitionResponse = TopicResponse['partitions'][number];

const FIRST_WITH_IDS = 13;
const RESPONSE_BYTES = 16 * 1024 * 1024;
const LONGEST_WAIT_MS = 5 * 60_000;

/** The result of reading all partitions of a request once. */
interface Look {
  readonly responses: TopicResponse[];
  bytes: number;
  hasError: boolean;
  /** Logs to wait on for more data. */
  readonly logs: PartitionLog[];
}

export const fetchHandler = (context: HandlerContext) =>
  handler({ api: 'Fetch', versions: [4, 17], handle: (request, caller) => fetch(context, request, caller) });

const fetch = (context: HandlerContext, request: Request<'Fetch'>, caller: Caller): Response<'Fetch'> | Promise<Response<'Fetch'>> => {
  if (request.sessionId !== 0 && request.sessionEpoch > 0) return { errorCode: errors.FETCH_SESSION_ID_NOT_FOUND, responses: [] };
  const look = lookAt(context, request, caller);
  if (look.bytes >= request.minBytes || look.hasError || request.maxWaitMs <= 0 || look.logs.length === 0)
    return { errorCode: errors.NONE, responses: look.responses };
  return waitForMore(look, request, caller).then(() => ({
    errorCode: errors.NONE,
    responses: lookAt(context, request, caller).responses,
  }));
};

/** Waits until enough was appended, the wait time is over, or the client is gone. */
const waitForMore = ({ bytes, logs }: Look, { minBytes, maxWaitMs }: Request<'Fetch'>, { closed }: Caller): Promise<void> =>
  new Promise((resolve) => {
    let missing = minBytes - bytes;
    const end = (): void => {
      clearTimeout(timer);
      closed.removeEventListener('abort', end);
      for (const log of logs) log.watchers.delete(watch);
      resolve();
    };
    const watch = (appended: number): void => {
      missing -= appended;
      if (missing <= 0 || appended === 0) end();
    };
    const timer = setTimeout(end, Math.min(maxWaitMs, LONGEST_WAIT_MS));
    closed.addEventListener('abort', end);
    for (const log of logs) log.watchers.add(watch);
  });

const lookAt = (context: HandlerContext, request: Request<'Fetch'>, caller: Caller): Look => {
  const look: Look = { responses: [], bytes: 0, hasError: false, logs: [] };
  const maxBytes = Math.min(request.maxBytes, RESPONSE_BYTES);
  for (const topic of request.topics) {
    const { name, errorCode } = nameOf(context, topic, caller);
    const partitions = topic.partitions.map((asked) => {
      const answer =
        errorCode === errors.NONE ? readPartition(context, name, asked, maxBytes - look.bytes, look) : failed(asked.partition, errorCode);
      if (answer.errorCode !== errors.NONE) look.hasError = true;
      return answer;
    });
    look.responses.push({ topic: topic.topic, topicId: topic.topicId, partitions });
  }
  return look;
};

const nameOf = (context: HandlerContext, { topic, topicId }: FetchTopic, caller: Caller): { name: string; errorCode: number } => {
  const isById = caller.version >= FIRST_WITH_IDS;
  const name = isById ? context.topics.topicName(topicId) : topic;
  if (name === undefined) return { name: '', errorCode: errors.UNKNOWN_TOPIC_ID };
  return { name, errorCode: mayTopic(context, caller, operations.read, name) ? errors.NONE : errors.TOPIC_AUTHORIZATION_FAILED };
};

const failed = (partitionIndex: number, errorCode: number): PartitionResponse => ({
  partitionIndex,
  errorCode,
  highWatermark: -1,
  abortedTransactions: null,
  records: [],
});

const readPartition = (context: HandlerContext, name: string, asked: FetchPartition, maxBytes: number, look: Look): PartitionResponse => {
  try {
    return readLog(context, name, asked, maxBytes, look);
  } catch (error) {
    context.log('error', 'messages could not be read', {
      topic: name,
      partition: asked.partition,
      offset: asked.fetchOffset,
      error: String(error),
    });
    // Readers stop there with an error, as with Apache Kafka. Skipping messages silently would lose them.
    return failed(asked.partition, error instanceof DamagedSegment ? errors.CORRUPT_MESSAGE : errors.KAFKA_STORAGE_ERROR);
  }
};

const readLog = (context: HandlerContext, name: string, asked: FetchPartition, maxBytes: number, look: Look): PartitionResponse => {
  const log = context.topics.get(name)?.log(asked.partition);
  if (log === undefined) return failed(asked.partition, errors.UNKNOWN_TOPIC_OR_PARTITION);
  if (asked.currentLeaderEpoch > LEADER_EPOCH) return failed(asked.partition, errors.UNKNOWN_LEADER_EPOCH);
  const { startOffset, endOffset } = log;
  const place = {
    partitionIndex: asked.partition,
    highWatermark: endOffset,
    lastStableOffset: endOffset,
    logStartOffset: startOffset,
    abortedTransactions: null,
  };
  if (asked.fetchOffset < startOffset || asked.fetchOffset > endOffset) return failed(asked.partition, errors.OFFSET_OUT_OF_RANGE);
  const isFirst = look.bytes === 0;
  const room = Math.min(asked.partitionMaxBytes, maxBytes);
  const records = room > 0 || isFirst ? log.read(asked.fetchOffset, Math.max(0, room), isFirst) : undefined;
  look.logs.push(log);
  look.bytes += records?.length ?? 0;
  return { ...place, errorCode: errors.NONE, records: records ?? [] };
};
