/**
 * A few advisories that ship, so that a scan of the demo shows something: records of the GitHub Advisory Database (CC-BY 4.0), shortened to
 * what is read of them. No image is clean by them.
 */
import { fileURLToPath } from 'node:url';
import type { Db } from '#db/database.ts';
import { filesAt } from './advisory-files.ts';
import { importAdvisories } from './import-advisories.ts';

const FILE = fileURLToPath(new URL('./demo-advisories.json', import.meta.url));
const NAME = 'demo';

/** Once, on a platform without any. */
export const seedDemoAdvisories = async (db: Db): Promise<void> => {
  if (await db.selectFrom('advisory_set').select('name').limit(1).executeTakeFirst()) return;
  const by = { id: 'platform', displayName: 'Slipway', origin: 'platform' as const };
  await importAdvisories(db, () => filesAt(FILE), { set: NAME, title: 'Demo set (GitHub Advisory Database, CC-BY 4.0)', isDemo: true, by });
};
