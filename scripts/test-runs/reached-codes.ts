/**
 * After a run of the whole: every error code and every step message of the catalogues was reached by a test over HTTP, but for those
 * that wait for an area of the product, each with the reason. A text that nobody can meet is a text that nobody has seen right.
 */
import { readFileSync } from 'node:fs';
import { errorCatalogue } from '../../packages/contract/src/kernel/errors.ts';
import { stepMessages } from '../../packages/contract/src/pipeline/steps.ts';

const later = {
  directory: 'needs a company directory',
  streaming: 'belongs to event streaming',
  engines: 'needs a vendor engine that others use, too',
  browser: 'is found in the browser, before anything is sent',
};
const waiting: Readonly<Record<string, string>> = {
  AzureADAzureADUserDoesNotExist: later.directory,
  AzureADServicePrincipalDoesNotExist: later.directory,
  AzureADUserHasNoEmail: later.directory,
  TeamServicePrincipalsMustBeValid: later.directory,
  'CreateTeam.TeamAlreadyExists': later.directory,
  GithubRepositoryAlreadyExists: later.engines,
  InfraBrokerDoesNotExist: later.streaming,
  APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS: later.streaming,
  SecretFileLineInvalid: later.browser,
  SecretFileNotFlat: later.browser,
  SecretFileUnclosed: later.browser,
  SecretFileInvalid: later.browser,
};

/** The codes that no test reached; `file` holds one reached code a line. */
export const unreachedCodes = (file: string): string[] => {
  const reached = new Set(readFileSync(file, 'utf8').split('\n'));
  // `Undone` is anybody's message; `CheckNames.RepositoryAlreadyExists` one step's own.
  const messages = new Set([...reached].map((code) => code.slice(code.indexOf('.') + 1)));
  const isReached = (code: string): boolean => reached.has(code) || (!code.includes('.') && messages.has(code));
  return [...Object.keys(errorCatalogue), ...Object.keys(stepMessages)].filter((code) => !isReached(code) && !Object.hasOwn(waiting, code));
};
