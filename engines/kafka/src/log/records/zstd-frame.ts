/** Checks zstd frames: Node ignores bytes after the first frame, but Kafka's clients fail on them. */
import { InvalidRecords } from './walk.ts';

const MAGIC = 0xfd2fb528;
const RUN_LENGTH = 1;
const RESERVED = 3;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const flag = { checksum: 0b100, singleSegment: 0b10_0000 } as const;

/** Throws InvalidRecords unless `body` is one whole frame (RFC 8878). */
export const checkZstdFrame = (body: Buffer): void => {
  if (endOf(body) !== body.length) throw new InvalidRecords('The records are not one whole frame of zstd.');
};

const endOf = (body: Buffer): number | undefined => {
  if (body.length < 6 || body.readUInt32LE(0) !== MAGIC) return undefined;
  const head = body.readUInt8(4);
  const isSingle = (head & flag.singleSegment) !== 0;
  const contentSize = head >> 6 === 0 && isSingle ? 1 : (CONTENT_SIZE_BYTES[head >> 6] ?? 0);
  let at = 5 + (isSingle ? 0 : 1) + (DICTIONARY_BYTES[head & 3] ?? 0) + contentSize;
  for (;;) {
    if (at + 3 > body.length) return undefined;
    const block = body.readUIntLE(at, 3);
    const type = (block >> 1) & 3;
    if (type === RESERVED) return undefined;
    at += 3 + (type === RUN_LENGTH ? 1 : block >> 3);
    if ((block & 1) === 1) return at + ((head & flag.checksum) === 0 ? 0 : 4);
  }
};
