/** The error catalogue: every code that may reach a user, with its status and text. The texts are in `errors/`, by subject. */
import type { ErrorEntry } from '../errors/error-entry.ts';
import { accountsErrors } from '../errors/accounts.ts';
import { catalogErrors } from '../errors/catalog.ts';
import { databasesErrors } from '../errors/databases.ts';
import { flagsErrors } from '../errors/flags.ts';
import { formsErrors } from '../errors/forms.ts';
import { freezesErrors } from '../errors/freezes.ts';
import { platformErrors } from '../errors/platform.ts';
import { registryErrors } from '../errors/registry.ts';
import { requestsErrors } from '../errors/requests.ts';
import { rightsErrors } from '../errors/rights.ts';
import { secretsErrors } from '../errors/secrets.ts';
import { serviceSettingsErrors } from '../errors/service-settings.ts';
import { servicesErrors } from '../errors/services.ts';
import { specificationErrors } from '../errors/specification.ts';
import { topicsErrors } from '../errors/topics.ts';

export const errorCatalogue = {
  ...specificationErrors,
  ...formsErrors,
  ...freezesErrors,
  ...rightsErrors,
  ...requestsErrors,
  ...flagsErrors,
  ...servicesErrors,
  ...serviceSettingsErrors,
  ...databasesErrors,
  ...accountsErrors,
  ...topicsErrors,
  ...secretsErrors,
  ...registryErrors,
  ...platformErrors,
  ...catalogErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code);

/** Codes that any route may answer in addition to its own. */
export const generalCodes: readonly ErrorCode[] = [
  'NotSignedIn',
  'TokenInvalid',
  'TokenScopeMissing',
  'BodyInvalid',
  'BodyTooDeep',
  'BodyKeyInvalid',
  'RequestInvalid',
  'MethodNotAllowed',
  'HeadersTooLarge',
  'TooManyRequests',
  'TooManyStreams',
  'PayloadTooLarge',
  'IdempotencyKeyReused',
  'WrongHost',
  'EngineUnavailable',
  'PlatformDiskFull',
  'INTERNAL_APPLICATION_ERROR',
  'MISSING_RESOURCE',
];

/** Fills in a template: `'Team {team}'`, `{ team: 'x' }` → `'Team x'`. A missing value becomes the empty string. */
export const fill = (template: string, context: Readonly<Record<string, string>> = {}): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => context[name] ?? '');

/** Default text of a schema, for fields that nobody labelled: their errors have a `path` (specification §5). */
const defaultText: Readonly<Record<string, string>> = { Required: '{path} is a required field' };

/** Returns the catalogue's text for a code, or the empty string for an unknown code (specification, message lookup). */
export const messageOf = (code: string, context: Readonly<Record<string, string>> = {}): string =>
  isErrorCode(code) ? fill((context['path'] !== undefined && defaultText[code]) || errorCatalogue[code].message, context) : '';

/** Returns the context of an error with the label of its field instead of the path. */
export const labelled = (context: Readonly<Record<string, string>> = {}, label: string): Record<string, string> => {
  const { path: _, ...others } = context;
  return { ...others, label };
};

/** One entry of the error object's list. Without `field` the entry concerns the whole request. */
export interface FieldError {
  readonly field?: string;
  readonly code: string;
  readonly context?: Readonly<Record<string, string>>;
}
/** The specification's error object in the shape of RFC 9457. */
export interface ErrorObject {
  readonly status: number;
  readonly title: string;
  readonly traceId?: string;
  readonly errors: readonly FieldError[];
  readonly detail?: string;
  readonly name?: string;
  /** `name` and `detail` under the names of the specification's second part. */
  readonly code?: string;
  readonly message?: string;
}
