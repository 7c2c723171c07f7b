// Pushing a manifest: the blobs that it needs must be there, then bytes, rows and tags become visible in one transaction. An index
// may come without some of its images: clients copy the platforms that they want.
import type { PoolClient } from 'pg';
import { selectTagged } from './removal.sql.ts';
import { selectManifestSizes, touchBlobLinks, upsertManifest, upsertTags } from './content.sql.ts';
import type { Call, RegistryContext } from '../context.ts';
import { algorithmOf, isDigest, isTag, projectOf } from '../grammar.ts';
import { readManifest, type ManifestDocument } from './manifest-document.ts';
import { touchRepository } from '../project.sql.ts';
import { RegistryError } from '../registry-error.ts';
import { replyEmpty } from '../reply.ts';
import { readBody } from '../request-body.ts';
import type { ReceivedFile } from './blob-files.ts';
import { announce } from '../announce.ts';
import { keepFile } from './store.ts';
import { transaction } from '@slipway/postgres/pool-transaction.ts';

const MAX_TAGS = 100;

export async function putManifest(context: RegistryContext, call: Call): Promise<void> {
  const { request, response, repository, reference, caller } = call;
  const tags = requestedTags(call);
  const body = await readBody(request, context.limits.manifestBytes, context.limits.idleMs);
  const document = readManifest(body, request.headers['content-type']);
  const received = await context.files.receive(once(body), isDigest(reference) ? algorithmOf(reference) : 'sha256', body.length);
  try {
    if (isDigest(reference) && received.digest !== reference) {
      throw new RegistryError(400, 'DIGEST_INVALID', 'the digest does not match the bytes received');
    }
    await transaction(context.pool, (client) => store(context, client, repository, received, document, { tags, by: caller.name }));
  } finally {
    await context.files.discard([received.file]);
  }
  const { digest } = received;
  context.log.info({ repository, digest, tags, by: caller.name }, 'registry: pushed');
  for (const tag of tags) context.pushed({ repository, tag, digest });
  replyEmpty(response, 201, {
    Location: `/v2/${repository}/manifests/${digest}`,
    'Docker-Content-Digest': digest,
    ...(document.subject ? { 'OCI-Subject': document.subject } : {}),
    ...(isDigest(reference) && tags.length > 0 ? { 'OCI-Tag': tags.join(', ') } : {}),
  });
}

/** The path's tag, or those that a push by digest adds as `?tag=`. */
function requestedTags({ reference, query }: Call): string[] {
  const tags = isDigest(reference) ? [...new Set(query.getAll('tag'))] : [reference];
  if (tags.length > MAX_TAGS) throw new RegistryError(414, 'TAG_INVALID', `more than ${MAX_TAGS} tags`);
  if (!tags.every(isTag)) {
    const [code, what] = reference.includes(':') ? (['DIGEST_INVALID', 'digest'] as const) : (['TAG_INVALID', 'tag'] as const);
    throw new RegistryError(400, code, `not a valid ${what}`);
  }
  return tags;
}

async function store(
  context: RegistryContext,
  client: PoolClient,
  repository: string,
  received: ReceivedFile,
  document: ManifestDocument,
  { tags, by }: { readonly tags: readonly string[]; readonly by: string },
): Promise<void> {
  const now = context.now();
  await touchRepository(client, projectOf(repository), repository, now);
  await requireMovable(context, client, repository, { tags, digest: received.digest });
  const blobs = await touchBlobLinks(client, repository, document.blobs, now);
  const images = await selectManifestSizes(client, repository, document.images);
  const missing = document.blobs.filter((digest) => !blobs.has(digest));
  if (missing.length > 0) {
    throw new RegistryError(400, 'MANIFEST_BLOB_UNKNOWN', `not in this repository: ${missing.slice(0, 10).join(', ')}`);
  }
  await keepFile(context, client, received);
  const contentBytes = [...blobs.values(), ...images.values()].reduce((sum, size) => sum + size, 0);
  await upsertManifest(client, repository, { ...document, digest: received.digest, sizeBytes: received.sizeBytes, contentBytes }, now);
  await upsertTags(client, repository, { tags, digest: received.digest, by }, now);
  const event = { type: 'PUSH_ARTIFACT', operator: by, repository, digest: received.digest } as const;
  for (const tag of tags) await announce(context, { ...event, tag }, client);
  if (tags.length === 0) await announce(context, event, client);
}

/** A tag that production runs stays what it is: a restart by the tag would start something else. */
async function requireMovable(
  { rules }: RegistryContext,
  client: PoolClient,
  repository: string,
  { tags, digest }: { readonly tags: readonly string[]; readonly digest: string },
): Promise<void> {
  const moved = [...(await selectTagged(client, repository, tags))].filter(([, now]) => now !== digest);
  if (moved.length === 0) return;
  const uses = await rules.uses(
    client,
    repository,
    moved.map(([, now]) => now),
  );
  const use = uses.find(({ isLive, environment }) => isLive && environment === 'production');
  if (!use) return;
  const [tag = ''] = moved.find(([, now]) => now === use.digest) ?? [];
  throw new RegistryError(
    403,
    'DENIED',
    `the revision ${use.revision} runs the tag ${tag} in production, so that it stays as it is: push another tag`,
  );
}

async function* once(body: Uint8Array): AsyncIterable<Uint8Array> {
  yield body;
}
