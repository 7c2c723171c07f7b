/** Git LFS is not supported. This response tells its client so; otherwise the client would blame the repository's URL. */
import type { GitProgram } from './git-program.ts';
import { ObjectTooLarge, readObject } from './read-objects.ts';

export const isLfsPath = (path: string): boolean => /^\/git\/[^/]+\/[^/]+\.git\/info\/lfs(?:\/|$)/.test(path);

export const lfsRefusal =
  'This platform stores no Git LFS objects. Commit files of up to 100 MB themselves: git lfs migrate export --include="*" --everything';

export const lfsContentType = 'application/vnd.git-lfs+json';

const maxAttributesBytes = 64 * 1024;

/** Returns lines for the user who pushed a commit whose `.gitattributes` marks files for LFS: only their pointers were pushed. */
export async function lfsWarning(git: GitProgram, gitDir: string, commit: string): Promise<readonly string[]> {
  const attributes = await readObject(git, gitDir, `${commit}:.gitattributes`, maxAttributesBytes).catch((error: unknown) => {
    if (error instanceof ObjectTooLarge) return undefined;
    throw error;
  });
  const isMarking = /^[^#\n]*\sfilter=lfs(?:\s|$)/m.test(attributes?.content.toString('utf8') ?? '');
  return isMarking ? ['.gitattributes marks files for Git LFS. This platform stores no LFS objects: builds see the pointers alone.'] : [];
}
