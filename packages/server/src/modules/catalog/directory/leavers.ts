/** Follows the directory: notes who left and who came back, and brings the entries of those people up to date. */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { notifyCredentials } from '#kernel/changes.ts';
import type { Directory, DirectoryPerson } from '#ports/directory.ts';
import type { Log } from '#ports/log.ts';
import { notifyLeft } from '../facts/entry-notices.ts';

const BATCH = 200;
/** A pass in which more people leave than this share is not believed: a directory that answers wrongly must not lock everybody out. */
const MOST_LEAVING = 0.2;
/** Fewer leavers are always believed. */
const FEW = 10;

interface Person extends DirectoryPerson {
  readonly left: boolean;
}
interface Changes {
  readonly left: readonly string[];
  readonly back: readonly string[];
}

/** Compares people with the directory. */
const changesOf = async (directory: Directory, people: readonly Person[]): Promise<Changes> => {
  const standings = await directory.standings(people);
  const ids = (isNow: (standing: string | undefined, person: Person) => boolean) =>
    people.filter((person) => isNow(standings.get(person.id), person)).map(({ id }) => id);
  return {
    left: ids((standing, { left }) => standing === 'left' && !left),
    back: ids((standing, { left }) => standing === 'active' && left),
  };
};

/** Applies changes. Entries of these people are evaluated anew, and the remaining owners get a notice. */
const apply = (db: Db, { left, back }: Changes): Promise<void> =>
  transaction(db, async (trx) => {
    const { rows } = await sql<{ id: string }>`update identity set left_at = case when id = any(${[...left]}::text[]) then now() end
      where id = any(${[...left, ...back]}::text[]) and (left_at is null) = (id = any(${[...left]}::text[])) returning id`.execute(trx);
    const changed = rows.map(({ id }) => id);
    if (changed.length === 0) return;
    // The table's trigger writes the facts that depend on active owners. A fixed order keeps two writers from a deadlock.
    await sql`update catalog_entry set name = name
      where id in (select id from catalog_entry where owners && ${changed}::text[] order by id for update)`.execute(trx);
    await notifyLeft(
      trx,
      changed.filter((id) => left.includes(id)),
    );
    await notifyCredentials(trx);
  });

/** Compares one person at once. */
export const followPerson = async (db: Db, directory: Directory, id: string): Promise<void> => {
  const { rows } = await sql<Person>`select id, subject, email, left_at is not null as left from identity
    where id = ${id} and type = 'USER'`.execute(db);
  await apply(db, await changesOf(directory, rows));
};

/** Compares all people. Returns false if the directory reports so many leavers that nothing was changed. */
export const followDirectory = async (db: Db, directory: Directory, log: Log): Promise<boolean> => {
  const all: { left: string[]; back: string[] } = { left: [], back: [] };
  let active = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const { rows }: { rows: Person[] } = await sql<Person>`select id, subject, email, left_at is not null as left from identity
      where type = 'USER' and id > ${after} order by id limit ${BATCH}`.execute(db);
    const { left, back } = await changesOf(directory, rows);
    all.left.push(...left);
    all.back.push(...back);
    active += rows.filter((person) => !person.left).length;
    after = rows.length === BATCH ? rows.at(-1)?.id : undefined;
  }
  if (all.left.length > Math.max(FEW, active * MOST_LEAVING)) {
    log.error({ leaving: all.left.length, active }, 'The directory reports too many leavers at once. Nobody was changed');
    return false;
  }
  for (let at = 0; at < Math.max(all.left.length, all.back.length); at += BATCH)
    await apply(db, { left: all.left.slice(at, at + BATCH), back: all.back.slice(at, at + BATCH) });
  return true;
};
