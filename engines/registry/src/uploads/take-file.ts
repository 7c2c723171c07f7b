// A blob that the platform itself has written on the registry's own disk: its file is moved into the store, not sent and hashed again.
import type { WrittenBlob } from '@slipway/foundation/ports/registry.ts';
import type { ReceivedFile } from '../content/blob-files.ts';
import { keepBlob } from '../content/store.ts';
import type { RegistryContext } from '../context.ts';
import { projectOf, requireDigest } from '../grammar.ts';
import { RegistryError } from '../registry-error.ts';

/** False where the file lies on another disk. There it stays, as where it is refused; else it is gone from its place. */
export async function takeFile(context: RegistryContext, repository: string, { digest, size, file }: WrittenBlob): Promise<boolean> {
  const { files, limits, quota } = context;
  requireDigest(digest);
  if (size > limits.blobBytes) throw new RegistryError(413, 'SIZE_INVALID', `larger than the limit of ${limits.blobBytes} bytes`);
  // It takes no more of the disk than it does already, but nothing is taken in while that is short.
  await files.require(0);
  const reservation = await quota.reserve(projectOf(repository), size);
  let isKept = false;
  try {
    reservation.take(size);
    const taken = await files.take(file, size);
    if (taken === undefined) return false;
    await keep(context, repository, { file: taken, sizeBytes: size, digest });
    isKept = true;
    return true;
  } finally {
    reservation.release(isKept);
  }
}

async function keep(context: RegistryContext, repository: string, taken: ReceivedFile): Promise<void> {
  try {
    await keepBlob(context, repository, taken, async () => undefined);
  } catch (error) {
    await context.files.discard([taken.file]);
    throw error;
  }
}
