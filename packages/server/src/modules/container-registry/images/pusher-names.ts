/** Display names of pushers. */
import type * as z from 'zod/mini';
import type { Pusher } from '@slipway/contract/registry/images.ts';
import type { Db } from '#db/database.ts';

type Shown = z.infer<typeof Pusher>;

/** Returns a lookup by the name that the registry stores: an identity's id, a robot account's user name, or `platform`. */
export const pushersOf = async (db: Db, names: readonly (string | null)[]): Promise<(name: string | null) => Shown> => {
  const ids = [...new Set(names)].filter((name) => name !== null && !name.startsWith('robot$'));
  const rows = ids.length === 0 ? [] : await db.selectFrom('identity').select(['id', 'display_name']).where('id', 'in', ids).execute();
  const known = new Map(rows.map((row) => [row.id, row.display_name]));
  return (name) => {
    if (name === null) return { kind: 'UNKNOWN', id: '', displayName: '' };
    // `robot$berth+ci` is shown as `ci`.
    if (name.startsWith('robot$')) return { kind: 'ROBOT', id: name, displayName: name.slice(name.indexOf('+') + 1) };
    if (name === 'platform') return { kind: 'PLATFORM', id: name, displayName: 'Slipway' };
    return { kind: 'IDENTITY', id: name, displayName: known.get(name) ?? name };
  };
};
