/** A platform with a topic and an account for each client, made as the console makes them, and an account that may do nothing of what the others do. */
import { expect } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { accountPasswordTake } from '@slipway/contract/streaming/account-password.ts';
import { accountCreate, accountView, type Account } from '@slipway/contract/streaming/account.ts';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import { testApp, type TestApp, type TestAppOptions } from '../app.ts';
import { seedApp } from '../fixtures.ts';

/** An account as a program has it: what the page knows, and the environment that the page says. */
export interface ClientAccount {
  readonly account: Account;
  readonly env: NodeJS.ProcessEnv;
}
export interface ClientPlatform {
  readonly app: TestApp;
  /** Account that may use another topic only. */
  readonly stranger: ClientAccount;
  accountOf(name: string): ClientAccount;
}
/** Not a power of two: whoever places keys otherwise shows. */
export const PARTITIONS = 7;
const APP = 'berth';
export const place = { app: APP, env: 'development' };

/** Schemas with a keyword of the platform's own, which strict clients stumble over. */
export const clientSchemas = {
  visit: {
    type: 'AVRO',
    content: {
      type: 'record',
      name: 'Visit',
      fields: [
        { name: 'berth', type: 'string', classification: 'INTERNAL' },
        { name: 'tugs', type: 'int' },
      ],
    },
  },
  pilotage: {
    type: 'JSON',
    content: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { berth: { type: 'string', classification: 'INTERNAL' }, tugs: { type: 'integer' } },
      required: ['berth'],
      additionalProperties: false,
    },
  },
} as const;
export type ClientSchema = keyof typeof clientSchemas;
/** Value that fits both schemas. */
export const SAMPLE = { berth: 'C03', tugs: 2 };

const completed = async (app: TestApp, route: RouteShape, body: unknown): Promise<void> => {
  expect((await app.run('member', route, { params: place, body })).status, route.id).toMatchObject({ state: 'COMPLETED' });
};

const openAccount = async (app: TestApp, name: string, schema: ClientSchema): Promise<ClientAccount> => {
  const topic = `${name}visits`;
  const spec = { valueSchema: { resourceId: schema }, partitionNumber: PARTITIONS, replicationFactor: 1 };
  await completed(app, topicCreate, { name: topic, description: 'Ships at berths', spec });
  const topics = [{ resourceId: topic }];
  await completed(app, accountCreate, { name, produceTopics: topics, consumeTopics: topics });
  const params = { ...place, account: name };
  const account = (await app.call('member', accountView, { params })).body as Account;
  const taken = (await app.call('member', accountPasswordTake, { params })).body as { user: string; password: string };
  const authority = account.connection?.certificateAuthority;
  const env = { KAFKA_USERNAME: taken.user, KAFKA_PASSWORD: taken.password, ...(authority ? { KAFKA_CA_CERTIFICATE: authority } : {}) };
  return { account, env };
};

export const openClientPlatform = async (
  names: Readonly<Record<string, ClientSchema>>,
  options: TestAppOptions = {},
): Promise<ClientPlatform> => {
  const app = await testApp(options);
  await seedApp(app.database.db, { id: APP });
  for (const [name, { type, content }] of Object.entries(clientSchemas))
    await completed(app, schemaCreate, { name, type, content: JSON.stringify(content) });
  const accounts = new Map<string, ClientAccount>();
  for (const [name, schema] of Object.entries(names)) accounts.set(name, await openAccount(app, name, schema));
  return {
    app,
    stranger: await openAccount(app, 'stranger', 'visit'),
    accountOf(name) {
      const found = accounts.get(name);
      if (!found) throw new Error(`There is no account for ${name}`);
      return found;
    },
  };
};
