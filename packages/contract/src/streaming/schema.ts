/**
 * Schemas define the format of messages. Every version is kept, and each new one is checked first. Fields, defaults and texts come from the
 * specification (streaming §3, §5; decisions §3).
 */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery, pageCodes, pageOf, numberCodes } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { resource } from '../resource.ts';
import { withPlans } from '../pipeline/plan.ts';
import { schemaKind } from '../kinds/schema.kind.ts';
import { EnvironmentClass, Person, streamingName } from './streaming.ts';

export const schemaTypes = ['AVRO', 'JSON', 'PROTOBUF'] as const;
export type SchemaType = (typeof schemaTypes)[number];
export const schemaTypeLabels: Readonly<Record<SchemaType, string>> = { AVRO: 'Avro', JSON: 'JSON Schema', PROTOBUF: 'Protobuf' };
export const SchemaType = z.enum(schemaTypes, { error: 'SchemaTypeRequired' });

export const compatibilityLevels = [
  'NONE',
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FORWARD',
  'FORWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
] as const;
export const CompatibilityLevel = z.enum(compatibilityLevels, { error: 'InvalidValue' });
export type CompatibilityLevel = z.infer<typeof CompatibilityLevel>;
export const compatibilityTexts: Readonly<Record<CompatibilityLevel, { readonly label: string; readonly text: string }>> = {
  NONE: { label: 'None', text: 'Nothing is checked.' },
  BACKWARD: { label: 'Backward', text: 'New readers can read messages of the version before. Deploy readers first, then writers.' },
  BACKWARD_TRANSITIVE: { label: 'Backward, every version', text: 'New readers can read messages of every version. Deploy readers first.' },
  FORWARD: { label: 'Forward', text: 'Readers of the version before can read new messages. Deploy writers first, then readers.' },
  FORWARD_TRANSITIVE: { label: 'Forward, every version', text: 'Readers of every version can read new messages. Deploy writers first.' },
  FULL: { label: 'Full', text: 'Backward and forward with the version before. Either order is safe.' },
  FULL_TRANSITIVE: { label: 'Full, every version', text: 'Backward and forward with every version. Either order is safe.' },
};

export const maxSchemaBytes = 512 * 1024;
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
/** Avro and JSON Schema are JSON; Protobuf has a grammar of its own. */
export const contentRule = (type: SchemaType, content: string): true | 'ContentNotJson' =>
  type === 'PROTOBUF' || isJson(content) ? true : 'ContentNotJson';
export const SchemaContent = z.string({ error: 'SchemaContentRequired' }).check(
  z.refine((value) => value.trim() !== '', { error: 'SchemaContentRequired', abort: true }),
  z.maxLength(maxSchemaBytes, { error: 'ExceedsMaximumLength' }),
);
export const SchemaName = streamingName('SchemaNameRequired');

/** Another schema that this schema references, by the name that its content uses. */
export const SchemaUse = z.object({
  name: z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' }), z.maxLength(200, { error: 'ExceedsMaximumLength' })),
  /** Id or name of a schema of the same app. */
  resourceId: z
    .string({ error: 'Required' })
    .check(z.minLength(1, { error: 'Required' }), z.maxLength(80, { error: 'ExceedsMaximumLength' })),
  /** Defaults to the newest version. */
  revisionId: z.optional(z.number().check(z.int({ error: 'NotAnInteger' }), z.minimum(1), z.maximum(2_147_483_647))),
});
export type SchemaUse = z.infer<typeof SchemaUse>;
const References = z.array(SchemaUse).check(z.maxLength(50, { error: 'ExceedsMaximumLength' }));

/** A stored reference: the id of the schema and a fixed version. */
export const StoredUse = z.object({
  name: z.string(),
  resourceId: z.string(),
  schema: z.string(),
  /** Subject that the referenced schema is registered under. */
  subject: z.string(),
  revisionId: z.number(),
});
export type StoredUse = z.infer<typeof StoredUse>;
/** The part of a schema that a change modifies. */
export const SchemaDraft = z.object({ content: z.string(), compatibility: CompatibilityLevel, references: z.array(StoredUse) });
export type SchemaDraft = z.infer<typeof SchemaDraft>;

export const Schema = z.object({
  id: z.string(),
  name: z.string(),
  type: SchemaType,
  /** Content of the newest version. */
  content: z.string(),
  /** The newest version in the registry. A change names the version it is based on. */
  revisionId: z.nullable(z.number()),
  compatibility: CompatibilityLevel,
  references: z.array(StoredUse),
  applicationCode: z.string(),
  environmentClass: Environment,
  /** Subject in the registry: `berth-planner.berthevent`. */
  subject: z.string(),
  /** Id in the registry, which messages carry. Null until the schema is registered. */
  registryId: z.nullable(z.number()),
  /** Its page in an external management tool, if the platform knows one. */
  externalLink: z.nullable(z.string()),
  state: z.enum(['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING']),
  /** Topics whose keys or values it describes. */
  usedBy: z.array(z.object({ topicId: z.string(), topic: z.string(), applicationCode: z.string(), part: z.enum(['key', 'value']) })),
  /** Names of schemas of the same app that reference this schema. */
  referencedBy: z.array(z.string()),
  /** The pipeline that created or last changed it. */
  pipelineId: z.nullable(z.string()),
  /** Differences between its own subject and the registry at the last comparison. Null before the first. */
  drift: z.nullable(z.object({ count: z.number(), at: Instant })),
  /** The change that is being registered or whose registration failed. Null if there is none. */
  draft: z.nullable(SchemaDraft),
  createdAt: Instant,
  createdBy: Person,
  updatedAt: Instant,
  updatedBy: Person,
  /** Verbs: update, delete, reconcile. */
  can: Can,
});
export type Schema = z.infer<typeof Schema>;

