/**
 * Decides whether a policy that prevents vulnerable images refuses an image. Unscanned and partly scanned images are refused, because they
 * may contain anything. Packages of an ecosystem without advisories are shown but never cause a refusal, as with every other scanner.
 */
import { isCveExpired, type RegistryPolicy } from '@slipway/contract/registry/policy.ts';
import { isUnread, scanNoteHelp, scanNoteText, type ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import { isAtLeast, severities } from '@slipway/contract/registry/severity.ts';
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { toSummary, type ScanRow } from './scan-rows.ts';
import { Finding } from '../advisories/finding.ts';

export interface Refusal {
  readonly code: 'ImageVulnerable' | 'ImageNotScanned' | 'ImagePartlyScanned';
  readonly context: Readonly<Record<string, string>>;
}
export interface PullAsked {
  readonly digest: string;
  readonly policy: Pick<RegistryPolicy, 'severity'> & { readonly allowedCves: readonly RegistryPolicy['allowedCves'][number][] };
  readonly now: Date;
}

/** Finds the image's scan: its own finished one, else that of an index that contains the image, else its own unfinished one. */
const rowOf = async (db: Db, digest: string): Promise<ScanRow | undefined> =>
  (await db.selectFrom('image_scan').selectAll().where('digest', '=', digest).where('scanned_at', 'is not', null).executeTakeFirst()) ??
  (await db
    .selectFrom('image_scan')
    .selectAll()
    .where(sql<boolean>`parts @> array[${digest}]::text[]`)
    .orderBy('scanned_at', (order) => order.desc().nullsLast())
    .limit(1)
    .executeTakeFirst()) ??
  (await db.selectFrom('image_scan').selectAll().where('digest', '=', digest).executeTakeFirst());

const notScanned = (row: ScanRow | undefined): Refusal => {
  const { state, reason } = row ? toSummary(row) : { state: 'NOT_SCANNED', reason: null };
  return { code: 'ImageNotScanned', context: { state, detail: reason ? scanNoteText(reason) : '' } };
};
const partlyScanned = (note: ScanNote): Refusal => ({ code: 'ImagePartlyScanned', context: { detail: scanNoteHelp(note) } });

const firstForbidden = async (db: Db, digest: string, policy: PullAsked['policy'], now: Date): Promise<Finding | undefined> => {
  const counted = severities.filter((severity) => isAtLeast(severity, policy.severity));
  const allowed = policy.allowedCves.filter((cve) => !isCveExpired(cve, now)).map(({ cveId }) => cveId);
  const row = await db
    .selectFrom('image_vulnerability')
    .select('entry')
    .where('digest', '=', digest)
    .where('severity', 'in', counted)
    .where(sql<boolean>`not (ids && ${allowed}::text[])`)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row && Finding.parse(row.entry);
};

/** Returns why the image is refused, or undefined if it is allowed. `state` tells whether a scan is running. */
export const scanRefusal = async (db: Db, { digest, policy, now }: PullAsked): Promise<Refusal | undefined> => {
  const row = await rowOf(db, digest);
  if (!row || row.scanned_at === null) return notScanned(row);
  const found = await firstForbidden(db, row.digest, policy, now);
  if (found) {
    const { id: cve, severity, package: name, installed: version, fixedIn } = found;
    return { code: 'ImageVulnerable', context: { cve, severity, package: name, version, fixedIn: fixedIn ?? '', from: policy.severity } };
  }
  const unread = [...row.read_notes, ...row.match_notes].find(isUnread);
  if (unread) return partlyScanned(unread);
  const nothing = row.match_notes.find(({ code }) => code === 'NoAdvisories');
  return nothing && partlyScanned(nothing);
};
