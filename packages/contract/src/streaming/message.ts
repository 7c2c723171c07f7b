/**
 * Messages of a topic: browse by offset, time and key, follow live, reveal a masked value with a reason, and produce a test message in
 * development. Only for members of the owning team. A masked value shows its class, never its length.
 */
import * as z from 'zod/mini';
import { Instant, RequiredText, numberCodes } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { DataClassification } from './streaming.ts';
import { topicBase, topicOneCodes } from './topic.ts';

export const messageLimits = {
  /** Maximum messages per answer. */
  page: 500,
  /** Maximum of a live view. Further messages are dropped and counted. */
  tailPerSecond: 20,
  tailMinutes: 10,
  revealSeconds: 30,
  produceBytes: 64 * 1024,
} as const;

export const messagePartStates = ['EMPTY', 'DECODED', 'TEXT', 'UNREADABLE', 'MASKED'] as const;
/** A key or a value. */
export const MessagePart = z.object({
  /** TEXT: readable, without a schema. UNREADABLE: no schema can decode it. MASKED: the whole part is hidden. */
  state: z.enum(messagePartStates),
  /** DECODED: the whole value, with null in masked places. TEXT: a string. Otherwise null. */
  value: z.unknown(),
  masked: z.array(z.object({ path: z.string(), classification: DataClassification })),
  /** The schema that the message was written with. The name is null if the platform has no schema with this id. */
  schema: z.nullable(z.object({ registryId: z.number(), name: z.nullable(z.string()), revisionId: z.nullable(z.number()) })),
  /** UNREADABLE: the first 1,024 bytes. */
  hex: z.nullable(z.string()),
  /** Null if the whole part is masked. */
  sizeBytes: z.nullable(z.number()),
  /** Why it is unreadable. */
  reason: z.nullable(z.string()),
});
export type MessagePart = z.infer<typeof MessagePart>;
export const TopicMessage = z.object({
  partition: z.number(),
  /** A string, because offsets have 64 bits. */
  offset: z.string(),
  at: Instant,
  key: MessagePart,
  value: MessagePart,
  headers: z.array(z.object({ name: z.string(), value: z.nullable(z.string()) })),
  /** True if the console produced the message. */
  isTest: z.boolean(),
});
export type TopicMessage = z.infer<typeof TopicMessage>;
/**
 * Why a stored message is not shown. `checksum`: its bytes are corrupt. `broker`: the broker itself cannot read it. `unreadable`: intact,
 * but cannot be decoded. `tooLarge`: too large after decompression.
 */
export const skipReasons = ['checksum', 'broker', 'unreadable', 'tooLarge'] as const;
/** Range of messages in one partition, both offsets inclusive. */
export const SkippedRange = z.object({
  partition: z.number(),
  fromOffset: z.string(),
  toOffset: z.string(),
  reason: z.enum(skipReasons),
});
export type SkippedRange = z.infer<typeof SkippedRange>;
export const TopicMessagePage = z.object({
  messages: z.array(TopicMessage),
  /** Cursor for the next page in the requested direction. Null at the end. */
  next: z.nullable(z.string()),
  /** Number of messages read. With a key filter this exceeds the number shown. */
  scanned: z.number(),
  /** Number of offsets that remain for `next`. Deleted and compacted messages leave gaps, so there may be fewer messages. */
  left: z.number(),
  /** Ranges that cannot be shown. Reading continued after them. */
  skipped: z.array(SkippedRange),
  /** True if a limit stopped the search before the end; `next` continues. */
  isPartial: z.boolean(),
});
export type TopicMessagePage = z.infer<typeof TopicMessagePage>;

const skipTexts: Readonly<Record<SkippedRange['reason'], readonly [one: string, many: string]>> = {
  checksum: [
    'This message is damaged on the broker: its checksum does not match.',
    'These messages are damaged on the broker: their checksum does not match.',
  ],
  broker: [
    'This message is damaged on the broker: the broker cannot read it any more.',
    'These messages are damaged on the broker: the broker cannot read them any more.',
  ],
  unreadable: [
    'This message cannot be opened: its format or its compression is not known, or was written wrong.',
    'These messages cannot be opened: their format or their compression is not known, or was written wrong.',
  ],
  tooLarge: ['This message is too large to be opened here.', 'These messages are too large to be opened here.'],
};
export const skippedMessages = ({ fromOffset, toOffset }: SkippedRange): number => Number(BigInt(toOffset) - BigInt(fromOffset)) + 1;
/** Describes in one sentence each where a skipped range is and why it is not shown. */
export const skippedText = (range: SkippedRange): { readonly place: string; readonly why: string } => {
  const { partition, fromOffset, toOffset, reason } = range;
  const [one, many] = skipTexts[reason];
  const isOne = fromOffset === toOffset;
  return {
    place: `Partition ${partition}, ${isOne ? `offset ${fromOffset}` : `offsets ${fromOffset} to ${toOffset}`}`,
    why: isOne ? one : many,
  };
};

