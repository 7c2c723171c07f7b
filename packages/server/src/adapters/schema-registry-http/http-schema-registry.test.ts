import { describe } from 'vitest';
import { startSchemaRegistry } from '@slipway/schemas/registry/schema-registry.fixture.ts';
import { schemaRegistrySuite } from '#ports/schema-registry.suite.ts';
import { HttpSchemaRegistry } from './http-schema-registry.ts';

schemaRegistrySuite('by URL, another platform', async () => {
  const { url, stop } = await startSchemaRegistry();
  return { registry: new HttpSchemaRegistry({ registries: { development: { url, authorization: 'Bearer writer' } } }), close: stop };
});

/** Started by `npm run test:engines -- schema-registry`. */
const { TEST_SCHEMA_REGISTRY: given = '' } = process.env;
describe.skipIf(!given)('a real registry', () => {
  schemaRegistrySuite('by URL', async () => {
    const registry = new HttpSchemaRegistry({ registries: { development: { url: given } } });
    return { registry, close: () => registry.close() };
  });
});
