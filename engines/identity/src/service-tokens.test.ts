// Service tokens: signed by the provider, valid for one service and not for the platform.
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { tables } from './tables.ts';
import { runIdentity, type Running } from './identity.fixture.ts';

let database: EngineDatabase;
let server: Running;
beforeAll(async () => {
  database = await engineDatabase(tables);
  server = await runIdentity(database);
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

test('a token of an hour that the published keys verify, for its service alone', async () => {
  const { issuer, keySet, audience: platform, serviceTokens } = server.identity;
  const audience = 'service:berth/development/berth';
  const { token, expiresAt } = await serviceTokens.create({ id: 'ingrid.solheim', displayName: 'Ingrid Solheim' }, audience);
  const { payload, protectedHeader } = await jwtVerify(token, keySet, { issuer, audience });
  expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
  expect(payload).toMatchObject({ sub: 'ingrid.solheim', name: 'Ingrid Solheim', aud: audience });
  expect(payload.exp! - payload.iat!).toBe(3600);
  expect(expiresAt.getTime()).toBe(payload.exp! * 1000);
  await expect(jwtVerify(token, keySet, { issuer, audience: platform })).rejects.toMatchObject({ claim: 'aud' });
});

test('nothing but a service gets such a token', async () => {
  const { audience, serviceTokens } = server.identity;
  await expect(serviceTokens.create({ id: 'ingrid.solheim', displayName: 'Ingrid' }, audience)).rejects.toThrow('is no service');
});
