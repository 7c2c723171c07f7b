/** Definitions shared by schemas, topics and accounts: names, references, data classifications, and the environment's cluster. */
import * as z from 'zod/mini';
import { Environment, environmentOf, reservedNames } from '../kernel/fields.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { route } from '../kernel/kernel.ts';

/** Lowercase letters only, unique per app and environment (streaming §5, decisions §1). The cluster adds the prefix `{app}.`. */
export const streamingName = (required: ErrorCode) =>
  z.string({ error: required }).check(
    z.trim(),
    z.minLength(1, { error: required, abort: true }),
    z.regex(/^[a-z]+$/, { error: 'LowercaseLetters', abort: true }),
    z.maxLength(63, { error: 'ExceedsMaximumLength' }),
    z.refine<string>((value) => !reservedNames.has(value), { error: 'InvalidName' }),
  );
/** Name on the cluster. Computed once and stored: an app's code may change, the name on the cluster does not. */
export const physicalName = (app: string, name: string): string => `${app}.${name}`;

/** The body may repeat the environment in any of its spellings. The path decides. */
export const EnvironmentClass = z.optional(
  z.string().check(z.refine((value) => environmentOf(value) !== undefined, { error: 'EnvironmentDoesNotExist' })),
);

/** A schema that a topic uses. `resourceId` is the schema's id or name. */
export const SchemaReference = z.object({
  resourceId: z
    .string({ error: 'Required' })
    .check(z.minLength(1, { error: 'Required' }), z.maxLength(80, { error: 'ExceedsMaximumLength' })),
  resourceType: z._default(z.literal('SCHEMA', { error: 'InvalidValue' }), 'SCHEMA'),
  applicationCode: z.optional(z.string()),
});
export type SchemaReference = z.infer<typeof SchemaReference>;
/** From least to most restricted. */
export const dataClassifications = ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'] as const;
export const DataClassification = z.enum(dataClassifications, { error: 'InvalidValue' });
export type DataClassification = z.infer<typeof DataClassification>;
export const classificationLabels: Readonly<Record<DataClassification, string>> = {
  PUBLIC: 'Public',
  INTERNAL: 'Internal',
  CONFIDENTIAL: 'Confidential',
  RESTRICTED: 'Restricted',
};
/** True if the message browser masks values of this class until the user gives a reason. */
export const isMasked = (classification: DataClassification): boolean =>
  classification === 'CONFIDENTIAL' || classification === 'RESTRICTED';
/** True if other apps may read the topic without approval: PUBLIC and INTERNAL topics, in development only. */
export const isReadFree = (environment: Environment, classification: DataClassification): boolean =>
  environment === 'development' && !isMasked(classification);

export const cleanupPolicies = ['DELETE', 'COMPACT', 'COMPACT_DELETE'] as const;
export const CleanupPolicy = z.enum(cleanupPolicies, { error: 'InvalidValue' });
export type CleanupPolicy = z.infer<typeof CleanupPolicy>;

export const Person = z.object({ id: z.string(), displayName: z.string() });

export const StreamingInfo = z.object({
  environmentClass: Environment,
  /** Prefix of every name on the cluster: `berth-planner.` */
  prefix: z.string(),
  cluster: z.object({
    /** EMBEDDED: a development broker with a single node and without transactions. */
    kind: z.enum(['EMBEDDED', 'KAFKA']),
    name: z.string(),
    /** The clients' `bootstrap.servers`. */
    bootstrapServers: z.string(),
    state: z.enum(['REACHABLE', 'UNREACHABLE', 'NOT_STARTED']),
    brokers: z.nullable(z.number()),
    /** Maximum replicas that the cluster creates. A higher number is only recorded. */
    maxReplication: z.nullable(z.number()),
  }),
  registry: z.object({
    kind: z.enum(['EMBEDDED', 'HTTP']),
    /** URL for clients. Null if the environment has no registry. */
    url: z.nullable(z.string()),
    state: z.enum(['REACHABLE', 'UNREACHABLE']),
  }),
});
export type StreamingInfo = z.infer<typeof StreamingInfo>;

export const streamingInfoView = route('streamingInfoView', 'GET /api/v1/apps/{app}/{env}/streaming', {
  summary: 'The Kafka cluster and the schema registry of an environment, as clients reach them',
  tag: 'Event streaming',
  access: 'signedIn',
  response: StreamingInfo,
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'],
});
