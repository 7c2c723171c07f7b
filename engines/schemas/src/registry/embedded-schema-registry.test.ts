import { schemaRegistrySuite } from '@slipway/foundation/ports/schema-registry.suite.ts';
import { startSchemaRegistry } from './schema-registry.fixture.ts';

schemaRegistrySuite('embedded', async () => {
  const { registry, stop } = await startSchemaRegistry();
  return { registry, close: stop };
});
