/** Routes of the keys: their state, and a rotation. */
import { keyRotationCreate, keyStatusView, type KeyStatus } from '@slipway/contract/keys.ts';
import { transaction, type Db } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { AreaOf } from '#modules/resources/index.ts';
import type { Keys } from '#ports/keys.ts';
import { keyRotator } from './key-rotator.ts';
import { latestRotation, remaining, runningRotation, wrapCounts } from './keys.sql.ts';

const statusOf = async (db: Db, keys: Keys): Promise<KeyStatus> => {
  const currentKid = await keys.currentKid();
  const counts = await wrapCounts(db);
  const all = counts.some(({ kid }) => kid === currentKid) ? counts : [...counts, { kid: currentKid, wraps: 0 }];
  const kids = all.map(({ kid, wraps }) => ({ kid, wraps, isCurrent: kid === currentKid }));
  return { kind: keys.kind, currentKid, kids, rotation: await latestRotation(db) };
};

const startRotation = async (db: Db, keys: Keys, caller: Caller): Promise<void> => {
  if (await runningRotation(db)) throw new Problem('KeyRotationRunning');
  const kid = await keys.rotate();
  const total = await remaining(db, kid);
  await transaction(db, async (trx) => {
    const row = await trx
      .insertInto('key_rotation')
      .values({ id: newId('rot'), kid, total, started_by: caller.id, started_by_name: caller.displayName })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    // Another rotation started first. It will use the newest key, which is ours.
    if (!row) throw new Problem('KeyRotationRunning');
    await recordWrite(trx, caller, {
      type: 'keyRotationCreate',
      reason: 'Rotated',
      message: `${caller.displayName} made the key ${kid}; ${total} wrapped keys move to it`,
      after: { kid, total },
    });
  });
};

const keyRoutes = (db: Db, keys: Keys, onStarted: () => void): Handler[] => [
  handle(keyStatusView, () => statusOf(db, keys)),
  handle(
    keyRotationCreate,
    async (c) => {
      await startRotation(db, keys, c.caller);
      onStarted();
      return statusOf(db, keys);
    },
    () => statusOf(db, keys),
  ),
];

export const keyArea: AreaOf = ({ database: { db, pool }, adapters: { keys }, isWorker, log }) => {
  const rotator = keyRotator({ db, keys, log }, pool);
  return { routes: keyRoutes(db, keys, () => (isWorker ? rotator.wake() : undefined)), tasks: [rotator] };
};
