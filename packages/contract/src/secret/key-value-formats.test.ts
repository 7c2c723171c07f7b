/**
 * Tests the written formats. The console's `secret-file.test.ts` reads them back; the server's `mount-files.test.ts` does so with shells
 * and Node.
 */
import { expect, test } from 'vitest';
import { keyValueFormatOf, keyValueFormats, writeKeyValues, type KeyValue } from './key-value-formats.ts';

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

test('formats by name', () => {
  expect(keyValueFormats.map((format) => keyValueFormatOf(format)?.label)).toEqual(['File', 'Bash', 'PowerShell', 'JSON', 'YAML']);
  expect(keyValueFormatOf('PowerShell')?.extension).toBe('ps1');
  for (const name of ['file', 'toml', 'constructor', '']) expect(keyValueFormatOf(name)).toBeUndefined();
});
