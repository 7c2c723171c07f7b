/** Pages of what a scan found, and the overview of a project. */
import { isCveExpired, type AllowedCve } from '@slipway/contract/registry/policy.ts';
import {
  scanOutcome,
  scanOutcomes,
  type ImagePackage,
  type imagePackageList,
  type imageVulnerabilityList,
  type ScanOverview,
  type Vulnerability,
} from '@slipway/contract/registry/scan.ts';
import { noCounts, severities, worstOf, type Severity } from '@slipway/contract/registry/severity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { QueryOf } from '@slipway/contract/kernel/kernel.ts';
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { countTotal, likeOf, pageOf } from '#kernel/page.ts';
import { Finding } from '../advisories/finding.ts';
import { toSummary } from './scan-rows.ts';

const toVulnerability = (entry: unknown, allowed: readonly AllowedCve[]): Vulnerability => {
  const finding = Finding.parse(entry);
  const names = new Set([finding.id, ...finding.aliases]);
  return { ...finding, allowed: allowed.find(({ cveId }) => names.has(cveId)) ?? null };
};

export const inForce = (allowed: readonly AllowedCve[], now: Date): AllowedCve[] => allowed.filter((cve) => !isCveExpired(cve, now));

export const vulnerabilityPage = async (
  db: Db,
  digest: string,
  query: QueryOf<typeof imageVulnerabilityList>,
  allowed: readonly AllowedCve[],
): Promise<Page<Vulnerability>> => {
  const ids = allowed.map(({ cveId }) => cveId);
  let rows = db.selectFrom('image_vulnerability').where('digest', '=', digest);
  if (query.severity) rows = rows.where('severity', '=', query.severity);
  if (query.fixable !== undefined) rows = rows.where('is_fixable', '=', query.fixable);
  if (query.allowed !== undefined) rows = rows.where(sql<boolean>`(ids && ${ids}::text[]) = ${query.allowed}`);
  if (query.query) {
    const pattern = likeOf(query.query);
    rows = rows.where((row) =>
      row.or([
        row('package', 'ilike', pattern),
        sql<boolean>`array_to_string(ids, ' ') ilike ${pattern}`,
        sql<boolean>`entry ->> 'title' ilike ${pattern}`,
      ]),
    );
  }
  const [total, found] = await Promise.all([
    countTotal(db, rows.select('number')),
    rows
      .select('entry')
      .orderBy('number')
      .offset(query.page * query.size)
      .limit(query.size)
      .execute(),
  ]);
  return pageOf(
    found.map(({ entry }) => toVulnerability(entry, allowed)),
    total,
    query,
  );
};

export const packagePage = async (db: Db, digest: string, query: QueryOf<typeof imagePackageList>): Promise<Page<ImagePackage>> => {
  let rows = db.selectFrom('image_package').where('digest', '=', digest);
  if (query.ecosystem) rows = rows.where('ecosystem', '=', query.ecosystem);
  if (query.query) {
    const pattern = likeOf(query.query);
    rows = rows.where((row) => row.or([row('name', 'ilike', pattern), row('path', 'ilike', pattern)]));
  }
  const [total, found] = await Promise.all([
    countTotal(db, rows.select('number')),
    rows
      .select(['ecosystem', 'name', 'version', 'purl', 'path', 'layer', 'platforms', 'vulnerabilities', 'worst'])
      .orderBy('number')
      .offset(query.page * query.size)
      .limit(query.size)
      .execute(),
  ]);
  return pageOf(found, total, query);
};

const isSeverity = (word: string): word is Severity => severities.some((severity) => severity === word);

/** So many images would be stopped for the worst that is not allowed in them: a policy that begins lower stops those of higher ones, too. */
const stopped = async (db: Db, project: string, allowed: readonly string[]): Promise<ScanOverview['stopped']> => {
  const { rows } = await sql<{ worst: string; images: number }>`
    select worst, count(*)::integer as images from (
      select (array_agg(severity order by number))[1] as worst from image_vulnerability
      where digest in (select digest from image_scan_place where project = ${project}) and not (ids && ${allowed}::text[])
      group by digest) as worst_of_each
    group by worst`.execute(db);
  const counts = { ...noCounts };
  let sum = 0;
  for (const severity of severities) {
    sum += rows.filter(({ worst }) => isSeverity(worst) && worst === severity).reduce((all, { images }) => all + images, 0);
    counts[severity] = sum;
  }
  return counts;
};

export const scanOverview = async (db: Db, project: string, allowed: readonly AllowedCve[]): Promise<ScanOverview> => {
  const rows = await db
    .selectFrom('image_scan')
    .selectAll()
    .where('digest', 'in', (places) => places.selectFrom('image_scan_place').select('digest').where('project', '=', project))
    .execute();
  const outcomes: ScanOverview['outcomes'] = { NOT_SCANNED: 0, QUEUED: 0, SCANNING: 0, FAILED: 0, FOUND: 0, PARTLY: 0, NOTHING_FOUND: 0 };
  const worst = { ...noCounts };
  for (const row of rows) {
    const summary = toSummary(row);
    const outcome = scanOutcomes.find((word) => word === scanOutcome(summary)) ?? 'NOT_SCANNED';
    outcomes[outcome] += 1;
    const severity = summary.result && worstOf(summary.result.counts);
    if (severity) worst[severity] += 1;
  }
  const ids = allowed.map(({ cveId }) => cveId);
  return { images: rows.length, outcomes, worst, stopped: await stopped(db, project, ids) };
};
