/**
 * What schemas of any format (Avro, JSON Schema, Protobuf) are to those who keep them, judge changes of them and show messages. Nothing that a
 * schema's author wrote is run.
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

/** Where something stands in a schema's text. */
export interface Place {
  /** A JSON pointer such as `/fields/5/type`; for Protobuf a dotted name such as `BerthEvent.etaUtc`. Empty for the whole. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** Offsets in the text, in UTF-16 units: what an editor underlines. */
  readonly from: number;
  readonly to: number;
}

/** Why a text is no valid schema. */
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

/** A change of the new version after which the issue is certainly gone. Its edits do not overlap, and are in the order of the text. */
export interface SchemaFix {
  /** What it does: `Give tugCount the default 0`. */
  readonly label: string;
  readonly edits: readonly TextEdit[];
}

/** A reason why a reader cannot read what a writer wrote. Its place is in the text of the schema that is judged: of the new version. */
export interface CompatibilityIssue extends Place {
  /** As Avro and Confluent name it: `READER_FIELD_MISSING_DEFAULT_VALUE`, `TYPE_MISMATCH`, … `REGISTRY` where an outside registry alone says so. */
  readonly code: string;
  /** A few words: `tugCount has no default`. */
  readonly title: string;
  /** A sentence or two on what happens to whom. */
  readonly message: string;
  readonly fix?: SchemaFix;
}

export interface VersionIssue extends CompatibilityIssue {
  /** The earlier version that it is about; 0 where an outside registry does not say. */
  readonly version: number;
  /** BACKWARD: readers of the new version stop at messages of the earlier one. FORWARD: readers of the earlier one stop at new messages. */
  readonly direction: 'BACKWARD' | 'FORWARD';
}

/** One field of the messages, for columns, masking and search. */
export interface SchemaField {
  readonly name: string;
  /** Dotted, from the root of the message: `vessel.name`. Items of arrays and values of maps have the name `*`. */
  readonly path: string;
  /** For people: `string`, `long (timestamp-millis)`, `array of Vessel`, `one of string, int`. */
  readonly type: string;
  /** Whether messages may lack it or hold null. */
  readonly isOptional: boolean;
  readonly doc?: string;
  /** What the schema says of its secrecy, in capitals: `CONFIDENTIAL`, `PII`. */
  readonly classification?: string;
  /** The values of an enum. */
  readonly symbols?: readonly string[];
  /** Set where a type holds itself: the tree ends here. */
  readonly isRecursive?: boolean;
  readonly line: number;
  readonly children: readonly SchemaField[];
}

/** What a new version changes. */
export interface SchemaChange {
  readonly kind: 'ADDED' | 'REMOVED' | 'CHANGED';
  /** Dotted path of the field; for a value of an enum, the enum's field with the value: `kind.CANCELLED`. */
  readonly path: string;
  /** `agentEmail removed`, `CANCELLED added`, `etaUtc: string became long`. */
  readonly message: string;
  /** In the new version's text; undefined for what it lacks. */
  readonly line?: number;
}

/** A valid schema. */
export interface ParsedSchema {
  readonly type: SchemaType;
  /** As it was written. */
  readonly content: string;
  /** Two texts that mean the same have the same canonical text, whatever their layout. References count. */
  readonly canonical: string;
  /** SHA-256 of the canonical text, in hex. */
  readonly fingerprint: string;
  /** The full name of the record or message, where it has one. */
  readonly name: string | undefined;
  /** The names of the schemas that it needs, as it writes them. */
  readonly referenceNames: readonly string[];
  /** At most 5000: what is beyond that in the order of the text is left out. */
  fields(): readonly SchemaField[];
  /** A value that `encode` takes: what a form for a test message begins with. */
  sample(): JsonValue;
  /** Reads a message's body: what follows the schema's id. Throws an error that says why it cannot. */
  decode(body: Uint8Array): JsonValue;
  /** The body of a message. Throws an error that names the field. */
  encode(value: JsonValue): Uint8Array;
}

export type ParseResult =
  | { readonly ok: true; readonly schema: ParsedSchema }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };
