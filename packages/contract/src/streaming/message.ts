/**
 * Messages of a topic: browse by offset, time and key, follow live, read a masked value with a reason, and produce a test message in
 * development. Members of the owning team only. Masked values show their class, never their length.
 */
import * as z from 'zod/mini';
import { Instant, RequiredText } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { DataClassification } from './streaming.ts';
import { topicBase, topicOneCodes } from './topic.ts';

export const messageLimits = {
  /** Of one answer. */
  page: 500,
  /** Of a live view: more than these are left out, and counted. */
  tailPerSecond: 20,
  tailMinutes: 10,
  revealSeconds: 30,
  produceBytes: 64 * 1024,
} as const;

export const messagePartStates = ['EMPTY', 'DECODED', 'TEXT', 'UNREADABLE', 'MASKED'] as const;
/** A key or a value. */
export const MessagePart = z.object({
  /** TEXT: no schema, and readable. UNREADABLE: no schema can read it. MASKED: nothing of it may be shown. */
  state: z.enum(messagePartStates),
  /** DECODED: the whole value; at masked places stands null. TEXT: a text. Else null. */
  value: z.unknown(),
  masked: z.array(z.object({ path: z.string(), classification: DataClassification })),
  /** The schema that it was written with; the name is null where the platform has none of this id. */
  schema: z.nullable(z.object({ registryId: z.number(), name: z.nullable(z.string()), revisionId: z.nullable(z.number()) })),
  /** UNREADABLE: the first 1,024 bytes. */
  hex: z.nullable(z.string()),
  /** Null where it is masked as a whole. */
  sizeBytes: z.nullable(z.number()),
  /** Why it is unreadable. */
  reason: z.nullable(z.string()),
});
export type MessagePart = z.infer<typeof MessagePart>;
export const TopicMessage = z.object({
  partition: z.number(),
  /** As text: offsets have 64 bits. */
  offset: z.string(),
  at: Instant,
  key: MessagePart,
  value: MessagePart,
  headers: z.array(z.object({ name: z.string(), value: z.nullable(z.string()) })),
  /** Produced by the console. */
  isTest: z.boolean(),
});
export type TopicMessage = z.infer<typeof TopicMessage>;
/**
 * Why something that was written is not shown. `checksum`: its bytes are not those that were written. `broker`: the broker itself cannot read
 * it. `unreadable`: nothing is damaged, and it cannot be opened. `tooLarge`: it would be too large when it is opened.
 */
export const skipReasons = ['checksum', 'broker', 'unreadable', 'tooLarge'] as const;
/** Messages of one partition, from an offset to another, both of them included. */
export const SkippedRange = z.object({
  partition: z.number(),
  fromOffset: z.string(),
  toOffset: z.string(),
  reason: z.enum(skipReasons),
});
export type SkippedRange = z.infer<typeof SkippedRange>;
export const TopicMessagePage = z.object({
  messages: z.array(TopicMessage),
  /** Where to go on: in the direction that was asked for. Null at the end. */
  next: z.nullable(z.string()),
  /** Messages that were looked at; more than are shown where a key was asked for. */
  scanned: z.number(),
  /** Offsets that `next` has still to look through. Where messages were deleted or compacted away, there are fewer messages. */
  left: z.number(),
  /** Written, and not to be shown. Reading went on behind it. */
  skipped: z.array(SkippedRange),
  /** Looking ended at a limit before the end: `next` goes on. */
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
/** Where it lies, and why it is not shown, in a sentence each. */
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
  /** All, unless said. */
  partition: z.optional(Partition),
  /** NEWEST: backwards from the end. The others go forwards. */
  from: z._default(z.enum(['NEWEST', 'OLDEST', 'OFFSET', 'TIME'], { error: 'InvalidValue' }), 'NEWEST'),
  offset: z.optional(Offset),
  time: z.optional(z.iso.datetime({ error: 'InvalidValue', offset: true })),
  /** Only messages with exactly this key, as text or JSON. */
  key: z.optional(z.string().check(z.maxLength(500, { error: 'ExceedsMaximumLength' }))),
  limit: z._default(z.coerce.number({ error: 'NotANumber' }).check(z.int(), z.minimum(1), z.maximum(messageLimits.page)), 50),
  /** `next` of the page before. */
  next: z.optional(z.string().check(z.maxLength(12_000, { error: 'ExceedsMaximumLength' }))),
});

