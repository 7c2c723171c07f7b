/** Takes a revision's secret values out of what its program said, before that is kept with a pipeline. */
import type { Db } from '#db/database.ts';
import type { ResolvedSecrets, RevisionToResolve } from '#modules/secret-groups/index.ts';
import type { ServiceKey } from '../services.sql.ts';

export type OpenSecrets = (revision: RevisionToResolve) => Promise<ResolvedSecrets>;

/** Shorter ones are words and numbers that stand everywhere. */
const MIN_LENGTH = 4;
const MASK = '•••';

/** The longest first: a value may be part of another. Lines of a value count on their own, since a program speaks in lines. */
export const maskValues = (text: string, values: readonly string[]): string => {
  const parts = new Set(values.flatMap((value) => [value, ...value.split('\n')]).map((part) => part.trim()));
  const long = [...parts].filter((part) => part.length >= MIN_LENGTH).toSorted((a, b) => b.length - a.length);
  return long.reduce((masked, part) => masked.replaceAll(part, MASK), text);
};

/** Throws as opening does: what cannot be masked must not be kept. */
export const maskSecrets = async (db: Db, open: OpenSecrets, key: ServiceKey, revisionId: string, text: string): Promise<string> => {
  const row = await db.selectFrom('revision').select(['spec', 'secret_versions']).where('id', '=', revisionId).executeTakeFirstOrThrow();
  const versions = row.secret_versions;
  if (Object.keys(versions).length === 0) return text;
  const { values } = await open({ app: key.app, environment: key.environment, spec: row.spec, versions });
  return maskValues(text, values);
};
