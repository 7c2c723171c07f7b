/** First-start content: a small catalog, and demo teams and apps created through the product's API. */
import type { Logger } from 'pino';
import type { Database, Db } from '#db/database.ts';
import { createToken } from '#kernel/auth/api-token.ts';
import type { Config } from '#kernel/config.ts';
import { seedDemoAdvisories } from '#modules/container-registry/index.ts';
import { demoScript } from './demo-script.ts';

const applications: readonly [id: string, name: string, description: string, platform: string][] = [
  ['MAC-10017', 'Berth Planner', 'Assigns arriving vessels to berths by length, draught and crane reach.', 'Terminal Operations'],
  ['MAC-10023', 'Crane Telemetry', 'Loads and alarms of the ship-to-shore cranes.', 'Terminal Operations'],
  ['MAC-10031', 'Vessel ETA', 'Predicts arrivals from positions, weather and port congestion.', 'Voyage Planning'],
  ['MAC-10044', 'Reefer Alerts', 'Watches the temperature of refrigerated containers.', 'Equipment Visibility'],
  ['MAC-10058', 'Demurrage Billing', 'Charges containers that stay beyond their free time.', 'Commercial Finance'],
  ['MAC-10062', 'Customs Declarations', 'Files import and export declarations.', 'Customs'],
  ['MAC-10071', 'Hazmat Manifest', 'Dangerous goods on board, by vessel and bay.', 'Cargo Safety'],
  ['MAC-10085', 'Gate Appointments', 'Books truck visits at the terminal gates.', 'Terminal Operations'],
];

/** Writes a small catalog, unless there is one. Approvers act as owners of its entries until somebody claims them. */
export const seedCatalog = async (db: Db): Promise<void> => {
  if (await db.selectFrom('catalog_entry').select('id').limit(1).executeTakeFirst()) return;
  const shared = { status: 'ACTIVE', created_by: 'system', modified_by: 'system', activated_at: new Date() } as const;
  const platforms = [...new Set(applications.map(([, , , platform]) => platform))];
  const platformId = (name: string): string => `PLT-${String(platforms.indexOf(name) + 1).padStart(4, '0')}`;
  const portfolio = { id: 'PFO-001', kind: 'portfolio', name: 'Ports and voyages', code: 'PAV', type: 'BUSINESS' } as const;
  const description = (name: string): string => `Applications of ${name}.`;
  await db
    .insertInto('catalog_entry')
    .values([
      { ...shared, ...portfolio, description: 'Terminals, vessels and what they carry.' },
      ...platforms.map((name) => ({
        ...shared,
        ...({ id: platformId(name), kind: 'platform', name, description: description(name), type: 'OPERATIONS' } as const),
        portfolio_id: portfolio.id,
      })),
      ...applications.map(([id, name, text, platform]) => ({
        ...shared,
        ...({ id, kind: 'application', name, description: text, platform_id: platformId(platform) } as const),
      })),
    ])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
};

/** Runs once, on an empty platform. Creates tokens for the demo people and revokes them afterwards. */
export const seedDemo = async ({ config, database, log }: { config: Config; database: Database; log: Logger }): Promise<void> => {
  const { db, pool } = database;
  // The lock keeps replicas from seeding at the same time. A platform with a team is already in use.
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ ok: boolean }>("select pg_try_advisory_lock(hashtext('slipway:demo')) as ok");
    if (!rows[0]?.ok) return;
    if (await db.selectFrom('team').select('id').limit(1).executeTakeFirst()) return;
    await seedDemoAdvisories(db);
    const expiresAt = new Date(Date.now() + 3_600_000);
    const tokenFor = async (identityId: string): Promise<string> =>
      (
        await createToken(pool, {
          identityId,
          name: 'Demo seed',
          scopes: ['read', 'write', 'git', 'registry'],
          expiresAt,
          parentId: undefined,
        })
      ).token;
    try {
      await demoScript(config.internalUrl, tokenFor, log);
    } finally {
      await pool.query("delete from api_token where name = 'Demo seed'");
    }
  } finally {
    await client.query("select pg_advisory_unlock(hashtext('slipway:demo'))").catch(() => undefined);
    client.release();
  }
};
