/** With which versions of a schema the newest messages were written: a sample, since nobody counts all of them. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';

export const sampleLimits = {
  /** The newest messages of each topic. A partition gives no more than 500. */
  messages: 1000,
  topics: 20,
} as const;

export const SchemaSample = z.object({
  at: Instant,
  /** How many messages were looked at, of all topics. */
  messages: z.number(),
  /** The topics that were looked at. */
  topics: z.array(
    z.object({ topicId: z.string(), topic: z.string(), applicationCode: z.string(), part: z.enum(['key', 'value']), messages: z.number() }),
  ),
  /** More topics use the schema than were looked at. */
  isPartial: z.boolean(),
  /** Newest version first. Versions that no message of the sample has are not listed. */
  versions: z.array(z.object({ revisionId: z.number(), messages: z.number() })),
  /** With the id of another schema. */
  other: z.number(),
  /** Without the id of any schema. */
  none: z.number(),
});
export type SchemaSample = z.infer<typeof SchemaSample>;

export const schemaSampleView = route({
  id: 'schemaSampleView',
  method: 'GET',
  path: '/api/v1/apps/{app}/{env}/schemas/{schema}/sample',
  summary: 'Versions of a schema in the newest messages of the topics that use it; reads them now, and shows nothing of what they hold',
  tag: 'Schemas',
  access: 'appMember',
  response: SchemaSample,
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'SchemaDoesNotExist', 'NotAMember'],
});
