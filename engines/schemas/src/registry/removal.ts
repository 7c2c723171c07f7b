/**
 * Deletes versions in two steps, as Confluent's clients expect: a soft delete, after which messages can still be read, then a permanent
 * one.
 */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { requireWritable } from './mode.ts';
import { errors } from './registry-error.ts';
import * as sql from './registry.sql.ts';

export interface Removal {
  readonly subject: string;
  /** Defaults to all versions of the subject. */
  readonly version?: number | 'latest' | undefined;
  readonly isPermanent: boolean;
  /** Deletes versions in any state. Missing versions are not an error. */
  readonly isForced?: boolean;
}

/** Returns the versions that were deleted. */
export const removeVersions = async (db: sql.Db, environment: Environment, removal: Removal): Promise<readonly number[]> => {
  const { subject, version, isPermanent } = removal;
  const { versions, mode } = await sql.selectState(db, environment, subject);
  const gone = removal.isForced ? chosen(versions, version) : strictlyChosen(versions, removal);
  if (gone.length === 0) return [];
  requireWritable(subject, mode);
  await requireUnreferenced(db, environment, subject, gone, isPermanent);
  if (isPermanent) await sql.deleteVersions(db, environment, subject, gone);
  else await sql.markDeleted(db, environment, subject, gone);
  // A subject without versions has no settings of its own.
  const isLast = versions.every((row) => row.isDeleted || gone.includes(row.version));
  if (isLast) await sql.saveSettings(db, environment, subject, { level: null, mode: null });
  return gone;
};

const chosen = (versions: readonly sql.VersionRow[], version: Removal['version']): number[] =>
  versions.filter((row) => version === undefined || row.version === version).map((row) => row.version);

const strictlyChosen = (versions: readonly sql.VersionRow[], { subject, version, isPermanent }: Removal): number[] => {
  if (versions.length === 0) throw errors.noSubject(subject);
  if (version === undefined) {
    const live = versions.filter(({ isDeleted }) => !isDeleted);
    if (isPermanent && live.length > 0) throw errors.subjectNotDeleted(subject);
    if (!isPermanent && live.length === 0) throw errors.subjectDeleted(subject);
    return (isPermanent ? versions : live).map((row) => row.version);
  }
  const row = version === 'latest' ? versions.findLast(({ isDeleted }) => !isDeleted) : versions.find((one) => one.version === version);
  if (!row) throw version === 'latest' ? errors.noSubject(subject) : errors.noVersion(version);
  if (isPermanent && !row.isDeleted) throw errors.versionNotDeleted(subject, row.version);
  if (!isPermanent && row.isDeleted) throw errors.versionDeleted(subject, row.version);
  return [row.version];
};

/** Allows permanent deletion only if nothing refers to the version, not even a deleted version, which would become unreadable. */
const requireUnreferenced = async (
  db: sql.Db,
  environment: Environment,
  subject: string,
  gone: readonly number[],
  isPermanent: boolean,
): Promise<void> => {
  const referrers = await sql.selectReferrers(db, environment, subject, gone, isPermanent ? 'all' : 'live');
  const other = referrers.find((referrer) => referrer.subject !== subject || !gone.includes(referrer.version));
  if (other) throw errors.referenceExists(subject, other.to);
};
