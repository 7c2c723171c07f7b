/**
 * Where schemas of topics are kept, as Confluent's registry keeps them: subjects with versions, ids that messages carry, references between
 * subjects, a compatibility level for each. One registry for each environment; nothing is shared between them.
 */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
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

/** Another schema that a content speaks of: the name as it writes it, and where it is registered. */
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
  /** The same content has one id, whatever subjects it is in. Messages carry it. */
  readonly id: number;
  readonly references: readonly SchemaReference[];
  /** Softly: messages of it can still be read; it is no version of the subject any more. */
  readonly isDeleted: boolean;
}
/** Where a version is registered. */
export interface VersionPlace {
  readonly subject: string;
  readonly version: number;
}
export interface Registered {
  readonly id: number;
  readonly version: number;
  /** False where the subject had this content before: nothing was made. */
  readonly isNew: boolean;
}
export interface RegisterOptions {
  /** The newest version that the caller knows of, null for none. Where another came meanwhile: `conflict`. */
  readonly after?: number | null;
}
export interface SubjectLevel {
  readonly level: CompatibilityLevel;
  /** False: the registry's own, since the subject has none. */
  readonly isOwn: boolean;
}
export interface SchemaVerdict {
  /** Why the content is no schema; then nothing was compared. */
  readonly problems: readonly SchemaProblem[];
  readonly isCompatible: boolean;
  readonly level: CompatibilityLevel;
  /** In the order of the new text. */
  readonly issues: readonly VersionIssue[];
  /** Versions that it was compared with, newest first. Empty with NONE, and for a first version. */
  readonly checked: readonly number[];
  /** The newest version; undefined where the subject has none. */
  readonly newest: number | undefined;
  /** The version that has this content already. */
  readonly same: number | undefined;
  /**
   * Where an outside registry and the platform's own checker do not agree: the registry's word counts. Its sentences, for people. Then an
   * incompatible verdict has issues with the code `REGISTRY`, and a compatible one has none.
   */
  readonly disagreement: string | undefined;
}
/** Of a subject with versions: what is compared with what it should be. */
export interface SubjectHead extends SubjectLevel {
  /** The newest. */
  readonly version: number;
  readonly id: number;
}
/** How a message is read. */
export type DecodedMessage =
  | { readonly state: 'DECODED'; readonly schemaId: number; readonly value: JsonValue; readonly schema: ParsedSchema }
  /** Written without a registry: no schema's id stands in it. */
  | { readonly state: 'UNFRAMED' }
  | { readonly state: 'UNREADABLE'; readonly schemaId: number; readonly reason: string };

/** Named for whoever waits for it. */
export const registryAway = (message: string, cause?: unknown): PortFailure =>
  new PortFailure('unavailable', message, { context: { engine: 'schema registry' }, cause });

export interface RegistryInfo {
  /** What clients write as `schema.registry.url`. Null where the environment has none. */
  readonly url: string | null;
  /** Whether accounts of the platform sign in there with their Kafka name and password. */
  readonly takesAccounts: boolean;
}

/**
 * Every verb is safe to repeat. `unavailable`: the registry does not answer; `notFound`: no such subject or version; `rejected` with
 * `SchemaInvalid`, `SchemaIncompatible` or `SchemaIsReferencedBySchemas` and a `reason`; `conflict`: another version came meanwhile, or the
 * subject takes no changes now.
 */
export interface SchemaRegistry {
  readonly kind: 'embedded' | 'http';
  info(environment: Environment): RegistryInfo;

  /** Names in order. `prefix` is literal. */
  subjects(environment: Environment, prefix?: string): Promise<readonly string[]>;
  /** Those with versions, by name. However many are asked for: in one go where the registry can. */
  heads(environment: Environment, subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectHead>>;
  /** Newest last; empty where there is no such subject. */
  versions(environment: Environment, subject: string): Promise<readonly number[]>;
  /** Undefined where there is none, and where it is deleted. */
  version(environment: Environment, subject: string, version: number | 'latest'): Promise<SubjectVersion | undefined>;
  /** The version that has this content; undefined where there is none. */
  lookup(environment: Environment, subject: string, schema: SchemaText): Promise<SubjectVersion | undefined>;
  /** By the id in a message; undefined where there is none. Deleted versions are found, too. */
  byId(environment: Environment, id: number): Promise<SchemaText | undefined>;
  /** Where a content is registered. */
  places(environment: Environment, id: number): Promise<readonly VersionPlace[]>;

  /** Registers a version, after the check that the subject's level asks for. The same content again is the same id and version. */
  register(environment: Environment, subject: string, schema: SchemaText, options?: RegisterOptions): Promise<Registered>;
  /** The verdict on a content that may not be registered yet; at the subject's level, unless another is given. */
  check(environment: Environment, subject: string, schema: SchemaText, level?: CompatibilityLevel): Promise<SchemaVerdict>;

  /** Of a subject that may not exist yet. */
  level(environment: Environment, subject: string): Promise<SubjectLevel>;
  /** Null: the registry's own again. */
  setLevel(environment: Environment, subject: string, level: CompatibilityLevel | null): Promise<void>;

  /**
   * Takes versions away: one, or the whole subject. Softly, unless `isPermanent`, which takes whatever state they are in. What is gone already
   * is no failure. Rejected where another subject refers to it.
   */
  remove(environment: Environment, subject: string, what?: { readonly version?: number; readonly isPermanent?: boolean }): Promise<void>;
  /** Versions of other subjects that refer to this version. */
  referencedBy(environment: Environment, subject: string, version: number): Promise<readonly VersionPlace[]>;

  /** Reads a content with its references from the registry; registers nothing. */
  parse(environment: Environment, schema: SchemaText): Promise<ParseResult>;
  /** What a new version changes, field by field. */
  changes(before: ParsedSchema, after: ParsedSchema): readonly SchemaChange[];
  /** The schema of an id, parsed; kept, since an id never changes. `notFound` where there is none. */
  parsed(environment: Environment, id: number): Promise<ParsedSchema>;
  /** Reads a key or value as a client wrote it. Never throws for what it holds. */
  decode(environment: Environment, message: Uint8Array): Promise<DecodedMessage>;
  /** A key or value as a client writes it. Rejected with `MessageInvalid`, `path` and `reason`. */
  encode(environment: Environment, id: number, value: JsonValue): Promise<Uint8Array>;

  /** Throws where a registry that should answer does not: that of the environment, or any. */
  probe(environment?: Environment): Promise<void>;
  readonly mount?: HttpMount;
  close(): Promise<void>;
}
