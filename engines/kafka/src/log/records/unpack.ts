/**
 * Decompresses the records of a batch. Producers control this data: a batch of 20 KiB may unpack to gigabytes. Small batches are unpacked
 * synchronously, larger ones piece by piece, so that the broker serves other requests in between. Never unpacks more than `UNPACKED_BYTES`.
 */
import { createGunzip, createZstdDecompress, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { hasCode } from '@slipway/foundation/caught.ts';
import { compressionOf, compressions } from '../batch.ts';
import { lz4Pieces } from './lz4.ts';
import { snappyPieces } from './snappy.ts';
import { InvalidRecords, RecordsTooLarge } from './walk.ts';
import { checkZstdFrame } from './zstd-frame.ts';

/** The same limit as in the platform's message browser. */
export const UNPACKED_BYTES = 32 * 1024 * 1024;
/** Takes about a millisecond. */
const AT_ONCE_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;

const nameOf = (attributes: number): (typeof compressions)[number] | undefined => compressions[compressionOf(attributes)];

/** Unpacks synchronously. Returns undefined if there are too many bytes for that. Throws InvalidRecords. */
export const unpackAtOnce = (body: Buffer, attributes: number): Buffer | undefined => {
  if (body.length > AT_ONCE_BYTES) return undefined;
  const options = { maxOutputLength: AT_ONCE_BYTES };
  try {
    switch (nameOf(attributes)) {
      case 'gzip':
        return gunzipSync(body, options);
      case 'zstd':
        checkZstdFrame(body);
        return zstdDecompressSync(body, options);
      case 'snappy':
        return joined(snappyPieces(body, AT_ONCE_BYTES));
      case 'lz4':
        return joined(lz4Pieces(body));
      default:
        return body;
    }
  } catch (error) {
    if (error instanceof RecordsTooLarge || hasCode(error, 'ERR_BUFFER_TOO_LARGE')) return undefined;
    throw invalid(error);
  }
};

const joined = (pieces: Iterable<Buffer>): Buffer | undefined => {
  const all: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    bytes += piece.length;
    if (bytes > AT_ONCE_BYTES) return undefined;
    all.push(piece);
  }
  return all.length === 1 && all[0] ? all[0] : Buffer.concat(all);
};

/** Yields unpacked pieces. The caller yields to other requests between them. Throws InvalidRecords or RecordsTooLarge. */
export async function* unpackPieces(body: Buffer, attributes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of piecesOf(body, attributes)) {
      bytes += piece.length;
      if (bytes > UNPACKED_BYTES) throw new RecordsTooLarge();
      for (let at = 0; at < piece.length; at += PIECE_BYTES) yield piece.subarray(at, at + PIECE_BYTES);
    }
  } catch (error) {
    throw error instanceof RecordsTooLarge ? error : invalid(error);
  }
}

const piecesOf = (body: Buffer, attributes: number): Iterable<Buffer> | AsyncIterable<Buffer> => {
  switch (nameOf(attributes)) {
    case 'gzip':
      return createGunzip({ chunkSize: PIECE_BYTES }).end(body);
    case 'zstd':
      checkZstdFrame(body);
      return createZstdDecompress({ chunkSize: PIECE_BYTES }).end(body);
    case 'snappy':
      return snappyPieces(body, UNPACKED_BYTES);
    case 'lz4':
      return lz4Pieces(body);
    default:
      return [body];
  }
};

const invalid = (error: unknown): InvalidRecords =>
  error instanceof InvalidRecords ? error : new InvalidRecords('The records cannot be unpacked with the compression that the batch names.');
