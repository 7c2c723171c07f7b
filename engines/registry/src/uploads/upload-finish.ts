// The end of an upload: its parts become one file, its digest is checked, and exactly one request may turn it into a blob.
import type { ReceivedFile } from '../content/blob-files.ts';
import type { RegistryContext } from '../context.ts';
import { algorithmOf } from '../grammar.ts';
import { isMissing, RegistryError } from '../registry-error.ts';
import { keepBlob } from '../content/store.ts';
import { claimUpload, deleteUpload, selectUploadParts, type UploadPart, type UploadRow } from './upload.sql.ts';

const gone = (): RegistryError => new RegistryError(404, 'BLOB_UPLOAD_UNKNOWN', 'the upload was finished or cancelled meanwhile');

/** `last` is the closing request's own body, often empty. Throws 400 and drops the upload when the digest does not match. */
export async function finishUpload(context: RegistryContext, upload: UploadRow, last: ReceivedFile, digest: string): Promise<void> {
  // The parts stay when another request wins, or when the database fails and the client tries again.
  const disposable = [last.file];
  try {
    const parts = await selectUploadParts(context.pool, upload.id);
    // Read after the row: when they do not add up, somebody else has finished it or added to it in between.
    if (parts.reduce((sum, part) => sum + part.sizeBytes, 0) !== upload.sizeBytes) throw gone();
    const blob = await assemble(context, parts, last, digest);
    if (!parts.some((part) => part.file === blob.file)) disposable.push(blob.file);
    if (blob.digest !== digest) {
      disposable.push(...(await deleteUpload(context.pool, upload.id)));
      throw new RegistryError(400, 'DIGEST_INVALID', 'the digest does not match the bytes received');
    }
    await keepBlob(context, upload.repository, blob, async (client) => {
      if (!(await claimUpload(client, upload.id, upload.sizeBytes))) throw gone();
    });
    disposable.push(...parts.map((part) => part.file));
  } finally {
    // What became the blob has been moved away and is not hit by this.
    await context.files.discard(disposable);
  }
}

/** Most uploads are one part, hashed while it came in; only chunked ones are copied and hashed again. */
async function assemble(
  { files }: RegistryContext,
  parts: readonly UploadPart[],
  last: ReceivedFile,
  digest: string,
): Promise<ReceivedFile> {
  const pieces: readonly ReceivedFile[] = last.sizeBytes > 0 ? [...parts, last] : parts;
  const [first, ...others] = pieces;
  if (!first) return last;
  const algorithm = algorithmOf(digest);
  if (others.length === 0 && algorithmOf(first.digest) === algorithm) return first;
  try {
    return await files.join(
      pieces.map((piece) => piece.file),
      algorithm,
    );
  } catch (error) {
    throw isMissing(error) ? gone() : error;
  }
}
