/** Routes of advisory sets for administrators: list, import over HTTP, delete. */
import { Buffer } from 'node:buffer';
import { advisorySetDelete, advisorySetImport, advisorySetList, maxAdvisoryUploadKilobytes } from '@slipway/contract/registry/advisory.ts';
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { Scanner } from '#ports/scanner.ts';
import { countWaitingScans } from '../scans/rematch-scans.ts';
import { advisorySets, raiseVersion } from './advisories.sql.ts';
import { filesOfBytes, NoAdvisories, TooManyAdvisories, type FileLimits } from './advisory-files.ts';
import { importAdvisories } from './import-advisories.ts';

/** Limits of an import over HTTP, which the platform unpacks while it serves other requests. */
const uploadLimits: FileLimits = { files: 50_000, fileBytes: 8 << 20, bytes: 1 << 30 };

const problemOf = (error: unknown): unknown => {
  if (error instanceof NoAdvisories) return new Problem('AdvisoriesInvalid', { context: { reason: error.message } });
  if (error instanceof TooManyAdvisories)
    return new Problem('AdvisoriesTooLarge', { context: { limit: `${maxAdvisoryUploadKilobytes / 1024} MB` } });
  return error;
};

/** Returns the body's bytes. Serializes JSON bodies again, because they are already parsed and small. */
const bytesOf = (body: unknown): Buffer => (Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body ?? null)));

export const advisoryRoutes = (db: Db, scanner: Scanner): Handler[] => [
  handle(advisorySetList, async () => ({
    scanner: { kind: scanner.kind, ...(await scanner.info()) },
    sets: await advisorySets(db),
    waiting: await countWaitingScans({ db }),
  })),
  handle(advisorySetImport, async ({ query: { set }, body, caller }) => {
    const bytes = bytesOf(body);
    try {
      return await importAdvisories(db, () => filesOfBytes(bytes, set, uploadLimits), { set, title: set, by: caller });
    } catch (error) {
      throw problemOf(error);
    }
  }),
  handle(advisorySetDelete, async ({ params: { set }, caller }) => {
    await transaction(db, async (trx) => {
      await sql`set local statement_timeout = '5min'`.execute(trx);
      const gone = await trx.deleteFrom('advisory_set').where('name', '=', set).returning(['name', 'entries']).executeTakeFirst();
      if (!gone) throw new Problem('MISSING_RESOURCE');
      await raiseVersion(trx);
      await recordWrite(trx, caller, {
        type: advisorySetDelete.id,
        reason: 'Deleted',
        message: `${caller.displayName} deleted the advisories ${set}`,
        before: { set, entries: gone.entries },
      });
    });
  }),
];
