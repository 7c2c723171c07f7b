// Blob uploads: in one request, as a stream, or in chunks. Each request's bytes go to a file of their own, and the database
// says which of them count, so that replicas can take over from each other and a broken request leaves nothing.
import { randomUUID } from 'node:crypto';
import { selectBlob, selectBlobRepository, upsertBlobLink } from '../content/content.sql.ts';
import type { Call, RegistryContext, Routes } from '../context.ts';
import { algorithmOf, isAlgorithm, isDigest, isRepository, isUploadId, projectOf, requireDigest, type Algorithm } from '../grammar.ts';
import { ensureRepository } from '../project.sql.ts';
import { RegistryError } from '../registry-error.ts';
import { replyEmpty } from '../reply.ts';
import { streamBody } from '../request-body.ts';
import type { ReceivedFile } from '../content/blob-files.ts';
import { keepBlob } from '../content/store.ts';
import type { Reservation } from '../quota/quota.ts';
import { finishUpload } from './upload-finish.ts';
import { appendUploadPart, deleteUpload, insertUpload, selectUpload, type UploadRow } from './upload.sql.ts';

export function uploadRoutes(context: RegistryContext): Routes {
  return {
    POST: { action: 'push', run: (call) => start(context, call) },
    GET: { action: 'push', run: (call) => status(context, call) },
    PATCH: { action: 'push', run: (call) => append(context, call) },
    PUT: { action: 'push', run: (call) => finish(context, call) },
    DELETE: { action: 'push', run: (call) => cancel(context, call) },
  };
}

function progress(upload: UploadRow): Record<string, string> {
  return {
    Location: `/v2/${upload.repository}/blobs/uploads/${upload.id}`,
    Range: `0-${Math.max(0, upload.sizeBytes - 1)}`,
    'Docker-Upload-UUID': upload.id,
  };
}

const created = (repository: string, digest: string): Record<string, string> => ({
  Location: `/v2/${repository}/blobs/${digest}`,
  'Docker-Content-Digest': digest,
});

async function start(context: RegistryContext, call: Call): Promise<void> {
  const { query, repository, reference, response } = call;
  if (reference !== '')
    throw new RegistryError(405, 'UNSUPPORTED', 'an upload is started without an id', { Allow: 'GET, PATCH, PUT, DELETE' });
  const mounted = await mount(context, call);
  if (mounted) return replyEmpty(response, 201, created(repository, mounted));
  if (query.has('digest')) return whole(context, call, requireDigest(query.get('digest')));
  const algorithm = query.get('digest-algorithm') ?? 'sha256';
  if (!isAlgorithm(algorithm)) throw new RegistryError(400, 'DIGEST_INVALID', 'only sha256 and sha512 are supported');
  const upload: UploadRow = { id: randomUUID(), repository, algorithm, sizeBytes: 0 };
  await insertUpload(context.pool, upload, projectOf(repository), context.now());
  replyEmpty(response, 202, progress(upload));
}

/** Answers the digest when the blob could be taken over: from the repository that the client names, else from one of the same project. */
async function mount({ pool, now, quota }: RegistryContext, { query, repository, caller }: Call): Promise<string | undefined> {
  const digest = query.get('mount');
  if (!digest || !isDigest(digest)) return undefined;
  const from = query.get('from') ?? (await selectBlobRepository(pool, projectOf(repository), digest));
  if (!from || !isRepository(from)) return undefined;
  const blob = (await caller.mayMountFrom(from)) ? await selectBlob(pool, from, digest) : undefined;
  if (!blob) return undefined;
  const project = projectOf(repository);
  // What the project has already takes no more room in it.
  const isNew = projectOf(from) !== project && (await selectBlobRepository(pool, project, digest)) === undefined;
  const reservation = await quota.reserve(project, isNew ? blob.sizeBytes : 0);
  try {
    await ensureRepository(pool, project, repository, now());
    await upsertBlobLink(pool, repository, digest, now());
  } catch (error) {
    reservation.release(false);
    throw error;
  }
  reservation.release(true);
  return digest;
}

