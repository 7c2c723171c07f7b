/** `npm run bench -- <name>`: runs one bench, which prints a table and, last, one line of figures. Without a name it lists them. */
import { readdirSync } from 'node:fs';

interface Bench {
  run(): Promise<void>;
}
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !['main.ts', 'platform.ts'].includes(file) && !file.endsWith('.test.ts'))
  .map((file) => file.replace(/\.ts$/, ''));

const name = process.argv[2];
if (!name || !names.includes(name)) {
  process.stdout.write(`Benches: ${names.join(', ')}\n`);
  process.exitCode = name ? 1 : 0;
} else {
  const bench = (await import(`./${name}.ts`)) as Bench;
  await bench.run();
  process.exit(process.exitCode ?? 0);
}
