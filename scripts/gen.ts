/** Writes what is generated from something else: table types from the migrations, OpenAPI and the list of kinds from the contract. `npm run gen`. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

for (const script of ['scripts/gen-kinds.ts', 'scripts/gen-db.ts', 'scripts/gen-openapi.ts'].filter((path) => existsSync(path))) {
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
