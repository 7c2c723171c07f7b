/** Lists the packages of an image, one package URL per line: `npm start -w engines/images -- --registry http://127.0.0.1:5000 team/app:1.0`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { StartError } from '@slipway/foundation/start-error.ts';
import { clientOf, imageAt, registryOptions } from './registry-options.ts';
import { EmbeddedScanner } from './scanner/embedded-scanner.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: registryOptions });
const [wanted] = positionals;
if (wanted === undefined) throw new StartError('Name an image: team/app:tag');
const client = clientOf(values);
const directory = mkdtempSync(join(tmpdir(), 'slipway-scan-'));
try {
  const scanner = new EmbeddedScanner({ directory, client, version: '0.1.0' });
  const { notes, packages } = await scanner.scan(await imageAt(client, wanted), new AbortController().signal);
  for (const { purl } of packages ?? []) process.stdout.write(`${purl}\n`);
  for (const note of notes) process.stderr.write(`${JSON.stringify(note)}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
