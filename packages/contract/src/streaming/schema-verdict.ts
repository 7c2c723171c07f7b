/** The verdict on a draft: whether it is valid, whether and where it breaks readers or writers, the fix, and who is affected. */
import * as z from 'zod/mini';
import { Environment } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { CompatibilityLevel, SchemaContent, SchemaType, SchemaUse } from './schema.ts';

/** Edits of the draft's text: `insert` replaces the characters from `from` up to but excluding `to`. Edits do not overlap. */
export const SchemaFix = z.object({
  label: z.string(),
  edits: z.array(z.object({ from: z.number(), to: z.number(), insert: z.string() })),
});
export type SchemaFix = z.infer<typeof SchemaFix>;

/** Why a draft is not a valid schema. Lines and columns start at 1. */
export const SchemaProblem = z.object({ path: z.string(), line: z.number(), column: z.number(), message: z.string() });
export const SchemaIssue = z.object({
  code: z.string(),
  /** Path in the schema: `/fields/5/type`. */
  path: z.string(),
  line: z.nullable(z.number()),
  /** Title: a few words. Message: one or two sentences on the consequences. */
  title: z.string(),
  message: z.string(),
  /** The incompatible subject and version. */
  subject: z.string(),
  revisionId: z.nullable(z.number()),
  /** Set only if the fix is certain. */
  fix: z.nullable(SchemaFix),
});
export type SchemaIssue = z.infer<typeof SchemaIssue>;

/** Topics that use the schema, and accounts with a grant for them. */
export const SchemaAffected = z.object({
  topics: z.array(
    z.object({
      topicId: z.string(),
      topic: z.string(),
      applicationCode: z.string(),
      environmentClass: Environment,
      part: z.enum(['key', 'value']),
    }),
  ),
  accounts: z.array(
    z.object({ account: z.string(), applicationCode: z.string(), topic: z.string(), operation: z.enum(['READ', 'WRITE']) }),
  ),
});
export type SchemaAffected = z.infer<typeof SchemaAffected>;

export const verdictStates = ['COMPATIBLE', 'INCOMPATIBLE', 'INVALID', 'NOT_CHECKED'] as const;
export const SchemaVerdict = z.object({
  state: z.enum(verdictStates),
  /** Why there was no check: the level is NONE, no version exists to check against, or the registry does not answer. */
  reason: z.nullable(z.enum(['LEVEL_NONE', 'FIRST_VERSION', 'REGISTRY_UNAVAILABLE'])),
  level: CompatibilityLevel,
  /** The newest version, which the draft was checked against. */
  revisionId: z.nullable(z.number()),
  /** True if the draft equals the registered content. */
  isSame: z.boolean(),
  problems: z.array(SchemaProblem),
  issues: z.array(SchemaIssue),
  /** Number of fields of a valid draft. */
  fields: z.nullable(z.number()),
  affected: SchemaAffected,
});
export type SchemaVerdict = z.infer<typeof SchemaVerdict>;

const tag = 'Schemas';
const base = '/api/v1/apps/{app}/{env}/schemas';
const above = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
const bodyLimitKilobytes = 1024;
const references = z.optional(z.array(SchemaUse).check(z.maxLength(50, { error: 'ExceedsMaximumLength' })));

export const schemaCompatibilityCheck = route('schemaCompatibilityCheck', `POST ${base}/{schema}/compatibility`, {
  summary: 'The verdict on a draft: against its own subject, and the key and value subjects of every topic that uses it',
  tag,
  access: 'signedIn',
  body: z.object({ content: SchemaContent, compatibility: z.optional(CompatibilityLevel), references }),
  response: SchemaVerdict,
  bodyLimitKilobytes,
  codes: [...above, 'SchemaDoesNotExist', 'SchemaContentRequired', 'ExceedsMaximumLength', 'InvalidValue', 'Required'],
});
/** A POST because drafts are long. It changes nothing. */
export const schemaDraftCheck = route('schemaDraftCheck', 'POST /api/v1/apps/{app}/{env}/schema-drafts/verdict', {
  summary: 'The verdict on a schema that does not exist yet: is it valid?',
  tag,
  access: 'signedIn',
  body: z.object({ type: z._default(SchemaType, 'AVRO'), content: SchemaContent, references }),
  response: SchemaVerdict,
  bodyLimitKilobytes,
  codes: [...above, 'SchemaContentRequired', 'SchemaTypeRequired', 'ExceedsMaximumLength', 'InvalidValue', 'Required'],
});