/** A single POST with the digest: nothing to resume, hence no upload. */
async function whole(context: RegistryContext, call: Call, digest: string): Promise<void> {
  const received = await receive(context, call, algorithmOf(digest), 0);
  if (received.digest !== digest) {
    await context.files.discard([received.file]);
    throw new RegistryError(400, 'DIGEST_INVALID', 'the digest does not match the bytes received');
  }
  try {
    await keepBlob(context, call.repository, received, async () => undefined);
  } catch (error) {
    await context.files.discard([received.file]);
    throw error;
  }
  replyEmpty(call.response, 201, created(call.repository, digest));
}

async function find({ pool }: RegistryContext, { repository, reference }: Call): Promise<UploadRow> {
  const upload = isUploadId(reference) ? await selectUpload(pool, reference, repository) : undefined;
  if (!upload) throw new RegistryError(404, 'BLOB_UPLOAD_UNKNOWN', 'upload unknown to this repository');
  return upload;
}

async function status(context: RegistryContext, call: Call): Promise<void> {
  replyEmpty(call.response, 204, progress(await find(context, call)));
}

async function append(context: RegistryContext, call: Call): Promise<void> {
  const upload = await find(context, call);
  requireInOrder(call, upload);
  const { file, sizeBytes, digest } = await receive(context, call, upload.algorithm, upload.sizeBytes);
  const part = { startByte: upload.sizeBytes, sizeBytes, file, digest };
  let isAppended = false;
  try {
    isAppended = sizeBytes > 0 && (await appendUploadPart(context.pool, upload.id, part, context.now()));
  } finally {
    if (!isAppended) await context.files.discard([file]);
  }
  if (sizeBytes > 0 && !isAppended) throw outOfOrder(await find(context, call));
  replyEmpty(call.response, 202, progress({ ...upload, sizeBytes: upload.sizeBytes + sizeBytes }));
}

async function finish(context: RegistryContext, call: Call): Promise<void> {
  const digest = requireDigest(call.query.get('digest'));
  const upload = await find(context, call);
  requireInOrder(call, upload);
  const last = await receive(context, call, algorithmOf(digest), upload.sizeBytes);
  await finishUpload(context, upload, last, digest);
  replyEmpty(call.response, 201, created(upload.repository, digest));
}

async function cancel(context: RegistryContext, call: Call): Promise<void> {
  const upload = await find(context, call);
  await context.files.discard(await deleteUpload(context.pool, upload.id));
  replyEmpty(call.response, 204, {});
}

async function receive(context: RegistryContext, call: Call, algorithm: Algorithm, alreadyBytes: number): Promise<ReceivedFile> {
  const { request } = call;
  const { blobBytes, idleMs } = context.limits;
  const roomBytes = blobBytes - alreadyBytes;
  // Said before the first byte is taken, where the client says how many there will be.
  const announcedBytes = Number(request.headers['content-length'] ?? 0);
  if (announcedBytes > roomBytes) throw new RegistryError(413, 'SIZE_INVALID', `larger than the limit of ${blobBytes} bytes`);
  await context.files.require(announcedBytes);
  const reservation = await context.quota.reserve(projectOf(call.repository), announcedBytes);
  let isKept = false;
  try {
    const received = await context.files.receive(metered(streamBody(request, idleMs), reservation), algorithm, roomBytes);
    isKept = true;
    return received;
  } finally {
    reservation.release(isKept);
  }
}

async function* metered(source: AsyncIterable<Uint8Array>, { take }: Reservation): AsyncIterable<Uint8Array> {
  for await (const chunk of source) {
    take(chunk.length);
    yield chunk;
  }
}

const outOfOrder = (upload: UploadRow): RegistryError =>
  new RegistryError(416, 'BLOB_UPLOAD_INVALID', 'chunks must follow each other', progress(upload));

/** Without Content-Range the body is taken as what comes next, which is how Docker streams. */
function requireInOrder({ request }: Call, upload: UploadRow): void {
  const header = request.headers['content-range'];
  if (header === undefined) return;
  const [, first, last] = /^(?:bytes[ =])?(\d+)-(\d+)(?:\/.*)?$/.exec(header) ?? [];
  const length = request.headers['content-length'];
  const isWhole = length === undefined || Number(last) - Number(first) + 1 === Number(length);
  if (Number(first) !== upload.sizeBytes || !isWhole) throw outOfOrder(upload);
}
