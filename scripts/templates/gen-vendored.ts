/**
 * Writes the database and Kafka clients of the quickstart's templates: each is one file without dependencies, so that a build needs no
 * package registry. The versions are those of the lock file.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const clients = [
  { name: 'pg', part: 'database', external: ['pg-native', 'pg-cloudflare', 'cloudflare:sockets'] },
  { name: 'kafkajs', part: 'stream', external: [] },
];

const folder = await mkdtemp(join(tmpdir(), 'slipway-vendored-'));
try {
  for (const { name, part, external } of clients) {
    const { version, license } = JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')) as Record<
      string,
      string
    >;
    const text = `/*! ${name} ${version}, license ${license}, in one file. To use the package instead: npm install ${name}, and import it from '${name}'. */`;
    const entry = join(folder, `${name}.mjs`);
    await writeFile(entry, `export { default } from ${JSON.stringify(join(root, 'node_modules', name))};`);
    await build({
      entryPoints: [entry],
      outfile: join(root, 'packages/server/templates/parts', part, 'vendor', `${name}.js`),
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      external,
      legalComments: 'none',
      banner: { js: `${text}\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);` },
      logLevel: 'warning',
    });
  }
} finally {
  await rm(folder, { recursive: true });
}
