/** Git LFS: not offered, and said so in the form that its client prints. Without an answer of ours it would blame the repository's address. */
import type { GitProgram } from './git-program.ts';
import { ObjectTooLarge, readObject } from './read-objects.ts';

export const isLfsPath = (path: string): boolean => /^\/git\/[^/]+\/[^/]+\.git\/info\/lfs(?:\/|$)/.test(path);

export const lfsRefusal =
  'This platform stores no Git LFS objects. Commit files of up to 100 MB themselves: git lfs migrate export --include="*" --everything';

export const lfsContentType = 'application/vnd.git-lfs+json';

const maxAttributesBytes = 64 * 1024;

/** Lines for whoever pushed: of a commit whose `.gitattributes` marks files for LFS, the pointers came and nothing else. */
export async function lfsWarning(git: GitProgram, gitDir: string, commit: string): Promise<readonly string[]> {
  const attributes = await readObject(git, gitDir, `${commit}:.gitattributes`, maxAttributesBytes).catch((error: unknown) => {
    if (error instanceof ObjectTooLarge) return undefined;
    throw error;
  });
  const isMarking = /^[^#\n]*\sfilter=lfs(?:\s|$)/m.test(attributes?.content.toString('utf8') ?? '');
  return isMarking ? ['.gitattributes marks files for Git LFS. This platform stores no LFS objects: builds see the pointers alone.'] : [];
}
