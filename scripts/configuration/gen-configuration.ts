/**
 * Writes what follows from the table of settings: the table of docs/configuration.md and the JSON Schema of the configuration file.
 * `node scripts/configuration/gen-configuration.ts`; with `--check` it fails when one of them is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileSchema } from '../../packages/server/src/kernel/config/file-schema.ts';
import type { Setting } from '../../packages/server/src/kernel/config/setting.ts';
import { settings } from '../../packages/server/src/kernel/config/settings.ts';

const docs = resolve(import.meta.dirname, '../../docs');
const places: Readonly<Record<string, string>> = { PRODUCTION: 'production', NORTHEUROPE: 'North Europe', CENTRALUS: 'Central US' };

const code = (text: string): string => `\`${text}\``;
const defaultOf = ({ usually, fallback }: Setting): string => usually ?? (fallback === undefined ? 'none' : code(fallback));

const rows = [...settings].map(([name, setting], index, all) => {
  const place = places[name.split('_').at(-1) ?? ''];
  const isSame = place !== undefined && all[index - 1]?.[1].about === setting.about;
  const supplied = setting.supplies === undefined ? undefined : settings.get(setting.supplies)?.path;
  const key = setting.path === undefined ? `${code(supplied ?? '')}, as a file` : code(setting.path);
  return `| ${code(name)} | ${key} | ${defaultOf(setting)} | ${isSame ? `the same for ${place}` : setting.about} |`;
});
const table = ['| Variable | Key in the file | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');

const page = readFileSync(join(docs, 'configuration.md'), 'utf8');
const files = {
  'configuration.md': page.replace(/^\| Variable \| (?:Key in the file \| )?Default \|[^]*?\n(?!\|)/m, () => `${table}\n`),
  'slipway.config.schema.json': `${JSON.stringify(fileSchema(), undefined, 2)}\n`,
};
for (const [name, text] of Object.entries(files)) {
  const path = join(docs, name);
  let current = '';
  try {
    current = readFileSync(path, 'utf8');
  } catch {
    // The file does not exist yet.
  }
  if (current === text) continue;
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else {
    process.stderr.write(`docs/${name} is stale: run node scripts/configuration/gen-configuration.ts\n`);
    process.exitCode = 1;
  }
}
