/** Restores a backup into a new database, with a temporary login whose password only this function knows. */
import { randomBytes } from 'node:crypto';
import { loginName, type Databases, type DatabaseTarget } from '#ports/databases.ts';
import { copyIn, type RestoredRows, type RestoreSource } from './copy/copy-in.ts';

export const restoreInto = async (
  databases: Databases,
  target: DatabaseTarget,
  source: RestoreSource,
  signal: AbortSignal,
): Promise<RestoredRows> => {
  const password = randomBytes(24).toString('base64url');
  // Ends the session of an attempt whose platform was killed: pg_restore would go on with it.
  await databases.closeLogin(target, 'a');
  await databases.openLogin(target, 'a', password);
  try {
    const endpoint = await databases.endpoint(target.region);
    return await copyIn({ ...endpoint, database: target.database, user: loginName(target, 'a'), password }, source, signal);
  } finally {
    await databases.closeLogin(target, 'a').catch(() => {});
  }
};
