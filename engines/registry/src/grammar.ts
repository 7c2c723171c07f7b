// What names, tags and digests may look like. Everything that becomes part of a file's path or a query passes through here first.
import { RegistryError } from './registry-error.ts';

const SEPARATED = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
/** A repository is at least `{project}/{name}`. */
export const REPOSITORY_PATTERN = `${SEPARATED}(?:/${SEPARATED})+`;
const REPOSITORY = new RegExp(`^${REPOSITORY_PATTERN}$`);
const PROJECT = new RegExp(`^${SEPARATED}$`);
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128})$/;
const UPLOAD_ID = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$/;
const MAX_NAME_LENGTH = 255;

export type Algorithm = 'sha256' | 'sha512';

export const isRepository = (text: string): boolean => text.length <= MAX_NAME_LENGTH && REPOSITORY.test(text);
/** Projects and robots share their form. */
export const isProject = (text: string): boolean => text.length <= MAX_NAME_LENGTH && PROJECT.test(text);
export const isTag = (text: string): boolean => TAG.test(text);
export const isDigest = (text: string): boolean => DIGEST.test(text);
export const isUploadId = (text: string): boolean => UPLOAD_ID.test(text);
export const isAlgorithm = (text: string): text is Algorithm => text === 'sha256' || text === 'sha512';

export const projectOf = (repository: string): string => repository.slice(0, repository.indexOf('/'));
export const algorithmOf = (digest: string): Algorithm => (digest.startsWith('sha512:') ? 'sha512' : 'sha256');

export const robotUsername = (project: string, name: string): string => `robot$${project}+${name}`;

/** The parts of `robot$<project>+<name>`; undefined for every other user name. */
export function parseRobotUsername(username: string): { project: string; name: string } | undefined {
  const [, project, name] = /^robot\$([^+]+)\+(.+)$/.exec(username) ?? [];
  return project && name && isProject(project) && isProject(name) ? { project, name } : undefined;
}

export function requireDigest(text: string | null): string {
  if (text === null || !isDigest(text)) throw new RegistryError(400, 'DIGEST_INVALID', 'not a sha256 or sha512 digest');
  return text;
}
