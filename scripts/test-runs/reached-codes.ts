/**
 * After `npm test` and `npm run test:long`, which goes on with its list: every error code and every step message of the catalogues was reached by a test over HTTP, but for those
 * that wait for an area of the product, each with the reason. A text that nobody can meet is a text that nobody has seen right.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCatalogue } from '../../packages/contract/src/kernel/errors.ts';
import { stepMessages } from '../../packages/contract/src/pipeline/steps.ts';
import { none, one, type Count } from './test-count.ts';

const later = {
  streaming: 'belongs to event streaming',
  browser: 'is found in the browser, before anything is sent',
};
const waiting: Readonly<Record<string, string>> = {
  InfraBrokerDoesNotExist: later.streaming,
  SecretFileLineInvalid: later.browser,
  SecretFileNotFlat: later.browser,
  SecretFileUnclosed: later.browser,
  SecretFileInvalid: later.browser,
};

/** One reached code a line. */
const file = resolve(import.meta.dirname, '../../node_modules/.cache/slipway-tests/reached-codes');
const started = (): boolean => existsSync(file);

/** For the environment of tests, which add to the list. `npm test` begins it. */
export const noteReachedCodes = ({ isAnew }: { readonly isAnew: boolean }): NodeJS.ProcessEnv => {
  if (isAnew) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  return started() ? { SLIPWAY_TEST_REACHED: file } : {};
};

const unreachedCodes = (): string[] => {
  const reached = new Set(readFileSync(file, 'utf8').split('\n'));
  // `Undone` is anybody's message; `CheckNames.RepositoryAlreadyExists` one step's own.
  const messages = new Set([...reached].map((code) => code.slice(code.indexOf('.') + 1)));
  const isReached = (code: string): boolean => reached.has(code) || (!code.includes('.') && messages.has(code));
  return [...Object.keys(errorCatalogue), ...Object.keys(stepMessages)].filter((code) => !isReached(code) && !Object.hasOwn(waiting, code));
};

/** One test that fails for the codes that neither run reached. */
export const reachedCodes = (): Count => {
  if (!started()) {
    process.stdout.write('\nWhich codes no test reaches is not known: `npm test` did not run here before.\n\n');
    return { ...none, skipped: 1 };
  }
  const missing = unreachedCodes();
  if (missing.length > 0) process.stdout.write(`\nNo test reached these codes over HTTP: ${missing.join(', ')}\n\n`);
  return one(missing.length === 0, `codes that no test reached: ${missing.join(', ')}`);
};
