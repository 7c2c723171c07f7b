/**
 * What the formats (Avro, JSON Schema, Protobuf) share beside the port's own types (ports/schema.ts). A format runs nothing that a schema's
 * author wrote, and works within the limits of schema-limits.ts.
 */

/** Another schema that this one needs. Its own references stand in it. */
export interface SchemaReference {
  /** As the schema names it: a full name (Avro), the address in `$ref` (JSON Schema), or the path in `import` (Protobuf). */
  readonly name: string;
  readonly content: string;
  readonly references?: readonly SchemaReference[];
}

/** A message that the schema cannot read, or a value that it cannot write. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  /** Dotted: `vessel.draughtMetres`; empty for the whole. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Whose text the places and fixes of issues are about: that of the schema that is being judged. */
export type Judged = 'reader' | 'writer';
