/** Runs one scan: calls the scanners, compares packages with advisories, writes the result, and retries or ends failed scans. */
import { scanNote, type ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import type { SeverityCounts } from '@slipway/contract/registry/severity.ts';
import { transaction, type Db } from '#db/database.ts';
import { isPortFailure, PortFailure } from '#ports/failure.ts';
import type { FoundPackage, FoundVulnerability, ImageToScan, Scanner, ScanReport } from '#ports/scanner.ts';
import { advisoryVersion } from '../advisories/advisories.sql.ts';
import type { Finding } from '../advisories/finding.ts';
import { matchPackages } from '../advisories/match.ts';
import { endScan, forgetPlace, notifyScan, placesOf, type Ending } from './scan-queue.sql.ts';
import { completeScan, type ScanResult } from './scan-result.sql.ts';

/** End of an image's scan, for one repository that has the image. */
export interface ScanEvent {
  readonly type: 'SCANNING_COMPLETED' | 'SCANNING_FAILED';
  readonly repository: string;
  readonly digest: string;
  readonly counts: SeverityCounts | null;
  readonly reason: ScanNote | null;
}
export interface ScanDeps {
  readonly db: Db;
  /** Lists packages. */
  readonly scanner: Scanner;
  /** Reports vulnerabilities instead of the platform's own advisories. */
  readonly outsideScanner?: Scanner | undefined;
  /** Called in the transaction that ends the scan, once per repository that has the image. */
  readonly emit: (trx: Db, event: ScanEvent) => Promise<void>;
}
export interface TakenScan {
  readonly digest: string;
  readonly owner: string;
  readonly tries: number;
}

/** Delays before each retry while a scanner is unavailable. Scans interrupted by a dying replica get the same number of retries. */
const RETRY_SECONDS = [60, 300, 1800, 7200] as const;
const RENEW_SECONDS = 24 * 3600;

/** Adds the location from the package list, because the outside scanner may report only the package's name. */
const toFinding = (found: FoundVulnerability, packages: readonly FoundPackage[]): Finding => {
  const own = packages.find(({ name, version }) => name === found.package && version === found.installed);
  return {
    ...found,
    aliases: [found.id],
    ecosystem: own?.ecosystem ?? '',
    path: own?.path ?? null,
    layer: own?.layer ?? null,
    platforms: [...(own?.platforms ?? [])],
  };
};

const none: ScanReport = { platforms: [], parts: [], packages: null, vulnerabilities: null, notes: [] };

/** Lists packages for the UI and the SBOM. Returns an empty report for unreadable images, so the outside scanner still gets its turn. */
const listed = async (scanner: Scanner, image: ImageToScan, signal: AbortSignal): Promise<ScanReport> => {
  try {
    return await scanner.scan(image, signal);
  } catch (error) {
    if (!isPortFailure(error, 'rejected') || error.code === 'NotAnImage') throw error;
    return none;
  }
};

const resultOf = async ({ db, scanner, outsideScanner }: ScanDeps, image: ImageToScan, signal: AbortSignal): Promise<ScanResult> => {
  if (outsideScanner) {
    const own = await listed(scanner, image, signal);
    const report = await outsideScanner.scan(image, signal);
    const findings = (report.vulnerabilities ?? []).map((found) => toFinding(found, own.packages ?? []));
    const { platforms, parts, packages } = own;
    const unmatched = { advisories: [], matchedVersion: null, matchNotes: [] };
    return { scanner: await outsideScanner.info(), platforms, parts, packages, findings, readNotes: report.notes, ...unmatched };
  }
  const report = await scanner.scan(image, signal);
  // Read before the comparison: advisories imported during the comparison trigger another one.
  const matchedVersion = await advisoryVersion(db);
  const packages = report.packages ?? [];
  const { findings, notes, advisories } = await matchPackages(db, packages);
  const { platforms, parts } = report;
  return {
    scanner: await scanner.info(),
    platforms,
    parts,
    packages,
    findings,
    advisories,
    matchedVersion,
    readNotes: report.notes,
    matchNotes: notes,
  };
};

const retry = (tries: number, reason: ScanNote): Ending => {
  const afterSeconds = RETRY_SECONDS[tries - 1];
  return afterSeconds === undefined ? { state: 'FAILED', reason } : { state: 'QUEUED', reason, afterSeconds };
};

/** Returns how a failed scan ends, or undefined if the error is not an expected scan failure. */
const endingOf = (error: unknown, tries: number): Ending | undefined => {
  if (!(error instanceof PortFailure)) return undefined;
  const { kind, code, context, message } = error;
  if (kind === 'unavailable') return retry(tries, scanNote('ScannerUnavailable'));
  if (kind === 'notFound') return { state: 'FAILED', reason: scanNote('ImageGone') };
  if (code === 'NotAnImage') return { state: 'NOT_SCANNED', reason: scanNote('NotAnImage', { mediaType: context['mediaType'] ?? '' }) };
  const reason = context['reason'] ?? message;
  return { state: 'FAILED', reason: scanNote(code === 'ScannerFailed' ? 'ScannerFailed' : 'ImageUnreadable', { reason }) };
};

const emitAll = async (
  { emit }: ScanDeps,
  trx: Db,
  digest: string,
  event: Pick<ScanEvent, 'type' | 'counts' | 'reason'>,
): Promise<void> => {
  for (const repository of await placesOf(trx, digest)) await emit(trx, { ...event, repository, digest });
};

const end = (deps: ScanDeps, scan: TakenScan, ending: Ending): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const isEnded = await endScan(trx, scan, ending);
    const { reason } = ending;
    if (isEnded && ending.state === 'FAILED') await emitAll(deps, trx, scan.digest, { type: 'SCANNING_FAILED', counts: null, reason });
  });

const complete = (deps: ScanDeps, { digest, owner }: TakenScan, result: ScanResult): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const renewSeconds = deps.outsideScanner ? RENEW_SECONDS : null;
    const counts = await completeScan(trx, { digest, owner, renewSeconds }, result);
    if (!counts) return;
    await emitAll(deps, trx, digest, { type: 'SCANNING_COMPLETED', counts, reason: null });
    await notifyScan(trx, digest);
  });

/** Runs the scan. Throws only unexpected errors. The lease then expires, and the scan is retried. */
export const scanImage = async (deps: ScanDeps, scan: TakenScan, signal: AbortSignal): Promise<void> => {
  const { digest, tries } = scan;
  if (tries > RETRY_SECONDS.length + 1)
    return end(deps, scan, { state: 'FAILED', reason: scanNote('ScanInterrupted', { times: String(tries - 1) }) });
  const [repository] = await placesOf(deps.db, digest);
  if (repository === undefined) return end(deps, scan, { state: 'FAILED', reason: scanNote('ImageGone') });
  try {
    signal.throwIfAborted();
    await complete(deps, scan, await resultOf(deps, { repository, digest }, signal));
  } catch (error) {
    if (signal.aborted) return end(deps, scan, { state: 'QUEUED', reason: null, isUncounted: true });
    if (isPortFailure(error, 'notFound')) {
      // Another repository may still have it.
      await forgetPlace(deps.db, { digest, repository });
      if ((await placesOf(deps.db, digest)).length > 0) return end(deps, scan, { state: 'QUEUED', reason: null, isUncounted: true });
    }
    const ending = endingOf(error, tries);
    if (!ending) throw error;
    await end(deps, scan, ending);
  }
};
