/** `slipway doctor`: checks a configuration against this machine and the real engines. Works before the first start. */
import { parseArgs } from 'node:util';
import { errorMessage } from '#kernel/caught.ts';
import { ConfigError, readConfig, type Config } from '#kernel/config.ts';
import type { FileSettings } from '#kernel/config/file-settings.ts';
import type { FileSearch } from '#kernel/config/find-file.ts';
import { loadFileSettings } from '#kernel/config/load-config.ts';
import { explainPlaces } from '#kernel/config/places.ts';
import { StartError } from '#kernel/start-error.ts';
import { COLUMNS, painted, withoutCredentials, wrapped } from '../terminal.ts';
import { runChecks, type Row } from './check.ts';
import { kafkaChecks } from './kafka-checks.ts';
import { kubernetesChecks } from './kubernetes-checks.ts';
import { machineChecks } from './machine-checks.ts';
import { postgresChecks } from './postgres-checks.ts';
import { webChecks } from './web-checks.ts';

export const doctorUsage = `slipway doctor [--json]           tries the engines that the configuration names: what is wrong, and what to do
                             ends with 1 if a check failed. Run it as the user that Slipway runs as
`;

export interface DoctorReport {
  readonly output: string;
  readonly exitCode: 0 | 1;
}

export async function doctorCommand(args: readonly string[], env: NodeJS.ProcessEnv, search: FileSearch): Promise<DoctorReport> {
  const isJson = readsJson(args);
  const rows = await diagnose(env, search);
  const hasFailed = rows.some(({ state }) => state === 'failed');
  return { output: isJson ? JSON.stringify(rows, undefined, 2) : asText(rows), exitCode: hasFailed ? 1 : 0 };
}

const readsJson = (args: readonly string[]): boolean => {
  try {
    return parseArgs({ args: [...args], options: { json: { type: 'boolean' } } }).values.json === true;
  } catch (error) {
    throw new StartError(`slipway: ${errorMessage(error).split('.')[0]}\n\n${doctorUsage}`);
  }
};

const diagnose = async (env: NodeJS.ProcessEnv, search: FileSearch): Promise<readonly Row[]> => {
  let config: Config;
  let file: FileSettings | undefined;
  // Reading removes secrets from the environment.
  const before = { ...env };
  try {
    file = await loadFileSettings(env, search);
    config = readConfig(env, file);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const next = 'Correct the configuration first: the engines were not tried.';
    return error.message.split('\n').map((message) => ({ subject: 'configuration', state: 'failed', message, next }));
  }
  const checks = [machineChecks, postgresChecks, kubernetesChecks, kafkaChecks, webChecks].flatMap((checksOf) => checksOf(config));
  const said = (text: string): string => withoutCredentials(file ? explainPlaces(text, file, before) : text);
  const rows = (await runChecks(checks)).map((row) =>
    row.state === 'ok' ? row : { ...row, message: said(row.message), next: said(row.next ?? '') },
  );
  const from = file ? `${file.file} and the variables are` : 'There is no configuration file. The variables are';
  return [{ subject: 'configuration', state: 'ok', message: `${from} valid, for ${config.mode}.` }, ...rows];
};

const INDENT = 10;
const colors = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** One paragraph for each row, under a heading for each subject. */
export const asText = (rows: readonly Row[]): string => {
  const lines: string[] = [];
  const pad = ' '.repeat(INDENT);
  for (const [index, { subject, state, message, next }] of rows.entries()) {
    if (rows[index - 1]?.subject !== subject) lines.push(...(index === 0 ? [] : ['']), subject);
    const [first = '', ...rest] = wrapped(message, COLUMNS - INDENT);
    lines.push(`  ${painted(colors[state], state)}${' '.repeat(INDENT - 2 - state.length)}${first}`, ...rest.map((line) => pad + line));
    // The same advice once, after the last row that needs it.
    if (next !== undefined && rows[index + 1]?.next !== next)
      lines.push(...wrapped(`→ ${next}`, COLUMNS - INDENT).map((line) => pad + line));
  }
  const count = (state: Row['state']): number => rows.filter((row) => row.state === state).length;
  return [...lines, '', `${count('failed')} failed, ${count('warning')} warnings, ${count('ok')} ok`].join('\n');
};
