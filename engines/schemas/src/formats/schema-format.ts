/**
 * Shared by the formats (Avro, JSON Schema, Protobuf), in addition to the port's own types (ports/schema.ts). A format never executes code
 * from a schema, and works within the limits of schema-limits.ts.
 */

/** Another schema that this one needs. It contains its own references. */
export interface SchemaReference {
  /** The name that the schema uses: a full name (Avro), the address in `$ref` (JSON Schema), or the path in `import` (Protobuf). */
  readonly name: string;
  readonly content: string;
  readonly references?: readonly SchemaReference[];
}

/** Thrown for a message that the schema cannot read, or a value that it cannot write. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  /** Dotted: `vessel.draughtMetres`. Empty for the whole message. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** The schema whose text the places and fixes of issues refer to. */
export type Judged = 'reader' | 'writer';
