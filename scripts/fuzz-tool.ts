/** Schemathesis, from the Python package index, in an environment of its own: makes requests out of the API's description, and judges the answers. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Role } from './fuzz-target.ts';

const VERSION = '4.32.5';
const folder = resolve(import.meta.dirname, `../node_modules/.cache/slipway-fuzz/schemathesis-${VERSION}`);
const program = join(folder, 'bin/schemathesis');
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
];
/**
 * Allows these statuses as answers to a request that violates the API's description. The tool's own list lacks the statuses for sizes, and
 * would let failures of the platform pass.
 */
const settings = '[checks]\nnegative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 409, 413, 421, 429, 431]\n';
/** Never ends by itself. */
const excluded = ['eventStream'];
/** Cases that the description alone gives, an operation: limits, wrong types, missing parts. Below that many there is chance alone. */
export const COVERAGE_CASES = 60;

/** Undefined when the tool is there; else why it is not. */
export const installTool = (): string | undefined => {
  const done = join(folder, 'installed');
  if (existsSync(done)) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8' });
  const made = run('python3', '-m', 'venv', folder);
  if (made.error || made.status !== 0) return `python3 -m venv does not work: ${made.error?.message ?? made.stderr.trim()}`;
  const { status, stderr } = run(join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`);
  if (status !== 0) return `schemathesis ${VERSION} cannot be installed: ${stderr.trim().split('\n').at(-1)}`;
  writeFileSync(done, '');
  return undefined;
};

interface Operation {
  parameters: { name: string; in: string; schema: object }[];
}
interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
}

/** The description with things that are there in its addresses: chance alone would hit none of them. */
const describe = (role: Role): Description => {
  const text = readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8');
  const description = JSON.parse(text) as Description;
  for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path))) {
    // A log that is followed never ends, either.
    operation.parameters = operation.parameters.filter(({ name }) => name !== 'follow');
    for (const parameter of operation.parameters) {
      const ids = parameter.in === 'path' ? role.ids[parameter.name] : undefined;
      if (ids) parameter.schema = { anyOf: [{ type: 'string', enum: ids }, { type: 'string' }] };
    }
  }
  return description;
};

export const operationCount = (role: Role): number =>
  Object.values(describe(role).paths).flatMap((path) => Object.keys(path)).length - excluded.length;

export interface Outcome {
  readonly role: string;
  readonly operations: number;
  readonly cases: number;
  readonly failures: readonly { readonly title: string; readonly count: number; readonly operations: readonly string[] }[];
  /** The tool's own mistakes. */
  readonly toolErrors: number;
  /** Output of the tool, with a command for each failure. */
  readonly output: string;
}

export interface Amount {
  readonly casesEach: number;
  readonly minutes: number;
}

interface Report {
  readonly operations: { readonly tested: number };
  readonly test_cases: { readonly generated: number };
  readonly failures: Outcome['failures'];
  readonly errors?: readonly { readonly count: number }[];
}

/** Sends about `casesEach` requests for every operation, unless the time is over before. */
export const fuzz = async (url: string, role: Role, { casesEach, minutes }: Amount, work: string): Promise<Outcome> => {
  const at = (name: string): string => join(work, `${role.name}.${name}`);
  writeFileSync(at('openapi.json'), JSON.stringify(describe(role)));
  writeFileSync(at('toml'), settings);
  const hasCoverage = casesEach > COVERAGE_CASES;
  const args = [
    ['--config-file', at('toml'), 'run', at('openapi.json'), '--url', url],
    ['--workers', '1', '--no-color', '--no-shrink', '--continue-on-failure'],
    ['--phases', hasCoverage ? 'coverage,fuzzing' : 'fuzzing', '--max-examples', String(casesEach - (hasCoverage ? COVERAGE_CASES : 0))],
    ['--checks', checks.join(','), '--generation-database', 'none', '--request-timeout', '60', '--suppress-health-check', 'all'],
    ['--report', 'json', '--report-json-path', at('report.json'), '--warnings', 'off'],
    excluded.flatMap((id) => ['--exclude-operation-id', id]),
    role.token === undefined ? [] : ['--header', `Authorization: Bearer ${role.token}`],
  ].flat();
  const child = spawn(program, args, { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] });
  // Interrupted, the tool still reports what it did.
  const ending = setTimeout(() => child.kill('SIGINT'), minutes * 60_000);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await new Promise((done) => child.once('close', done));
  clearTimeout(ending);
  if (!existsSync(at('report.json'))) throw new Error(`schemathesis ended without a report: ${output}`);
  const report = JSON.parse(readFileSync(at('report.json'), 'utf8')) as Report;
  return {
    role: role.name,
    operations: report.operations.tested,
    cases: report.test_cases.generated,
    failures: report.failures,
    toolErrors: (report.errors ?? []).reduce((sum, { count }) => sum + count, 0),
    output,
  };
};
