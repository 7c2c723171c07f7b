/** Rules for subject names and versions. Validates all client input. */
import { errors } from './registry-error.ts';

const MOST_CHARACTERS = 512;
const MOST_VERSION = 2 ** 31 - 1;
/** Control characters and lone surrogates. */
// oxlint-disable-next-line no-control-regex -- they are what is refused
const BROKEN = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u;

export const requireSubject = (subject: string): string => {
  if (subject === '' || subject.length > MOST_CHARACTERS) throw errors.invalidSubject(`a name has 1 to ${MOST_CHARACTERS} characters`);
  if (BROKEN.test(subject)) throw errors.invalidSubject('a name has no control characters');
  if (subject.startsWith(':.')) throw errors.invalidSubject('contexts are not supported');
  return subject;
};

export const requireVersion = (text: string): number | 'latest' => {
  if (text === 'latest' || text === '-1') return 'latest';
  const version = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (version < 1 || version > MOST_VERSION) throw errors.invalidVersion(text.slice(0, 50));
  return version;
};

/** Parses a schema id. Returns undefined for invalid ids. */
export const idOf = (text: string): number | undefined => {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id >= 1 && id <= MOST_VERSION ? id : undefined;
};
