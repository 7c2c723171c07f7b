/** The static gates, side by side: types, lint, boundaries, dead code, format, and facts that must be current. `npm run check`. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { packages } from './workspaces.ts';

interface Gate {
  readonly name: string;
  readonly command: readonly string[];
}
const bin = (name: string): string => `node_modules/.bin/${name}`;
const typed = packages.map((folder) => ({
  name: `types ${basename(folder)}`,
  command: [bin('tsc'), '-p', `${folder}/tsconfig.json`],
}));

const gates: readonly Gate[] = [
  ...typed,
  { name: 'types scripts', command: [bin('tsc'), '-p', 'tsconfig.json'] },
  { name: 'lint', command: [bin('oxlint'), '--type-aware', '--quiet', 'packages', 'engines', 'scripts', 'e2e', 'bench'] },
  {
    name: 'boundaries',
    command: [bin('depcruise'), '--config', '.dependency-cruiser.mjs', ...packages.map((folder) => `${folder}/src`), 'e2e'],
  },
  { name: 'casts', command: [process.execPath, 'scripts/casts.ts'] },
  { name: 'dead code', command: [bin('knip'), '--no-progress', '--no-config-hints'] },
  { name: 'format', command: [bin('oxfmt'), '--check', 'packages', 'engines', 'scripts', 'e2e', 'bench'] },
  { name: 'words', command: [process.execPath, 'scripts/words.ts'] },
  { name: 'table types', command: [process.execPath, 'scripts/gen-db.ts', '--check'] },
  { name: 'kafka tables', command: [process.execPath, 'scripts/gen-kafka.ts', '--check'] },
  { name: 'declared', command: [process.execPath, 'scripts/gen-declared.ts', '--check'] },
  { name: 'configuration', command: [process.execPath, 'scripts/configuration/gen-configuration.ts', '--check'] },
  { name: 'openapi', command: [process.execPath, 'scripts/gen-openapi.ts', '--check'] },
  { name: 'specification', command: [process.execPath, 'scripts/specification/spec.ts', '--check'] },
  // Measures what was built; the tests build first.
  ...(existsSync('packages/console/dist/index.html') ? [{ name: 'bytes', command: [process.execPath, 'scripts/budget.ts'] }] : []),
];

const run = ({ name, command }: Gate): Promise<boolean> =>
  new Promise((resolve) => {
    const startedAt = Date.now();
    const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', (error) => (output += error.message));
    child.once('close', (code) => {
      const isGood = code === 0;
      process.stdout.write(
        `${isGood ? 'ok  ' : 'FAIL'} ${name} ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n${isGood ? '' : `${output}\n`}`,
      );
      resolve(isGood);
    });
  });

/** Two at a time: as many as the cores that a laptop can spare. */
const runAll = async (): Promise<boolean> => {
  const waiting = [...gates];
  const results: boolean[] = [];
  const worker = async () => {
    for (let gate = waiting.shift(); gate; gate = waiting.shift()) results.push(await run(gate));
  };
  await Promise.all([worker(), worker()]);
  return results.every(Boolean);
};

process.exitCode = (await runAll()) ? 0 : 1;
