/** Versions of a schema in the newest messages: a sample, because counting all messages is too expensive. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';

export const sampleLimits = {
  /** Newest messages per topic. A partition contributes at most 500. */
  messages: 1000,
  topics: 20,
} as const;

export const SchemaSample = z.object({
  at: Instant,
  /** Number of sampled messages of all topics. */
  messages: z.number(),
  /** The sampled topics. */
  topics: z.array(
    z.object({ topicId: z.string(), topic: z.string(), applicationCode: z.string(), part: z.enum(['key', 'value']), messages: z.number() }),
  ),
  /** True if more topics use the schema than were sampled. */
  isPartial: z.boolean(),
  /** Newest version first. Omits versions that no sampled message has. */
  versions: z.array(z.object({ revisionId: z.number(), messages: z.number() })),
  /** Messages with the id of another schema. */
  other: z.number(),
  /** Messages without a schema id. */
  none: z.number(),
});
export type SchemaSample = z.infer<typeof SchemaSample>;

export const schemaSampleView = route('schemaSampleView', 'GET /api/v1/apps/{app}/{env}/schemas/{schema}/sample', {
  summary: 'Versions of a schema in the newest messages of the topics that use it; reads them now, and shows nothing of what they hold',
  tag: 'Schemas',
  access: 'appMember',
  response: SchemaSample,
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'SchemaDoesNotExist', 'NotAMember'],
});
