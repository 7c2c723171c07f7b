/**
 * Stores schemas of topics like Confluent's registry: subjects with versions, ids in messages, references between subjects, and
 * compatibility levels. Each environment has its own registry, and nothing is shared between them.
 */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { EngineProbe } from './engine-probe.ts';
import { PortFailure } from './failure.ts';
import type { HttpMount } from './mount.ts';
import type {
  CompatibilityLevel,
  JsonValue,
  ParsedSchema,
  ParseResult,
  SchemaChange,
  SchemaProblem,
  SchemaType,
  VersionIssue,
} from './schema.ts';

/** A reference to another schema: its name in the content, and where it is registered. */
export interface SchemaReference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}
export interface SchemaText {
  readonly type: SchemaType;
  readonly content: string;
  readonly references?: readonly SchemaReference[];
}
/** One version of a subject. */
export interface SubjectVersion extends SchemaText {
  readonly subject: string;
  readonly version: number;
  /** Messages carry this id. Equal contents have the same id in all subjects. */
  readonly id: number;
  readonly references: readonly SchemaReference[];
  /** Soft-deleted: its messages can still be read, but it is no longer a version of the subject. */
  readonly isDeleted: boolean;
}
/** A subject and version. */
export interface VersionPlace {
  readonly subject: string;
  readonly version: number;
}
export interface Registered {
  readonly id: number;
  readonly version: number;
  /** False if the subject already had this content. */
  readonly isNew: boolean;
}
export interface RegisterOptions {
  /** Newest version the caller knows, or null for none. Rejects with `conflict` if there is a newer version. */
  readonly after?: number | null;
}
export interface SubjectLevel {
  readonly level: CompatibilityLevel;
  /** False if the subject has no level of its own and the registry's default applies. */
  readonly isOwn: boolean;
}
export interface SchemaVerdict {
  /** Why the content is not a valid schema. If there are any, nothing was compared. */
  readonly problems: readonly SchemaProblem[];
  readonly isCompatible: boolean;
  readonly level: CompatibilityLevel;
  /** In the order of the new text. */
  readonly issues: readonly VersionIssue[];
  /** Versions it was compared with, newest first. Empty with NONE, and for a first version. */
  readonly checked: readonly number[];
  /** Newest version, or undefined if the subject has none. */
  readonly newest: number | undefined;
  /** Version that already has this content. */
  readonly same: number | undefined;
  /**
   * Messages of an external registry whose verdict differs from the platform's checker. The registry's verdict counts. An incompatible
   * verdict then has issues with the code `REGISTRY`, and a compatible verdict has none.
   */
  readonly disagreement: string | undefined;
}
/** Current state of a subject with versions, for comparison with the desired state. */
export interface SubjectHead extends SubjectLevel {
  /** Newest version. */
  readonly version: number;
  readonly id: number;
}
/** Result of decoding a message. */
export type DecodedMessage =
  | { readonly state: 'DECODED'; readonly schemaId: number; readonly value: JsonValue; readonly schema: ParsedSchema }
  /** Written without a registry: the message contains no schema id. */
  | { readonly state: 'UNFRAMED' }
  | { readonly state: 'UNREADABLE'; readonly schemaId: number; readonly reason: string };

/** Creates an `unavailable` failure that names the schema registry. */
export const registryAway = (message: string, cause?: unknown): PortFailure =>
  new PortFailure('unavailable', message, { context: { engine: 'schema registry' }, cause });

export interface RegistryInfo {
  /** Value of `schema.registry.url` for clients. Null if the environment has no registry. */
  readonly url: string | null;
  /** Whether platform accounts can log in with their Kafka name and password. */
  readonly takesAccounts: boolean;
}

/**
 * All methods are idempotent. They reject with `unavailable` if the registry does not answer, and `notFound` for an unknown subject or
 * version. `rejected` has the code `SchemaInvalid`, `SchemaIncompatible` or `SchemaIsReferencedBySchemas` and a `reason`. `conflict` means
 * that another version was added meanwhile, or that the subject is locked.
 */
export interface SchemaRegistry {
  readonly kind: 'embedded' | 'http';
  info(environment: Environment): RegistryInfo;

  /** Sorted names. `prefix` is literal. */
  subjects(environment: Environment, prefix?: string): Promise<readonly string[]>;
  /** Returns subjects with versions, by name, in one request if the registry supports it. */
  heads(environment: Environment, subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectHead>>;
  /** Newest last. Empty if the subject does not exist. */
  versions(environment: Environment, subject: string): Promise<readonly number[]>;
  /** Undefined if the version does not exist or is deleted. */
  version(environment: Environment, subject: string, version: number | 'latest'): Promise<SubjectVersion | undefined>;
  /** Finds the version with this content. Undefined if there is none. */
  lookup(environment: Environment, subject: string, schema: SchemaText): Promise<SubjectVersion | undefined>;
  /** Finds a schema by the id in a message, including deleted versions. Undefined if there is none. */
  byId(environment: Environment, id: number): Promise<SchemaText | undefined>;
  /** Returns where a content is registered. */
  places(environment: Environment, id: number): Promise<readonly VersionPlace[]>;

  /** Registers a version after the compatibility check of the subject's level. Equal content gets the same id and version. */
  register(environment: Environment, subject: string, schema: SchemaText, options?: RegisterOptions): Promise<Registered>;
  /** Checks a content without registering it, at the subject's level by default. */
  check(environment: Environment, subject: string, schema: SchemaText, level?: CompatibilityLevel): Promise<SchemaVerdict>;

  /** The subject may not exist yet. */
  level(environment: Environment, subject: string): Promise<SubjectLevel>;
  /** Null restores the registry's default. */
  setLevel(environment: Environment, subject: string, level: CompatibilityLevel | null): Promise<void>;

  /**
   * Deletes one version or the whole subject. Soft-deletes unless `isPermanent`, which also deletes soft-deleted versions. Succeeds if
   * already deleted. Rejected if another subject refers to it.
   */
  remove(environment: Environment, subject: string, what?: { readonly version?: number; readonly isPermanent?: boolean }): Promise<void>;
  /** Returns versions of other subjects that refer to this version. */
  referencedBy(environment: Environment, subject: string, version: number): Promise<readonly VersionPlace[]>;

  /** Parses a content, with its references from the registry. Registers nothing. */
  parse(environment: Environment, schema: SchemaText): Promise<ParseResult>;
  /** Returns the changes between two versions, field by field. */
  changes(before: ParsedSchema, after: ParsedSchema): readonly SchemaChange[];
  /** Returns the parsed schema of an id. Cached, because an id never changes. Rejects with `notFound` if there is none. */
  parsed(environment: Environment, id: number): Promise<ParsedSchema>;
  /** Decodes a key or value as written by a client. Never throws for its content. */
  decode(environment: Environment, message: Uint8Array): Promise<DecodedMessage>;
  /** Encodes a key or value like a client. Rejects with `MessageInvalid`, `path` and `reason`. */
  encode(environment: Environment, id: number, value: JsonValue): Promise<Uint8Array>;

  /** Throws if the registry of the environment, or any registry, is unavailable. */
  probe(environment?: Environment): Promise<void>;
  /** One probe for each environment with a registry. Undefined if the registry is part of this process. */
  probes?(): readonly EngineProbe[];
  readonly mount?: HttpMount;
  close(): Promise<void>;
}
