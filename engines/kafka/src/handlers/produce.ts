/** Produce: checks and writes each partition's batch, and answers once a kill of the process cannot lose it. */
import { checkBatch, checkRecords, type Refusal } from '../log/check-batch.ts';
import type { Caller } from '../parts.ts';
import { operations } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { mayTopic, type HandlerContext } from './context.ts';

type PartitionData = Request<'Produce'>['topicData'][number]['partitionData'][number];
type TopicResponse = Response<'Produce'>['responses'][number];
type PartitionResponse = TopicResponse['partitionResponses'][number];

const FIRST_WITH_BATCHES = 3;

const failed = (index: number, errorCode: number, errorMessage: string | null = null): PartitionResponse => ({
  index,
  errorCode,
  errorMessage,
  baseOffset: -1,
  recordErrors: [],
});

export const produceHandler = (context: HandlerContext) =>
  handler({
    api: 'Produce',
    // Versions before 3 carry old message formats, which are refused. They are still listed, as in Kafka 4, because librdkafka derives the
    // broker's features from them.
    versions: [0, 11],
    handle: (request, caller) => produce(context, request, caller),
  });

const produce = async (
  context: HandlerContext,
  { acks, topicData, transactionalId }: Request<'Produce'>,
  caller: Caller,
): Promise<Response<'Produce'> | undefined> => {
  const reason = refusalOf(acks, transactionalId, caller.version);
  const flushes: Promise<void>[] = [];
  const responses: TopicResponse[] = [];
  for (const { name, partitionData } of topicData) {
    const partitionResponses: PartitionResponse[] = [];
    for (const data of partitionData) {
      if (caller.closed.aborted) return undefined;
      const answer = reason ? failed(data.index, reason.errorCode, reason.message) : writePartition(context, name, data, caller, flushes);
      partitionResponses.push(answer instanceof Promise ? await answer : answer);
    }
    responses.push({ name, partitionResponses });
  }
  if (acks === 0) return undefined;
  // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
  if (flushes.length > 0) await Promise.all(flushes);
  return { responses };
};

const refusalOf = (acks: number, transactionalId: string | null, version: number): { errorCode: number; message: string } | undefined => {
  if (version < FIRST_WITH_BATCHES)
    return { errorCode: errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, message: 'Only record batches of format 2 are kept.' };
  if (acks < -1 || acks > 1) return { errorCode: errors.INVALID_REQUIRED_ACKS, message: 'acks is 0, 1 or -1 (all).' };
  if (transactionalId !== null) return { errorCode: errors.UNSUPPORTED_VERSION, message: 'This broker has no transactions.' };
  return undefined;
};

const writePartition = (
  context: HandlerContext,
  name: string,
  { index, records }: PartitionData,
  caller: Caller,
  flushes: Promise<void>[],
): PartitionResponse | Promise<PartitionResponse> => {
  if (!mayTopic(context, caller, operations.write, name)) return failed(index, errors.TOPIC_AUTHORIZATION_FAILED);
  const topic = context.topics.get(name);
  if (topic === undefined || !topic.hasPartition(index)) return failed(index, errors.UNKNOWN_TOPIC_OR_PARTITION);
  const { settings } = topic;
  const now = context.now();
  const refusal = checkBatch(records, settings, now);
  if (refusal || records === null) return failed(index, refusal?.errorCode ?? errors.INVALID_RECORD, refusal?.message);
  const checked = checkRecords(records, { settings, now, turns: context.turns, principal: caller.principal });
  const answer = (verdict: Refusal | undefined): PartitionResponse =>
    verdict ? failed(index, verdict.errorCode, verdict.message) : append(context, name, index, records, flushes);
  return checked instanceof Promise ? checked.then(answer) : answer(checked);
};

const append = (context: HandlerContext, name: string, index: number, records: Buffer, flushes: Promise<void>[]): PartitionResponse => {
  if (!context.room.has(records.length))
    return failed(index, errors.KAFKA_STORAGE_ERROR, 'There is too little room left on the disk of the broker.');
  try {
    const log = context.topics.get(name)?.log(index);
    if (log === undefined) return failed(index, errors.UNKNOWN_TOPIC_OR_PARTITION);
    const { errorCode, baseOffset, appendTime, flushed } = log.append(records);
    if (flushed) flushes.push(flushed);
    return { index, errorCode, baseOffset, logAppendTimeMs: appendTime, logStartOffset: log.startOffset, recordErrors: [] };
  } catch (error) {
    context.log('error', 'a batch could not be written', { topic: name, partition: index, error: String(error) });
    return failed(index, errors.KAFKA_STORAGE_ERROR, 'The broker could not write to its disk.');
  }
};
