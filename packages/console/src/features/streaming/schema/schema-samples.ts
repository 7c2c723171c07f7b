/** What a new schema begins with: the smallest that is valid, so that one sees where to go on. */
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

/** The text as its language is usually set out; as it is where it cannot be read, and for Protobuf, which has no one way. */
export const formatted = (type: SchemaType, content: string): string => {
  if (type === 'PROTOBUF') return content;
  try {
    return `${JSON.stringify(JSON.parse(content), undefined, 2)}\n`;
  } catch {
    return content;
  }
};
