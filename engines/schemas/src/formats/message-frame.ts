/** How a message identifies its schema: a zero byte, the schema's id in four bytes, and then the body, as in Confluent's serializers. */

const HEADER_BYTES = 5;

export interface MessageFrame {
  readonly schemaId: number;
  /** Input of that schema's `decode`. A Protobuf message's body begins with the indexes of its type. */
  readonly body: Uint8Array;
}

/** Returns undefined if the bytes have no such header: the message was written without a registry. */
export const readFrame = (message: Uint8Array): MessageFrame | undefined => {
  if (message.length < HEADER_BYTES || message[0] !== 0) return undefined;
  const schemaId = new DataView(message.buffer, message.byteOffset, message.byteLength).getInt32(1);
  return schemaId < 0 ? undefined : { schemaId, body: message.subarray(HEADER_BYTES) };
};

export const writeFrame = (schemaId: number, body: Uint8Array): Uint8Array => {
  const message = new Uint8Array(HEADER_BYTES + body.length);
  new DataView(message.buffer).setInt32(1, schemaId);
  message.set(body, HEADER_BYTES);
  return message;
};
