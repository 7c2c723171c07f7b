/** The byte gate (decisions §11): what index.html loads before anything can happen, and what each lazy chunk adds. Reads the built console. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Kilobytes of 1024 bytes after gzip 9. */
const limits = {
  'initial JavaScript': { aim: 180, fail: 200 },
  'initial CSS': { aim: 8, fail: 12 },
  'largest lazy JavaScript': { aim: 120, fail: 130 },
} as const;
type Measure = keyof typeof limits;

const dist = resolve(import.meta.dirname, '../packages/console/dist');
const sizes = new Map<string, number>();
const kilobytes = (file: string): number => {
  const known = sizes.get(file) ?? gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1024;
  sizes.set(file, known);
  return known;
};
const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + kilobytes(file), 0);

/** Files that a chunk imports at once, itself included: they load with it. */
const withImports = (file: string, found = new Set<string>()): Set<string> => {
  if (found.has(file)) return found;
  found.add(file);
  const code = readFileSync(join(dist, file), 'utf8');
  for (const [, name = ''] of code.matchAll(/(?:^|[;}\n])(?:import|export)[^"'();]*?["']\.\/([^"']+\.js)["']/g))
    withImports(`assets/${name}`, found);
  return found;
};

const hrefs = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].flatMap(([, path]) => (path ? [path.replace(/^\//, '')] : []));

const measure = (): Record<Measure, number> => {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const scripts = [...hrefs(html, /<script[^>]+src="([^"]+)"/g), ...hrefs(html, /rel="modulepreload"[^>]+href="([^"]+)"/g)];
  const initial = new Set(scripts.flatMap((file) => [...withImports(file)]));
  const lazy = readdirSync(join(dist, 'assets'))
    .filter((name) => name.endsWith('.js') && !initial.has(`assets/${name}`))
    .map((name) => `assets/${name}`);
  const largest = lazy.toSorted((a, b) => kilobytes(b) - kilobytes(a));
  for (const file of largest.slice(0, 5)) console.log(`  lazy ${basename(file)} ${kilobytes(file).toFixed(1)} kB`);
  return {
    'initial JavaScript': sum(initial),
    'initial CSS': sum(hrefs(html, /rel="stylesheet"[^>]*?href="([^"]+)"/g)),
    'largest lazy JavaScript': largest[0] ? kilobytes(largest[0]) : 0,
  };
};

const measured = measure();
let isOver = false;
for (const [name, { aim, fail }] of Object.entries(limits)) {
  const size = measured[name as Measure];
  const verdict = size > fail ? 'FAIL' : size > aim ? 'over the aim' : 'ok';
  if (size > fail) isOver = true;
  console.log(`${name}: ${size.toFixed(1)} kB gzip (aim ${aim}, at most ${fail}) ${verdict}`);
}
process.exitCode = isOver ? 1 : 0;
