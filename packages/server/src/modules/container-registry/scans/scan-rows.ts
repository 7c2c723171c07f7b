/** A row of `image_scan` as the API shows it. */
import type { ScanSummary } from '@slipway/contract/registry/scan.ts';
import { notScanned } from '@slipway/contract/registry/scan.ts';
import type { Selectable } from 'kysely';
import type { Db } from '#db/database.ts';
import type { ImageScanTable } from '#db/types.ts';

export type ScanRow = Selectable<ImageScanTable>;

const resultOf = (row: ScanRow): ScanSummary['result'] => {
  if (row.scanned_at === null || row.scanner === null || row.counts === null) return null;
  return {
    scannedAt: row.scanned_at.toISOString(),
    scanner: row.scanner,
    advisories: row.advisories ?? [],
    counts: row.counts,
    fixable: row.fixable ?? 0,
    packages: row.package_count,
    platforms: row.platforms,
    notes: [...row.read_notes, ...row.match_notes],
  };
};

/** Returns the state to show. While a failed scan waits for its retry, the previous result stays, or the image counts as not scanned. */
const stateOf = ({ state, reason, scanned_at: scannedAt }: ScanRow): ScanSummary['state'] => {
  if (state !== 'QUEUED' || reason === null) return state;
  return scannedAt === null ? 'NOT_SCANNED' : 'COMPLETED';
};

export const toSummary = (row: ScanRow): ScanSummary => ({
  state: stateOf(row),
  since: row.since.toISOString(),
  reason: row.reason,
  nextTryAt: row.state === 'QUEUED' && row.reason !== null ? (row.due_at?.toISOString() ?? null) : null,
  result: resultOf(row),
});

export const scanOf = async (db: Db, digest: string): Promise<ScanSummary> => {
  const row = await db.selectFrom('image_scan').selectAll().where('digest', '=', digest).executeTakeFirst();
  return row ? toSummary(row) : notScanned;
};

/** Returns the scans of many images by digest. Omits images without a scan, which callers show as `notScanned`. */
export const scansOf = async (db: Db, digests: readonly string[]): Promise<ReadonlyMap<string, ScanSummary>> => {
  if (digests.length === 0) return new Map();
  const rows = await db.selectFrom('image_scan').selectAll().where('digest', 'in', digests).execute();
  return new Map(rows.map((row) => [row.digest, toSummary(row)]));
};
