import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { findProgram, startProgram } from './pg-programs.ts';

const root = mkdtempSync(join(tmpdir(), 'slipway-programs-'));
afterAll(() => rmSync(root, { recursive: true }));
/** Returns a folder whose programs say that they are of this version. */
const programsOf = (major: number): string => {
  const folder = join(root, String(major));
  mkdirSync(folder);
  for (const name of ['pg_dump', 'pg_restore']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho '${name} (PostgreSQL) ${major}.1'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
};
const [old, fitting, newer] = [programsOf(15), programsOf(16), programsOf(18)];

test('finds programs of the server’s version or a newer one', async () => {
  expect(await findProgram('pg_dump', 16, [old])).toBeUndefined();
  expect(await findProgram('pg_dump', 16, [old, newer])).toBe(join(newer, 'pg_dump'));
  expect(await findProgram('pg_restore', 17, [old, newer])).toBe(join(newer, 'pg_restore'));
});

test('passes over a pg_restore that sets what a server before 17 refuses', async () => {
  expect(await findProgram('pg_restore', 16, [newer])).toBeUndefined();
  expect(await findProgram('pg_restore', 16, [newer, fitting])).toBe(join(fitting, 'pg_restore'));
});

test.each([
  ['verify-ca', '-----BEGIN CERTIFICATE-----\n'],
  ['verify-full', '-----BEGIN CERTIFICATE-----\n'],
  ['require', 'none\n'],
] as const)('with %s a program is given the authorities that the platform trusts: %s', async (sslMode, firstLine) => {
  const program = join(root, 'print-authorities');
  writeFileSync(program, '#!/bin/sh\nif [ -n "$PGSSLROOTCERT" ]; then head -n 1 "$PGSSLROOTCERT"; else echo none; fi\n', { mode: 0o755 });
  const session = { host: '127.0.0.1', port: 1, sslMode, database: 'berth', user: 'berth_a', password: 'a-password' };
  const { output, ended } = startProgram(program, session, { args: [], signal: AbortSignal.timeout(10_000) });
  expect(await text(output)).toBe(firstLine);
  await ended;
});
