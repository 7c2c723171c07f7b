/** Writes docs/openapi.json from the contract. `node scripts/gen-openapi.ts`; with `--check` it fails when the file is stale. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { described } from '../packages/contract/src/routes.ts';
import { openApi } from '../packages/server/src/kernel/http/openapi.ts';

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const TARGET = at('docs/openapi.json');

const { version } = JSON.parse(fs.readFileSync(at('package.json'), 'utf8')) as { version: string };
const text = `${JSON.stringify(openApi(described, version), null, 2)}\n`;
const isCurrent = fs.existsSync(TARGET) && fs.readFileSync(TARGET, 'utf8') === text;

if (!process.argv.includes('--check')) fs.writeFileSync(TARGET, text);
else if (!isCurrent) {
  process.stderr.write('docs/openapi.json is stale: run `node scripts/gen-openapi.ts`.\n');
  process.exitCode = 1;
}
