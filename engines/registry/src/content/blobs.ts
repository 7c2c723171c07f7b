// Reading and deleting blobs: whole or in part, only through a repository that has them.
import { pipeline } from 'node:stream/promises';
import { deleteBlobLink, selectBlob, touchBlobLinks } from './content.sql.ts';
import type { Call, RegistryContext, Routes } from '../context.ts';
import { isDigest, requireDigest } from '../grammar.ts';
import { RegistryError } from '../registry-error.ts';
import { replyEmpty } from '../reply.ts';

/** A pusher who finds a blob older than this gets its grace period renewed: the manifest that needs it is on its way. */
const RENEW_AFTER_MS = 15 * 60_000;

export function blobRoutes(context: RegistryContext): Routes {
  return {
    GET: { action: 'pull', run: (call) => get(context, call) },
    HEAD: { action: 'pull', run: (call) => head(context, call) },
    DELETE: { action: 'delete', run: (call) => remove(context, call) },
  };
}

async function find({ pool }: RegistryContext, { repository, reference }: Call): Promise<{ sizeBytes: number; linkedAt: Date }> {
  const blob = isDigest(reference) ? await selectBlob(pool, repository, reference) : undefined;
  if (!blob) throw new RegistryError(404, 'BLOB_UNKNOWN', 'blob unknown to this repository');
  return blob;
}

const headers = (digest: string): Record<string, string> => ({
  'Content-Type': 'application/octet-stream',
  'Docker-Content-Digest': digest,
  'Accept-Ranges': 'bytes',
  'Cache-Control': 'private, max-age=31536000, immutable',
  ETag: `"${digest}"`,
});

async function head(context: RegistryContext, call: Call): Promise<void> {
  const { repository, reference, response } = call;
  const { sizeBytes, linkedAt } = await find(context, call);
  if (!(await context.files.has(reference))) throw lost(context, reference);
  const isOld = context.now().getTime() - linkedAt.getTime() > RENEW_AFTER_MS;
  if (isOld && (await call.caller.may(repository, 'push'))) await touchBlobLinks(context.pool, repository, [reference], context.now());
  response.writeHead(200, { ...headers(reference), 'Content-Length': sizeBytes }).end();
}

async function get(context: RegistryContext, call: Call): Promise<void> {
  const { reference, request, response } = call;
  const { sizeBytes } = await find(context, call);
  const range = parseRange(request.headers.range, sizeBytes);
  if (!(await context.files.has(reference))) throw lost(context, reference);
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  const part = range && { 'Content-Range': `bytes ${start}-${end}/${sizeBytes}` };
  response.writeHead(range ? 206 : 200, { ...headers(reference), ...part, 'Content-Length': end - start + 1 });
  if (sizeBytes === 0) return void response.end();
  // A client that goes away in the middle is its own affair.
  await pipeline(context.files.stream(reference, start, end), response).catch((error: unknown) => {
    context.log.debug({ err: error, digest: reference }, 'registry: download broken off');
  });
}

/** The database knows it, the disk does not: somebody has touched the data directory, and clients may push it again. */
function lost(context: RegistryContext, digest: string): RegistryError {
  context.log.error({ digest }, 'registry: the file of a blob is missing');
  return new RegistryError(404, 'BLOB_UNKNOWN', 'the bytes of this blob are lost; push it again');
}

/** One range only, as clients send it to resume. Undefined: the whole. Throws 416 beyond the end. */
export function parseRange(header: string | undefined, sizeBytes: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (start > end) throw new RegistryError(416, 'SIZE_INVALID', 'range beyond the end', { 'Content-Range': `bytes */${sizeBytes}` });
  return { start, end };
}

/** Takes it out of this repository; garbage collection takes the bytes when no other has it. */
async function remove(context: RegistryContext, { repository, reference, response }: Call): Promise<void> {
  const digest = requireDigest(reference);
  const outcome = await deleteBlobLink(context.pool, repository, digest);
  if (outcome === 'unknown') throw new RegistryError(404, 'BLOB_UNKNOWN', 'blob unknown to this repository');
  if (outcome === 'needed') {
    // 405 is what the specification has for a blob that is not to be deleted; clients that tidy up take it as an answer.
    const message = 'an image of this repository needs this blob; delete the image first, and the blob goes by itself';
    throw new RegistryError(405, 'UNSUPPORTED', message, { Allow: 'GET, HEAD' });
  }
  replyEmpty(response, 202, { 'Docker-Content-Digest': digest });
}
