/** Imports a set of advisories: all of it takes the place of the set of before in one transaction, or nothing does. */
import type { Activity } from '@slipway/contract/activity.ts';
import { advisorySetImport, type AdvisorySet } from '@slipway/contract/registry/advisory.ts';
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { type AdvisoryFile, NoAdvisories } from './advisory-files.ts';
import { raiseVersion, toAdvisorySet } from './advisories.sql.ts';
import { readAdvisory, type Advisory } from './osv.ts';

export interface ImportOptions {
  readonly set: string;
  readonly title: string;
  readonly isDemo?: boolean;
  readonly by: Pick<Caller, 'id' | 'displayName'> & { readonly origin: Activity['origin'] };
}

const BATCH = 500;
const REFUSALS = 10;

/** Records of a file: one, or a list of them. */
function* recordsOf({ text }: AdvisoryFile): Generator<Advisory | string> {
  if (text === undefined) return yield 'it is larger than any advisory';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return yield 'it is no JSON';
  }
  for (const one of Array.isArray(value) ? value : [value]) yield readAdvisory(one);
}

/** Counts while it passes rows on. */
class Tally {
  entries = 0;
  withdrawn = 0;
  refused = 0;
  readonly refusals: { file: string; reason: string }[] = [];
  readonly ecosystems = new Map<string, number>();
  asOf = new Date(0);

  refuse(file: string, reason: string): void {
    this.refused += 1;
    if (this.refusals.length < REFUSALS) this.refusals.push({ file: file.slice(-200).toWellFormed().replaceAll('\0', ''), reason });
  }

  take(advisory: Advisory): void {
    if (advisory.modified > this.asOf) this.asOf = advisory.modified;
    this.entries += 1;
    for (const ecosystem of new Set(advisory.packages.map((one) => one.ecosystem)))
      this.ecosystems.set(ecosystem, (this.ecosystems.get(ecosystem) ?? 0) + 1);
  }
}

interface Row {
  readonly ecosystem: string;
  readonly package: string;
  readonly id: string;
  readonly entry: Advisory['packages'][number]['entry'];
}

const insertRows = async (trx: Db, set: string, rows: readonly Row[]): Promise<void> => {
  await sql`
    insert into advisory (set_name, ecosystem, package, id, entry)
    select ${set}, ecosystem, package, id, entry
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (ecosystem text, package text, id text, entry jsonb)
    on conflict (ecosystem, package, id, set_name) do update set entry = excluded.entry`.execute(trx);
};

const readAll = async (trx: Db, set: string, files: AsyncIterable<AdvisoryFile>): Promise<Tally> => {
  const tally = new Tally();
  let rows: Row[] = [];
  for await (const file of files) {
    for (const advisory of recordsOf(file)) {
      if (typeof advisory === 'string') tally.refuse(file.name, advisory);
      else if (advisory.isWithdrawn) tally.withdrawn += 1;
      else if (advisory.packages.length > 0) {
        tally.take(advisory);
        for (const { ecosystem, name, entry } of advisory.packages) rows.push({ ecosystem, package: name, id: advisory.id, entry });
      }
      if (rows.length < BATCH) continue;
      await insertRows(trx, set, rows);
      rows = [];
    }
  }
  if (rows.length > 0) await insertRows(trx, set, rows);
  return tally;
};

/** Throws NoAdvisories where there is not one that could be read. */
export const importAdvisories = (db: Db, files: () => AsyncIterable<AdvisoryFile>, options: ImportOptions): Promise<AdvisorySet> =>
  transaction(db, async (trx) => {
    const { set, title, isDemo = false, by } = options;
    // Reading may take longer than a statement or a pause in a transaction usually may.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await trx.deleteFrom('advisory_set').where('name', '=', set).execute();
    const empty = { entries: 0, withdrawn: 0, refused: 0, refusals: '[]', ecosystems: '[]' };
    const begun = { name: set, title, is_demo: isDemo, as_of: new Date(0), imported_at: new Date(), imported_by: by.displayName };
    await trx
      .insertInto('advisory_set')
      .values({ ...begun, ...empty })
      .execute();
    const tally = await readAll(trx, set, files());
    if (tally.entries === 0) {
      const [first] = tally.refusals;
      throw new NoAdvisories(first ? `${first.file}: ${first.reason}` : 'none of an ecosystem that is known here');
    }
    const { entries, withdrawn, refused, refusals, asOf } = tally;
    const ecosystems = [...tally.ecosystems]
      .map(([ecosystem, count]) => ({ ecosystem, entries: count }))
      .toSorted((a, b) => b.entries - a.entries);
    const row = await trx
      .updateTable('advisory_set')
      .set({ entries, withdrawn, refused, as_of: asOf, refusals: JSON.stringify(refusals), ecosystems: JSON.stringify(ecosystems) })
      .where('name', '=', set)
      .returningAll()
      .executeTakeFirstOrThrow();
    await raiseVersion(trx);
    const made = toAdvisorySet(row);
    await recordWrite(trx, by, {
      type: advisorySetImport.id,
      reason: 'AdvisoriesImported',
      message: `${by.displayName} imported ${entries} advisories as ${set}`,
      after: { set, entries, withdrawn, refused, asOf: made.asOf },
    });
    return made;
  });