const Partition = z.coerce.number({ error: 'NotANumber' }).check(z.int({ error: 'NotAnInteger' }), z.minimum(0), z.maximum(100_000));
const Offset = z.string({ error: 'Required' }).check(z.regex(/^\d{1,18}$/, { error: 'NotAnInteger' }));
export const TopicMessageQuery = z.object({
  /** Defaults to all partitions. */
  partition: z.optional(Partition),
  /** NEWEST reads backwards from the end. The others read forwards. */
  from: z._default(z.enum(['NEWEST', 'OLDEST', 'OFFSET', 'TIME'], { error: 'InvalidValue' }), 'NEWEST'),
  offset: z.optional(Offset),
  time: z.optional(z.iso.datetime({ error: 'InvalidValue', offset: true })),
  /** Only messages with exactly this key, as text or JSON. */
  key: z.optional(z.string().check(z.maxLength(500, { error: 'ExceedsMaximumLength' }))),
  limit: z._default(z.coerce.number({ error: 'NotANumber' }).check(z.int(), z.minimum(1), z.maximum(messageLimits.page)), 50),
  /** `next` of the previous page. */
  next: z.optional(z.string().check(z.maxLength(12_000, { error: 'ExceedsMaximumLength' }))),
});

/** A field of the messages. A masked field also stands for its nested fields. */
export const TopicField = z.object({
  /** `pilot.name`; `crew[].name` for each item of a list. */
  path: z.string(),
  /** Readable type: `long (timestamp-millis)`. */
  type: z.string(),
  /** The field's own class, or the nearest parent's, or the topic's. */
  classification: DataClassification,
  /** Applies to the message browser only. Kafka clients read every field. */
  isMasked: z.boolean(),
});
export type TopicField = z.infer<typeof TopicField>;
export const TopicFields = z.object({
  key: z.array(TopicField),
  value: z.array(TopicField),
  /** True if more fields exist than are listed. */
  isPartial: z.boolean(),
});
export type TopicFields = z.infer<typeof TopicFields>;

const tag = 'Topics';
const base = `${topicBase}/{topic}/messages` as const;
const access = 'appMember';
const codes = [...topicOneCodes, 'NotAMember', 'TopicNotCreated', 'TopicNotOnCluster'] as const;
const readCodes = [...numberCodes, 'InvalidValue', 'ExceedsMaximumLength'] as const;

const route = routesIn({ tag, access });
export const topicFieldsView = route('topicFieldsView', `GET ${topicBase}/{topic}/fields`, {
  summary: "Fields of a topic's keys and values by the newest versions of their schemas, each with its class",
  access: 'signedIn',
  response: TopicFields,
  codes: topicOneCodes,
});
export const topicMessageList = route('topicMessageList', `GET ${base}`, {
  summary: 'Messages of a topic by offset, time or key, decoded by their schemas and masked by their class',
  query: TopicMessageQuery,
  response: TopicMessagePage,
  codes: [...codes, ...readCodes, 'Required', 'PartitionDoesNotExist'],
});
/** Events: `message` with a TopicMessage, `skipped` with `{ count }` of dropped messages, `end` after ten minutes. */
export const topicMessageTail = route('topicMessageTail', `GET ${base}/tail`, {
  summary: 'New messages as they come: at most 20 a second, for at most 10 minutes',
  query: z.object({ partition: z.optional(Partition) }),
  stream: 'events',
  codes: [...codes, ...readCodes],
});
export const topicMessageReveal = route('topicMessageReveal', `POST ${base}/reveal`, {
  summary: 'Read one message unmasked; who and why stands in the activity log',
  body: z.object({
    partition: z.number({ error: 'NotANumber' }).check(z.int({ error: 'NotAnInteger' }), z.minimum(0), z.maximum(100_000)),
    offset: Offset,
    /** Reason in at least ten characters, recorded in the activity log. */
    reason: RequiredText.check(z.minLength(10, { error: 'MinimumLength' })),
  }),
  response: TopicMessage,
  isSecret: true,
  codes: [
    ...codes,
    ...readCodes,
    'Required',
    'MinimumLength',
    'MessageDoesNotExist',
    'MessageCannotBeShown',
    'PartitionDoesNotExist',
    'AutomationCannotReveal',
  ],
});
export const MessageProduce = z.object({
  /** JSON if the schema is Avro, JSON Schema or Protobuf. Absent for a message without a key. */
  key: z.optional(z.unknown()),
  /** Null is a tombstone, which deletes the key from a compacted topic. */
  value: z.unknown(),
  headers: z._default(
    z
      .array(
        z.object({
          name: z.string().check(z.minLength(1, { error: 'Required' }), z.maxLength(200, { error: 'ExceedsMaximumLength' })),
          value: z.string().check(z.maxLength(2000, { error: 'ExceedsMaximumLength' })),
        }),
      )
      .check(z.maxLength(20, { error: 'ExceedsMaximumLength' })),
    [],
  ),
  partition: z.optional(z.number({ error: 'NotANumber' }).check(z.int({ error: 'NotAnInteger' }), z.minimum(0), z.maximum(100_000))),
});
export const topicMessageProduce = route('topicMessageProduce', `POST ${base}`, {
  summary: 'Produce a test message, checked against the schemas; development only',
  body: MessageProduce,
  bodyLimitKilobytes: 128,
  response: z.object({ partition: z.number(), offset: z.string() }),
  status: 201,
  codes: [...codes, ...readCodes, 'Required', 'MessageInvalid', 'DevelopmentOnly', 'PartitionDoesNotExist'],
});