export const SchemaCreate = z
  .object({
    name: SchemaName,
    type: z._default(SchemaType, 'AVRO'),
    content: SchemaContent,
    compatibility: z._default(CompatibilityLevel, 'BACKWARD'),
    references: z._default(References, []),
    environmentClass: EnvironmentClass,
    applicationCode: z.optional(z.string()),
  })
  .check(z.refine(({ type, content }) => contentRule(type, content) === true, { error: 'ContentNotJson', path: ['content'] }));
export type SchemaCreate = z.output<typeof SchemaCreate>;
/** Name and type cannot change. */
export const SchemaUpdate = z.object({
  content: SchemaContent,
  /** The version that the change is based on. The server rejects the change if a newer version exists. */
  revisionId: z.number({ error: 'Required' }).check(z.int({ error: 'NotAnInteger' }), z.minimum(1), z.maximum(2_147_483_647)),
  compatibility: z.optional(CompatibilityLevel),
  references: z.optional(References),
});
export type SchemaUpdate = z.output<typeof SchemaUpdate>;

/** A schema that topics use cannot be deleted. */
export const schemaDeleteRule = ({ usedBy }: Pick<Schema, 'usedBy'>): true | 'SCHEMA_IS_REFERENCED_BY_TOPICS' =>
  usedBy.length > 0 ? 'SCHEMA_IS_REFERENCED_BY_TOPICS' : true;

export const schemaLabels: Readonly<Record<string, string>> = {
  name: 'Schema name',
  type: 'Schema type',
  content: 'Content',
  compatibility: 'Compatibility level',
};
const fieldLabel = (field: string): string | undefined => schemaLabels[field];

export const SchemaVersion = z.object({
  revisionId: z.number(),
  registryId: z.nullable(z.number()),
  isNewest: z.boolean(),
  createdAt: Instant,
  createdBy: Person,
});
export const SchemaVersionContent = z.extend(SchemaVersion, { type: SchemaType, content: z.string(), references: z.array(StoredUse) });

const tag = 'Schemas';
const base = '/api/v1/apps/{app}/{env}/schemas';
const one = `${base}/{schema}` as const;
export { one as schemaOne };
const above = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
const oneCodes = [...above, 'SchemaDoesNotExist'] as const;
export { oneCodes as schemaOneCodes };
const bodyLimitKilobytes = 1024;

const made = resource({
  kind: schemaKind,
  path: base,
  name: 'schema',
  view: Schema,
  create: SchemaCreate,
  update: SchemaUpdate,
  /** `readyOnly`: only schemas whose pipeline has finished, for selection lists. */
  query: z.extend(PageQuery, { readyOnly: z._default(z.stringbool(), false) }),
  access: { read: 'signedIn', create: 'appMember', write: 'appMember' },
  codes: {
    above,
    missing: 'SchemaDoesNotExist',
    taken: 'SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS',
    form: [
      ...numberCodes,
      'Required',
      'InvalidValue',
      'InvalidName',
      'LowercaseLetters',
      'ExceedsMaximumLength',
      'SchemaContentRequired',
      'ContentNotJson',
      'SchemaInvalid',
      'SchemaReferenceDoesNotExist',
      'EngineUnavailable',
    ],
    kept: ['SCHEMA_IS_REFERENCED_BY_TOPICS', 'SchemaIsReferencedBySchemas', 'StreamingPipelineRunning'],
  },
  summaries: {
    list: 'Schemas of an app in one environment',
    view: 'One schema with its newest content, by name or id',
    create: 'Create a schema: a pipeline registers its first version',
    update: 'Register a new version with every topic that uses it, or change the compatibility level',
    remove: 'Delete a schema that no topic and no other schema uses; discards one that was not created',
  },
});
export const schemaResource = withPlans(made, {
  fieldLabel,
  bodyLimitKilobytes,
  create: ['SchemaNameRequired', 'SchemaTypeRequired', 'ApplicationNotCreated', 'SubjectBelongsToOthers'],
  update: [
    'SchemaChangedMeanwhile',
    'SchemaIncompatible',
    'SchemaVersionExists',
    'NothingChanged',
    'SchemaNotCreated',
    'StreamingPipelineRunning',
  ],
});
export const { list: schemaList, view: schemaView, create: schemaCreate, update: schemaUpdate, remove: schemaDelete } = schemaResource;

export const schemaVersionList = route('schemaVersionList', `GET ${one}/versions`, {
  summary: 'Versions of a schema, newest first',
  tag,
  access: 'signedIn',
  query: PageQuery,
  response: pageOf(SchemaVersion),
  codes: [...oneCodes, ...pageCodes],
});
export const schemaVersionView = route('schemaVersionView', `GET ${one}/versions/{version}`, {
  summary: 'One version with its content',
  tag,
  access: 'signedIn',
  response: SchemaVersionContent,
  codes: [...oneCodes, 'SchemaVersionDoesNotExist'],
});
