/** Scans of images as an area: routes, the worker that carries them out, and pushes that ask for one. */
import { transaction } from '#db/database.ts';
import type { AreaContext, Area } from '#modules/resources/index.ts';
import { advisoryRoutes } from '../advisories/advisory.routes.ts';
import { announceScan } from './announce-scan.ts';
import { queueScan, turns } from './scan-queue.sql.ts';
import { scanRoutes } from './scan.routes.ts';
import { isScanned } from './scan-sweeps.ts';
import { scanTimings, ScanWorker, type ScanTimings } from './scan-worker.ts';

export interface ScanOptions {
  readonly scanTimings?: Partial<ScanTimings>;
}

export const scanArea = (context: AreaContext & ScanOptions): Area => {
  const { database, adapters, isWorker, replica, log } = context;
  const { db } = database;
  const { registry, scanner, outsideScanner } = adapters;
  const timings = { ...scanTimings, ...context.scanTimings };
  const worker = new ScanWorker({
    db,
    scanner,
    outsideScanner,
    emit: (trx, event) => announceScan(trx, registry, event),
    registry,
    replica,
    timings,
    log,
  });
  let stopListening = (): void => undefined;
  const pushed = ({ repository, digest }: { repository: string; digest: string }): void => {
    if (!isScanned(repository)) return;
    const wish = { turn: turns.pushed, isAgain: false, afterSeconds: timings.pushSeconds };
    // A sweep finds it otherwise.
    transaction(db, (trx) => queueScan(trx, { repository, digest }, wish)).catch((error: unknown) =>
      log.warn({ err: error, repository }, 'A pushed image could not be queued for its scan; trying again'),
    );
  };
  return {
    routes: [
      ...scanRoutes({ db, registry, onAsked: () => (isWorker ? worker.look() : undefined) }),
      ...advisoryRoutes(db, outsideScanner ?? scanner),
    ],
    tasks: [worker],
    foundations: [{ start: () => void (stopListening = registry.onPush(pushed)), stop: async () => stopListening() }],
    adapters: [scanner, ...(outsideScanner ? [outsideScanner] : [])],
  };
};
