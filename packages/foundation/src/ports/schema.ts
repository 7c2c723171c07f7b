/**
 * Common interface of schemas in all formats (Avro, JSON Schema, Protobuf): to store them, check changes and show messages. Never executes
 * anything from a schema.
 */

export const schemaTypes = ['AVRO', 'JSON', 'PROTOBUF'] as const;
export type SchemaType = (typeof schemaTypes)[number];

export const compatibilityLevels = [
  'NONE',
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FORWARD',
  'FORWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
] as const;
export type CompatibilityLevel = (typeof compatibilityLevels)[number];

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A place in a schema's text. */
export interface Place {
  /** A JSON pointer such as `/fields/5/type`, or for Protobuf a dotted name such as `BerthEvent.etaUtc`. Empty for the whole schema. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
  /** Offsets in the text in UTF-16 units, for an editor to underline. */
  readonly from: number;
  readonly to: number;
}

/** Why a text is not a valid schema. */
export interface SchemaProblem extends Place {
  /** A sentence for developers. */
  readonly message: string;
}

/** Replaces `from` to `to` of the text, in UTF-16 units. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A change of the new version that definitely resolves the issue. Its edits do not overlap and are in text order. */
export interface SchemaFix {
  /** Describes the change: `Give tugCount the default 0`. */
  readonly label: string;
  readonly edits: readonly TextEdit[];
}

/** A reason why a reader cannot read a writer's messages. Its place is in the text of the new version. */
export interface CompatibilityIssue extends Place {
  /**
   * Code of Avro and Confluent: `READER_FIELD_MISSING_DEFAULT_VALUE`, `TYPE_MISMATCH`, … `REGISTRY` if only an external registry reports
   * it.
   */
  readonly code: string;
  /** A short title: `tugCount has no default`. */
  readonly title: string;
  /** A sentence or two on the effect and who is affected. */
  readonly message: string;
  readonly fix?: SchemaFix;
}

export interface VersionIssue extends CompatibilityIssue {
  /** The affected earlier version. 0 if an external registry does not say. */
  readonly version: number;
  /**
   * BACKWARD: readers of the new version fail on messages of the earlier version. FORWARD: readers of the earlier version fail on new
   * messages.
   */
  readonly direction: 'BACKWARD' | 'FORWARD';
}

/** One field of the messages, for columns, masking and search. */
export interface SchemaField {
  readonly name: string;
  /** Dotted path from the root of the message: `vessel.name`. Array items and map values are named `*`. */
  readonly path: string;
  /** Display name: `string`, `long (timestamp-millis)`, `array of Vessel`, `one of string, int`. */
  readonly type: string;
  /** Whether the field may be missing or null. */
  readonly isOptional: boolean;
  readonly doc?: string;
  /** Confidentiality from the schema, in capitals: `CONFIDENTIAL`, `PII`. */
  readonly classification?: string;
  /** Values of an enum. */
  readonly symbols?: readonly string[];
  /** Set if a type contains itself. The tree ends here. */
  readonly isRecursive?: boolean;
  readonly line: number;
  readonly children: readonly SchemaField[];
}

/** A change in a new version. */
export interface SchemaChange {
  readonly kind: 'ADDED' | 'REMOVED' | 'CHANGED';
  /** Dotted path of the field. For an enum value, the field and the value: `kind.CANCELLED`. */
  readonly path: string;
  /** `agentEmail removed`, `CANCELLED added`, `etaUtc: string became long`. */
  readonly message: string;
  /** Line in the new version's text. Undefined for removed fields. */
  readonly line?: number;
}

/** A valid schema. */
export interface ParsedSchema {
  readonly type: SchemaType;
  /** The original text. */
  readonly content: string;
  /** Equal for texts with the same meaning, regardless of layout. Includes references. */
  readonly canonical: string;
  /** SHA-256 of the canonical text, in hex. */
  readonly fingerprint: string;
  /** Full name of the record or message, if any. */
  readonly name: string | undefined;
  /** Names of referenced schemas, as written in the content. */
  readonly referenceNames: readonly string[];
  /** Returns the first 5000 fields in text order. */
  fields(): readonly SchemaField[];
  /** Returns a value that `encode` accepts, to prefill the form for a test message. */
  sample(): JsonValue;
  /** Decodes a message body: the bytes after the schema id. Throws an error with the reason. */
  decode(body: Uint8Array): JsonValue;
  /** Encodes a message body. Throws an error that names the field. */
  encode(value: JsonValue): Uint8Array;
}

export type ParseResult =
  | { readonly ok: true; readonly schema: ParsedSchema }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };
