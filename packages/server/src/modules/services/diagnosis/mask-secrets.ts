/** Masks a revision's secret values in its program's output before a pipeline stores the output. */
import type { Db } from '#db/database.ts';
import type { ResolvedSecrets, RevisionToResolve } from '#modules/secret-groups/index.ts';
import type { ServiceKey } from '../services.sql.ts';

export type OpenSecrets = (revision: RevisionToResolve) => Promise<ResolvedSecrets>;

/** Shorter values are common words and numbers, which would mask too much. */
const MIN_LENGTH = 4;
const MASK = '•••';

/** Replaces long values first, because a value may contain another. Also masks single lines of a value, since programs log line by line. */
export const maskValues = (text: string, values: readonly string[]): string => {
  const parts = new Set(values.flatMap((value) => [value, ...value.split('\n')]).map((part) => part.trim()));
  const long = [...parts].filter((part) => part.length >= MIN_LENGTH).toSorted((a, b) => b.length - a.length);
  return long.reduce((masked, part) => masked.replaceAll(part, MASK), text);
};

/** Throws if the secrets cannot be opened. The caller must then drop the text. */
export const maskSecrets = async (db: Db, open: OpenSecrets, key: ServiceKey, revisionId: string, text: string): Promise<string> => {
  const row = await db.selectFrom('revision').select(['spec', 'secret_versions']).where('id', '=', revisionId).executeTakeFirstOrThrow();
  const versions = row.secret_versions;
  if (Object.keys(versions).length === 0) return text;
  const { values } = await open({ app: key.app, environment: key.environment, spec: row.spec, versions });
  return maskValues(text, values);
};
