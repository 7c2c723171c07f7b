/** Reads the payload of a request: plain, gzip, or gzip in base64, as browser beacons send it. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { errorCode } from '#kernel/caught.ts';
import { readJson } from '#kernel/http/read-json.ts';
import { Problem } from '#kernel/problem.ts';
import type { IngestLimits, Ticket } from './admission.ts';

const unzip = promisify(gunzip);
const MEGABYTE = 1024 * 1024;
const tooLarge = (bytes: number): Problem => new Problem('PayloadTooLarge', { context: { limit: `${bytes / MEGABYTE} MB` } });
const busy = (): Problem => new Problem('TooManyRequests', { context: { seconds: '1' } });

const bytesOf = async (request: IncomingMessage, ticket: Ticket, most: number): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) throw tooLarge(most);
    if (!ticket.grow(part.length)) throw busy();
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** Rejects a body that has not arrived in time. The answer closes its connection. */
const inTime = async <Result>(reading: Promise<Result>, ms: number): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(busy()), ms);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
};

const BRACE = 0x7b;
const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
/** Beacons cannot set headers, so the encoding is recognized by the first bytes. */
const fromBase64 = (body: Buffer): Buffer => (body[0] === BRACE || isGzip(body) ? body : Buffer.from(body.toString('latin1'), 'base64'));
const openedOf = async (bytes: Buffer, ticket: Ticket, most: number): Promise<Buffer> => {
  if (!isGzip(bytes)) return bytes;
  try {
    const opened = await unzip(bytes, { maxOutputLength: most });
    if (!ticket.grow(opened.length)) throw busy();
    return opened;
  } catch (error) {
    if (error instanceof Problem) throw error;
    // What cannot be opened costs as much as the largest payload, as the work was done.
    ticket.spend(most);
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(most);
    throw new Problem('BodyInvalid', { cause: error });
  }
};

/** Reads the body, and takes a place among the payloads that wait before the caller parses it. */
const readWith = async (
  request: IncomingMessage,
  ticket: Ticket,
  limits: IngestLimits,
  decode: (body: Buffer) => Buffer,
): Promise<Buffer> => {
  const body = await inTime(bytesOf(request, ticket, limits.bodyBytes), limits.bodyMs);
  const opened = await openedOf(decode(body), ticket, limits.payloadBytes);
  if (!ticket.spend(opened.length) || !ticket.wait(opened.length)) throw busy();
  return opened;
};
export const readBytes = (request: IncomingMessage, ticket: Ticket, limits: IngestLimits): Promise<Buffer> =>
  readWith(request, ticket, limits, (body) => body);

/** Parses JSON. Rejects with BodyInvalid. */
export const parseBody = (bytes: Buffer): unknown => {
  try {
    return readJson(bytes.toString('utf8'));
  } catch (error) {
    throw error instanceof Problem ? error : new Problem('BodyInvalid', { cause: error });
  }
};
/** Reads JSON of browsers. */
export const readBody = async (request: IncomingMessage, ticket: Ticket, limits: IngestLimits): Promise<unknown> =>
  parseBody(await readWith(request, ticket, limits, fromBase64));