/** A field of what messages hold: one that is masked stands for what lies in it. */
export const TopicField = z.object({
  /** `pilot.name`; `crew[].name` within each item. */
  path: z.string(),
  /** For people: `long (timestamp-millis)`. */
  type: z.string(),
  /** Its own, or that of what it lies in, or the topic's. */
  classification: DataClassification,
  /** In the message browser. Kafka clients read every field. */
  isMasked: z.boolean(),
});
export type TopicField = z.infer<typeof TopicField>;
export const TopicFields = z.object({
  key: z.array(TopicField),
  value: z.array(TopicField),
  /** There are more than are listed. */
  isPartial: z.boolean(),
});
export type TopicFields = z.infer<typeof TopicFields>;

const tag = 'Topics';
const base = `${topicBase}/{topic}/messages` as const;
const access = 'appMember';
const codes = [...topicOneCodes, 'NotAMember', 'TopicNotCreated', 'TopicNotOnCluster'] as const;
const numberCodes = ['InvalidValue', 'NotANumber', 'NotAnInteger', 'Minimum', 'Maximum', 'ExceedsMaximumLength'] as const;

export const topicFieldsView = route({
  id: 'topicFieldsView',
  method: 'GET',
  path: `${topicBase}/{topic}/fields`,
  summary: "Fields of a topic's keys and values by the newest versions of their schemas, each with its class",
  tag,
  access: 'signedIn',
  response: TopicFields,
  codes: topicOneCodes,
});
export const topicMessageList = route({
  id: 'topicMessageList',
  method: 'GET',
  path: base,
  summary: 'Messages of a topic by offset, time or key, decoded by their schemas and masked by their class',
  tag,
  access,
  query: TopicMessageQuery,
  response: TopicMessagePage,
  codes: [...codes, ...numberCodes, 'Required', 'PartitionDoesNotExist'],
});
/** Events: `message` with a TopicMessage, `skipped` with `{ count }` of what was left out, `end` after ten minutes. */
export const topicMessageTail = route({
  id: 'topicMessageTail',
  method: 'GET',
  path: `${base}/tail`,
  summary: 'New messages as they come: at most 20 a second, for at most 10 minutes',
  tag,
  access,
  query: z.object({ partition: z.optional(Partition) }),
  stream: 'events',
  codes: [...codes, ...numberCodes],
});
export const topicMessageReveal = route({
  id: 'topicMessageReveal',
  method: 'POST',
  path: `${base}/reveal`,
  summary: 'Read one message unmasked; who and why stands in the activity log',
  tag,
  access,
  body: z.object({
    partition: z.number({ error: 'NotANumber' }).check(z.int({ error: 'NotAnInteger' }), z.minimum(0), z.maximum(100_000)),
    offset: Offset,
    /** Why, in ten characters or more; it stands in the activity log. */
    reason: RequiredText.check(z.minLength(10, { error: 'MinimumLength' })),
  }),
  response: TopicMessage,
  isSecret: true,
  codes: [
    ...codes,
    ...numberCodes,
    'Required',
    'MinimumLength',
    'MessageDoesNotExist',
    'MessageCannotBeShown',
    'PartitionDoesNotExist',
    'AutomationCannotReveal',
  ],
});
export const MessageProduce = z.object({
  /** JSON where the schema is Avro or JSON Schema or Protobuf; absent for a message without a key. */
  key: z.optional(z.unknown()),
  /** Null is a tombstone: it takes the key out of a compacted topic. */
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
export const topicMessageProduce = route({
  id: 'topicMessageProduce',
  method: 'POST',
  path: base,
  summary: 'Produce a test message, checked against the schemas; development only',
  tag,
  access,
  body: MessageProduce,
  bodyLimitKilobytes: 128,
  response: z.object({ partition: z.number(), offset: z.string() }),
  status: 201,
  codes: [...codes, ...numberCodes, 'Required', 'MessageInvalid', 'DevelopmentOnly', 'PartitionDoesNotExist'],
});
