/** Everything that a team has before an upgrade: services, secrets, a stream with an account, and a database with rows. */
import pg from 'pg';
import { expect } from 'vitest';
import { databaseCreate, databaseGroupName } from '@slipway/contract/database/database.ts';
import { serviceAccountCreate } from '@slipway/contract/identity.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { secretGroupCreate, secretReveal } from '@slipway/contract/secret/secret-group.ts';
import { accountCreate } from '@slipway/contract/streaming/account.ts';
import { AccountPassword, accountPasswordTake } from '@slipway/contract/streaming/account-password.ts';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import type { Program } from '../program.ts';
import { avro, topicLists, topicSpec } from '../streaming/killed-platform.ts';

/** The last app is created during the upgrade. */
export const APPS = ['berth-one', 'berth-two', 'berth-three'] as const;
export const ROWS = 1000;
const [APP, SECOND] = APPS;
const DATABASE = 'ledger';
const place = { app: APP, env: 'development' };
export const resources = {
  ...place,
  team: 'cranes',
  service: APP,
  topic: 'orders',
  account: 'loader',
  database: DATABASE,
  group: 'values',
};
const databaseSettings = { storageGb: 32, maxConnections: 20, backupRetentionDays: 7, plan: 'BURSTABLE_1', region: 'WESTEUROPE' };

export interface Furnished {
  /** A token that may reveal secrets. */
  readonly reader: string;
  readonly kafka: { readonly user: string; readonly password: string };
}

export const completed = async (on: Program, pipelineId: string): Promise<void> => {
  const { status, statusMessage } = await on.ended(pipelineId);
  expect(status.state, `${statusMessage} ${JSON.stringify(status.steps)}`).toBe('COMPLETED');
};

export const furnish = async (on: Program): Promise<Furnished> => {
  const make = async (route: RouteShape, body: object): Promise<void> => {
    const { pipelineId } = (await on.call(route, { params: place, body })) as PipelineRun;
    await completed(on, pipelineId);
  };
  await on.makeTeam();
  const apps = [await on.quickstart(APP), await on.quickstart(SECOND)];
  for (const run of apps) await completed(on, run);
  await on.call(secretGroupCreate, { params: place, body: { name: resources.group, entries: [{ key: 'VALUE', value: 'first' }] } });
  await make(schemaCreate, { name: 'events', content: avro() });
  const spec = { ...topicSpec, replicationFactor: 1, valueSchema: { resourceId: 'events' } };
  await make(topicCreate, { name: resources.topic, description: 'Upgraded', spec });
  await make(accountCreate, { name: resources.account, ...topicLists([resources.topic], [resources.topic]) });
  await make(databaseCreate, { ...databaseSettings, name: DATABASE, displayName: 'Ledger', attachTo: [] });
  const kafka = AccountPassword.parse(await on.call(accountPasswordTake, { params: resources }));
  const account = await on.call(serviceAccountCreate, { params: resources, body: { displayName: 'Reader' } });
  const { token } = (account as { token: { token: string } }).token;
  const furnished = { reader: token, kafka };
  await query(on, furnished, `create table entry as select n from generate_series(1, ${ROWS}) n`);
  return furnished;
};

export const secretValue = async (on: Program, { reader }: Furnished, group: string, key: string, version: number): Promise<string> => {
  const body = { key, version, reason: 'The upgrade is tested' };
  return ((await on.call(secretReveal, { params: { ...place, group }, body, token: reader })) as { value: string }).value;
};

/** Asks the database with the login that its app has. */
export const query = async (on: Program, furnished: Furnished, sql: string): Promise<unknown[]> => {
  const value = (key: string) => secretValue(on, furnished, databaseGroupName(APP, DATABASE), key, 1);
  const client = new pg.Client({ connectionString: await value('DB_URL') });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
};
