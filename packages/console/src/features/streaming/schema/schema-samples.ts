/** Initial content of a new schema: the smallest valid one, as a starting point. */
import type { SchemaType } from '@slipway/contract/streaming/schema.ts';

export const schemaSamples: Readonly<Record<SchemaType, string>> = {
  AVRO: `{
  "type": "record",
  "name": "Event",
  "fields": [
    { "name": "id", "type": "string" }
  ]
}
`,
  JSON: `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "id": { "type": "string" }
  },
  "required": ["id"]
}
`,
  PROTOBUF: `syntax = "proto3";

message Event {
  string id = 1;
}
`,
};

/**
 * Formats the content in the usual style of its language. Returns invalid content unchanged, and also Protobuf, which has no single style.
 */
export const formatted = (type: SchemaType, content: string): string => {
  if (type === 'PROTOBUF') return content;
  try {
    return `${JSON.stringify(JSON.parse(content), undefined, 2)}\n`;
  } catch {
    return content;
  }
};
