// Reading and deleting manifests, by tag or digest. What was pushed is served byte by byte with the type it was pushed with.
import { selectManifest } from './content.sql.ts';
import type { Call, RegistryContext, Routes } from '../context.ts';
import { isDigest, isTag } from '../grammar.ts';
import { putManifest } from './manifest-push.ts';
import { requirePull } from './pull-policy.ts';
import { InUse, removeImage, removeTag } from './removal.ts';
import { isMissing, RegistryError } from '../registry-error.ts';
import { replyBytes, replyEmpty } from '../reply.ts';
import { announce } from '../announce.ts';

export function manifestRoutes(context: RegistryContext): Routes {
  return {
    GET: { action: 'pull', run: (call) => get(context, call) },
    HEAD: { action: 'pull', run: (call) => head(context, call) },
    PUT: { action: 'push', run: (call) => putManifest(context, call) },
    DELETE: { action: 'delete', run: (call) => remove(context, call) },
  };
}

const unknown = (): RegistryError => new RegistryError(404, 'MANIFEST_UNKNOWN', 'manifest unknown to this repository');

async function find(
  { pool }: RegistryContext,
  { repository, reference }: Call,
): Promise<{ sizeBytes: number; headers: Record<string, string>; digest: string }> {
  const isKnown = isDigest(reference) || isTag(reference);
  const manifest = isKnown ? await selectManifest(pool, repository, reference) : undefined;
  if (!manifest) throw unknown();
  const { digest, mediaType, sizeBytes } = manifest;
  return { digest, sizeBytes, headers: { 'Content-Type': mediaType, 'Docker-Content-Digest': digest, ETag: `"${digest}"` } };
}

async function head(context: RegistryContext, call: Call): Promise<void> {
  const { headers, sizeBytes } = await find(context, call);
  call.response.writeHead(200, { ...headers, 'Content-Length': sizeBytes }).end();
}

async function get(context: RegistryContext, call: Call): Promise<void> {
  const { digest, headers } = await find(context, call);
  const { repository, reference, caller } = call;
  await requirePull(context, call, digest);
  try {
    replyBytes(call.response, 200, await context.files.read(digest), headers);
  } catch (error) {
    if (!isMissing(error)) throw error;
    context.log.error({ digest }, 'registry: the file of a manifest is missing');
    throw unknown();
  }
  // After the answer: nobody waits for what others want to know.
  const tag = isTag(reference) ? { tag: reference } : {};
  await announce(context, { type: 'PULL_ARTIFACT', operator: caller.name, repository, digest, ...tag }).catch((error: unknown) =>
    context.log.warn({ err: error }, 'registry: a pull was not announced'),
  );
}

/** A tag goes alone; a digest takes its tags along. */
async function remove(context: RegistryContext, { repository, reference, response, caller }: Call): Promise<void> {
  if (!isDigest(reference) && !isTag(reference)) throw new RegistryError(400, 'MANIFEST_INVALID', 'neither a tag nor a digest');
  const removing = (isDigest(reference) ? removeImage : removeTag)(context, repository, reference, caller.name);
  const isGone = await removing.catch((error: unknown) => {
    if (!(error instanceof InUse)) throw error;
    throw new RegistryError(403, 'DENIED', `${error.message}: deploy another image first`);
  });
  if (!isGone) throw unknown();
  context.log.info({ repository, reference, by: caller.name }, 'registry: deleted');
  replyEmpty(response, 202, {});
}
