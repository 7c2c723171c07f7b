/** Settings stored before outgoing traffic existed: nothing is opened automatically, and later choices stay. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newServiceSpec, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { migrationsDirectory } from '#db/migrator.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase } from '#testing/database.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';

test('services and revisions of before have none', async () => {
  const { db, drop, pool } = await testDatabase();
  try {
    await seedPeople(db);
    await seedApp(db, { id: 'berth' });
    const serviceId = await seedService(db, { app: 'berth' });
    await seedRevision(db, { serviceId, service: 'berth', number: 1 });
    const outgoingTraffic: ServiceSpec['outgoingTraffic'] = { type: 'LISTED', hosts: ['api.example.com'] };
    await seedService(db, { app: 'berth', name: 'berth-new', change: (spec) => ({ ...spec, outgoingTraffic }) });
    await pool.query(`update service set spec = spec - 'outgoingTraffic' where name = 'berth'`);
    await pool.query(`update revision set spec = spec - 'outgoingTraffic'`);
    await pool.query(readFileSync(join(migrationsDirectory, '0015_outgoing_traffic.sql'), 'utf8'));
    const { rows } = await pool.query<{ spec: unknown }>('select spec from service union all select spec from revision');
    const found = rows.map(({ spec }) => ServiceSpec.parse(spec).outgoingTraffic);
    expect(found).toHaveLength(3);
    expect(found.filter(({ type }) => type === 'LISTED')).toEqual([outgoingTraffic]);
    expect(found.filter(({ type }) => type === 'NONE')).toEqual(Array(2).fill(newServiceSpec('').outgoingTraffic));
  } finally {
    await drop();
  }
});
