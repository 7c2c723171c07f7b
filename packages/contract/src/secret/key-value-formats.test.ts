/** What is written is what our own reader reads; shells and Node read it in the server's `mount-files.test.ts`. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyValueFormatOf, keyValueFormats, writeKeyValues, type KeyValue } from './key-value-formats.ts';
import { parseSecretFile } from './secret-file.ts';

const entries: readonly KeyValue[] = [
  ['PORT', '8080'],
  ['GREETING', "it's 5 o'clock"],
  ['app.name', 'orders "api"'],
];

test.each([
  ['env', `PORT='8080'\nGREETING="it's 5 o'clock"\napp.name='orders "api"'\n`],
  ['bash', String.raw`export PORT='8080'` + '\n' + String.raw`export GREETING='it'\''s 5 o'\''clock'` + '\n'],
  ['powershell', `\${env:PORT} = '8080'\n\${env:GREETING} = 'it''s 5 o''clock'\n\${env:app.name} = 'orders "api"'\n`],
  ['json', `{\n  "PORT": "8080",\n  "GREETING": "it's 5 o'clock",\n  "app.name": "orders \\"api\\""\n}\n`],
  ['yaml', `"PORT": "8080"\n"GREETING": "it's 5 o'clock"\n"app.name": "orders \\"api\\""\n`],
] as const)('%s', (format, text) => expect(writeKeyValues(format, entries)).toBe(text));

test.each(['env', 'bash', 'json', 'yaml'] as const)('%s is read back', (format) => {
  // Bash escapes a single quote by leaving the quotes: that takes a shell to read.
  const value = fc
    .string({ unit: 'grapheme', maxLength: 30 })
    .filter((found) => !/[\0\r]/.test(found) && !(format === 'bash' && found.includes("'")));
  const values = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,9}$/), value), { minLength: 1, selector: ([key]) => key });
  fc.assert(
    fc.property(values, (wanted) => {
      const read = parseSecretFile(writeKeyValues(format, wanted), format === 'bash' ? 'env' : format);
      // JSON orders keys that are numbers first; ours are none.
      expect([read.entries.map(({ key, value: found }) => [key, found]), read.errors]).toEqual([wanted, []]);
    }),
  );
});

test('formats by name', () => {
  expect(keyValueFormats.map((format) => keyValueFormatOf(format)?.label)).toEqual(['File', 'Bash', 'PowerShell', 'JSON', 'YAML']);
  expect(keyValueFormatOf('PowerShell')?.extension).toBe('ps1');
  for (const name of ['file', 'toml', 'constructor', '']) expect(keyValueFormatOf(name)).toBeUndefined();
});
