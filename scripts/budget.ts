/**
 * The byte gate: what the first screen loads, in bytes as they travel and in requests, and what each lazy chunk adds. Reads the built console;
 * another folder can be given. `npm run bench -- console` measures the same in a browser.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** Kilobytes of 1024 bytes after brotli, as the server sends them. */
const limits = {
  'JavaScript before the list': { aim: 150, fail: 170, unit: 'kB' },
  'files before the list': { aim: 14, fail: 20, unit: 'files' },
  'start alone': { aim: 130, fail: 140, unit: 'kB' },
  'CSS before the list': { aim: 12, fail: 14, unit: 'kB' },
  'largest lazy JavaScript': { aim: 60, fail: 70, unit: 'kB' },
} as const;
type Measure = keyof typeof limits;

const dist = resolve(process.argv[2] ?? join(import.meta.dirname, '../packages/console/dist'));
const read = (file: string): string => readFileSync(join(dist, file), 'utf8');
const sizes = new Map<string, number>();
const kilobytes = (file: string): number => {
  const known = sizes.get(file) ?? brotliCompressSync(readFileSync(join(dist, file))).length / 1024;
  sizes.set(file, known);
  return known;
};
const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + kilobytes(file), 0);

/** Files that a chunk imports at once, itself included: they load with it. */
const withImports = (file: string, found = new Set<string>()): Set<string> => {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name = ''] of read(file).matchAll(/(?:^|[;}\n])(?:import|export)[^"'();]*?["'`]\.\/([^"'`]+\.js)["'`]/g))
    withImports(`assets/${name}`, found);
  return found;
};

const hrefs = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].flatMap(([, path]) => (path ? [path.replace(/^\//, '')] : []));

const html = read('index.html');
const started = hrefs(html, /<script[^>]+type="module"[^>]+src="([^"]+)"/g);
const preloaded = hrefs(html, /rel="modulepreload"[^>]+href="([^"]+)"/g);
const start = new Set(started.flatMap((file) => [...withImports(file)]));
const assets = readdirSync(join(dist, 'assets')).map((name) => `assets/${name}`);
const list = assets.find((file) => /AppsPage-[\w-]+\.js$/.test(file));
if (!list) throw new Error('The list has no chunk of its own any more');
const first = new Set([...start, ...preloaded.flatMap((file) => [...withImports(file)]), ...withImports(list)]);
/** Each chunk's styles are called after it. */
const styles = [
  ...hrefs(html, /rel="stylesheet"[^>]*?href="([^"]+)"/g),
  ...[...first].flatMap((file) => {
    const name = basename(file).replace(/-[\w-]{8}\.js$/, '');
    return assets.filter((asset) => new RegExp(`^assets/${name}-[\\w-]{8}\\.css$`).test(asset));
  }),
];
/** Blocking script, font, page and settings beside what is counted. */
const others = ['theme.js', 'index.html', 'runtime-config.json', 'font'];
const lazy = assets.filter((file) => file.endsWith('.js') && !first.has(file)).toSorted((a, b) => kilobytes(b) - kilobytes(a));
for (const file of lazy.slice(0, 5)) console.log(`  lazy ${basename(file)} ${kilobytes(file).toFixed(1)} kB`);

const measured: Record<Measure, number> = {
  'JavaScript before the list': sum(first),
  'files before the list': first.size + new Set(styles).size + others.length,
  'start alone': sum(start),
  'CSS before the list': sum(new Set(styles.filter((file) => existsSync(join(dist, file))))),
  'largest lazy JavaScript': lazy[0] ? kilobytes(lazy[0]) : 0,
};
let isOver = false;
for (const [name, { aim, fail, unit }] of Object.entries(limits)) {
  const size = measured[name as Measure];
  const verdict = size > fail ? 'FAIL' : size > aim ? 'over the aim' : 'ok';
  if (size > fail) isOver = true;
  console.log(`${name}: ${Number(size.toFixed(1))} ${unit} (aim ${aim}, at most ${fail}) ${verdict}`);
}
process.exitCode = isOver ? 1 : 0;
