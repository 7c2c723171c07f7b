import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { isPortFailure } from '@slipway/foundation/ports/failure.ts';
import { registrySuite } from '@slipway/foundation/ports/registry.suite.ts';
import { RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { EmbeddedRegistry } from './embedded-registry.ts';
import { startRegistry, type RegistryFixture } from './registry.fixture.ts';

registrySuite('embedded', () => startRegistry());

describe('EmbeddedRegistry', () => {
  let fixture: RegistryFixture;
  beforeAll(async () => {
    fixture = await startRegistry({
      authenticate: async (username, password) =>
        password === 'an API token' ? { name: username, actions: async (project) => (project === 'shop' ? ['pull'] : []) } : undefined,
    });
  });
  afterAll(() => fixture.stop());

  it('lets everybody pull from a public project, and nobody push', async () => {
    const ci = await fixture.client('open');
    await ci.pushImage('open/hello', '1', 'one');
    const anybody = new RegistryClient(fixture.registry);
    expect((await anybody.send('GET', '/v2/open/hello/manifests/1')).status).toBe(401);
    await fixture.registry.projectPublish('open', true);
    expect((await anybody.send('GET', '/v2/open/hello/manifests/1')).status).toBe(200);
    expect((await anybody.send('POST', '/v2/open/hello/blobs/uploads/')).status).toBe(401);
    await fixture.registry.projectPublish('open', false);
    expect((await anybody.send('GET', '/v2/open/hello/manifests/1')).status).toBe(401);
  });

  it('cannot publish a project that does not exist', async () => {
    await expect(fixture.registry.projectPublish('missing', true)).rejects.toSatisfy((error) => isPortFailure(error, 'notFound'));
  });

  it('accepts the credentials that the platform vouches for, with the rights it names', async () => {
    await (await fixture.client('shop')).pushImage('shop/hello', '1', 'one');
    await (await fixture.client('other')).pushImage('other/hello', '1', 'one');
    const person = new RegistryClient(fixture.registry, { username: 'amy', secret: 'an API token' });
    expect((await person.send('GET', '/v2/shop/hello/manifests/1')).status).toBe(200);
    expect((await person.send('GET', '/v2/other/hello/manifests/1')).status).toBe(401);
    expect((await person.send('POST', '/v2/shop/hello/blobs/uploads/')).status).toBe(401);
  });

  it('never asks the platform about names of robots', async () => {
    const impostor = new RegistryClient(fixture.registry, { username: 'robot$shop+nobody', secret: 'an API token' });
    expect((await impostor.send('GET', '/v2/')).status).toBe(401);
  });

  it('keeps secrets as hashes only', async () => {
    const { secret } = await fixture.registry.robotEnsure('shop', 'hidden', ['pull']);
    const { rows } = await fixture.database.pool.query(`select row_to_json(r)::text as text from registry_robot r`);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(fixture.log)).not.toContain(secret);
  });

  it('survives a listener that throws', async () => {
    const ci = await fixture.client('loud');
    const stop = fixture.registry.onPush(() => {
      throw new Error('the listener is broken');
    });
    await ci.pushImage('loud/hello', '1', 'one');
    stop();
    expect(fixture.log.map((line) => line.message)).toContain('registry: a push listener failed');
  });

  it('is unavailable, and so worth another try, without its database', async () => {
    const pool = new pg.Pool({ host: '/nowhere', connectionTimeoutMillis: 1000 });
    const options = { dataDir: fixture.dataDir, publicUrl: 'http://localhost:4000', baseUrl: 'http://127.0.0.1:4000' };
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    const registry = new EmbeddedRegistry({ ...options, pool, signingKey: new Uint8Array(32), log: silent });
    expect(registry.host).toBe('localhost:4000');
    await expect(registry.projectExists('shop')).rejects.toSatisfy((error) => isPortFailure(error, 'unavailable'));
    await registry.close();
    await pool.end();
  });

  it('refuses a signing key that is too short', () => {
    const options = { pool: fixture.database.pool, dataDir: fixture.dataDir, publicUrl: 'http://localhost', baseUrl: 'http://localhost' };
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    expect(() => new EmbeddedRegistry({ ...options, signingKey: new Uint8Array(8), log: silent })).toThrow(/32 bytes/);
  });
});
