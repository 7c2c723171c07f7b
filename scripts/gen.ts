/** Writes what is generated from something else: table types from the migrations, Kafka's protocol, OpenAPI, the configuration's table and schema, and the lists of what areas declare. `npm run gen`. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

for (const script of [
  'scripts/gen-declared.ts',
  'scripts/configuration/gen-configuration.ts',
  'scripts/gen-db.ts',
  'scripts/gen-kafka.ts',
  'scripts/gen-openapi.ts',
].filter((path) => existsSync(path))) {
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
