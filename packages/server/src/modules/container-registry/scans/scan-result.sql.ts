/** Writes the result of a scan as rows: packages and vulnerabilities, worst first. */
import type { ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import type { AdvisoriesUsed } from '@slipway/contract/registry/scan.ts';
import { noCounts, severities, type Severity, type SeverityCounts } from '@slipway/contract/registry/severity.ts';
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import type { FoundPackage, ScannerInfo } from '#ports/scanner.ts';
import type { Finding } from '../advisories/finding.ts';

export interface ScanResult {
  readonly scanner: ScannerInfo;
  readonly advisories: readonly AdvisoriesUsed[];
  /** Null for an outside scanner, because its results do not depend on imported advisories. */
  readonly matchedVersion: number | null;
  readonly platforms: readonly string[];
  readonly parts: readonly string[];
  readonly packages: readonly FoundPackage[] | null;
  readonly findings: readonly Finding[];
  readonly readNotes: readonly ScanNote[];
  readonly matchNotes: readonly ScanNote[];
}

const BATCH = 2000;
/** Raised when the built-in scanner reads more than before: images with results of a lower number are scanned once more. */
export const READER = 1;

/** Returns the key that matches a package with its findings. */
const keyOf = (ecosystem: string, name: string, version: string, path: string | null): string =>
  JSON.stringify([ecosystem, name, version, path]);
const rankOf = (worst: Severity | null): number => (worst === null ? severities.length : severities.indexOf(worst));

const packageRows = (packages: readonly FoundPackage[], findings: readonly Finding[]) => {
  const own = Map.groupBy(findings, (one) => keyOf(one.ecosystem, one.package, one.installed, one.path));
  return packages
    .map((found) => {
      const known = own.get(keyOf(found.ecosystem, found.name, found.version, found.path)) ?? [];
      const { source, ...rest } = found;
      return {
        ...rest,
        source_name: source?.name ?? null,
        source_version: source?.version ?? null,
        vulnerabilities: known.length,
        // Findings come with the worst first.
        worst: known[0]?.severity ?? null,
      };
    })
    .toSorted(
      (a, b) =>
        rankOf(a.worst) - rankOf(b.worst) || b.vulnerabilities - a.vulnerabilities || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
    )
    .map((row, number) => ({ ...row, number }));
};

const vulnerabilityRows = (findings: readonly Finding[]) =>
  findings.map((entry, number) => ({
    number,
    ids: [...new Set([entry.id, ...entry.aliases])],
    severity: entry.severity,
    is_fixable: entry.fixedIn !== null,
    package: entry.package,
    entry,
  }));

const insertPackages = async (trx: Db, digest: string, rows: ReturnType<typeof packageRows>): Promise<void> => {
  for (let at = 0; at < rows.length; at += BATCH)
    await sql`
      insert into image_package (digest, number, ecosystem, name, version, source_name, source_version, purl, path, layer, platforms, vulnerabilities, worst)
      select ${digest}, number, ecosystem, name, version, source_name, source_version, purl, path, layer, platforms, vulnerabilities, worst
      from jsonb_to_recordset(${JSON.stringify(rows.slice(at, at + BATCH))}::jsonb) as row (number integer, ecosystem text, name text, version text,
        source_name text, source_version text, purl text, path text, layer text, platforms text[], vulnerabilities integer, worst text)`.execute(
      trx,
    );
};

const insertVulnerabilities = async (trx: Db, digest: string, rows: ReturnType<typeof vulnerabilityRows>): Promise<void> => {
  for (let at = 0; at < rows.length; at += BATCH)
    await sql`
      insert into image_vulnerability (digest, number, ids, severity, is_fixable, package, entry)
      select ${digest}, number, ids, severity, is_fixable, package, entry
      from jsonb_to_recordset(${JSON.stringify(rows.slice(at, at + BATCH))}::jsonb)
        as row (number integer, ids text[], severity text, is_fixable boolean, package text, entry jsonb)`.execute(trx);
};

const countsOf = (findings: readonly Finding[]): SeverityCounts => {
  const counts = { ...noCounts };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
};

const json = (value: unknown): string => JSON.stringify(value);

/** Replaces the previous result. The caller must have locked the row. */
export const writeFindings = async (
  trx: Db,
  digest: string,
  {
    packages,
    findings,
    advisories,
    matchedVersion,
    matchNotes,
  }: Pick<ScanResult, 'packages' | 'findings' | 'advisories' | 'matchedVersion' | 'matchNotes'>,
): Promise<SeverityCounts> => {
  await trx.deleteFrom('image_package').where('digest', '=', digest).execute();
  await trx.deleteFrom('image_vulnerability').where('digest', '=', digest).execute();
  await insertPackages(trx, digest, packageRows(packages ?? [], findings));
  await insertVulnerabilities(trx, digest, vulnerabilityRows(findings));
  const counts = countsOf(findings);
  await trx
    .updateTable('image_scan')
    .set({
      advisories: json(advisories),
      matched_version: matchedVersion,
      counts: json(counts),
      fixable: findings.filter(({ fixedIn }) => fixedIn !== null).length,
      package_count: packages?.length ?? null,
      match_notes: json(matchNotes),
    })
    .where('digest', '=', digest)
    .execute();
  return counts;
};

/** Completes the scan. Returns undefined if another replica has taken over the scan, because that replica's result counts. */
export const completeScan = async (
  trx: Db,
  { digest, owner, renewSeconds }: { digest: string; owner: string; renewSeconds: number | null },
  result: ScanResult,
): Promise<SeverityCounts | undefined> => {
  const row = await trx
    .updateTable('image_scan')
    .set({
      state: 'COMPLETED',
      since: sql<Date>`now()`,
      scanned_at: sql<Date>`now()`,
      reason: null,
      tries: 0,
      due_at: null,
      owner: null,
      lease_until: null,
      renew_at: renewSeconds === null ? null : sql<Date>`now() + make_interval(secs => ${renewSeconds})`,
      reader: READER,
      scanner: json(result.scanner),
      platforms: [...result.platforms],
      parts: [...result.parts],
      read_notes: json(result.readNotes),
    })
    .where('digest', '=', digest)
    .where('owner', '=', owner)
    .where('state', '=', 'SCANNING')
    .returning('digest')
    .executeTakeFirst();
  return row && writeFindings(trx, digest, result);
};

/** Returns the packages in the order of the scan. */
export const foundPackages = async (db: Db, digest: string): Promise<FoundPackage[]> => {
  const rows = await db.selectFrom('image_package').selectAll().where('digest', '=', digest).orderBy('number').execute();
  return rows.map(({ source_name: name, source_version: version, ...row }) => ({
    ecosystem: row.ecosystem,
    name: row.name,
    version: row.version,
    source: name === null || version === null ? null : { name, version },
    purl: row.purl,
    path: row.path,
    layer: row.layer,
    platforms: row.platforms,
  }));
};
