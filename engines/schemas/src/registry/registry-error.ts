/** Errors of the registry's API, with the status and error code that Confluent's clients know. */
import { isDatabaseOutage } from '@slipway/foundation/database-outage.ts';

export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

const error = (code: number, message: string): RegistryError => new RegistryError(Math.trunc(code / 100), code, message);

export const errors = {
  noSubject: (subject: string) => error(40401, `Subject '${subject}' not found.`),
  noVersion: (version: number) => error(40402, `Version ${version} not found.`),
  noSchema: (id?: number) => error(40403, id === undefined ? 'Schema not found' : `Schema ${id} not found`),
  subjectDeleted: (subject: string) => error(40404, `Subject '${subject}' was soft deleted. Set permanent=true to delete it permanently`),
  subjectNotDeleted: (subject: string) => error(40405, `Subject '${subject}' was not deleted first before being permanently deleted`),
  versionDeleted: (subject: string, version: number) =>
    error(40406, `Subject '${subject}' Version ${version} was soft deleted. Set permanent=true to delete it permanently`),
  versionNotDeleted: (subject: string, version: number) =>
    error(40407, `Subject '${subject}' Version ${version} was not deleted first before being permanently deleted`),
  noLevel: (subject: string) => error(40408, `Subject '${subject}' does not have subject-level compatibility configured`),
  noMode: (subject: string) => error(40409, `Subject '${subject}' does not have subject-level mode configured`),
  /** The code equals the HTTP status, as clients expect. */
  incompatible: (subject: string, details: readonly string[]) =>
    new RegistryError(
      409,
      409,
      `Schema being registered is incompatible with an earlier schema for subject "${subject}", details: [${details.join(', ')}]`,
    ),
  invalidSchema: (reason: string) => error(42201, `Invalid schema: ${reason}`),
  invalidVersion: (version: string) =>
    error(
      42202,
      `The specified version '${version}' is not a valid version id. Allowed values are between [1, 2^31-1] and the string "latest"`,
    ),
  invalidLevel: () =>
    error(
      42203,
      'Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, forward_transitive, and full_transitive',
    ),
  invalidMode: () => error(42204, 'Invalid mode. Valid values are READWRITE, READONLY, READONLY_OVERRIDE, IMPORT and FORWARD'),
  notPermitted: (message: string) => error(42205, message),
  referenceExists: (subject: string, version: number) =>
    error(42206, `One or more references exist to the schema {subject=${subject},version=${version}}`),
  otherId: (id: number, other: number) => error(42207, `The schema has the id ${other}, not ${id}`),
  idTaken: (id: number) => error(42207, `The id ${id} belongs to another schema`),
  invalidSubject: (reason: string) => error(42208, `The specified subject is not a valid subject: ${reason}`),
  invalidRules: () => error(42210, 'Rule sets and metadata are not supported by this registry'),
  invalidBody: (reason: string) => new RegistryError(422, 422, reason),
  busy: () => error(50002, 'The subject is being changed by others; try again'),
} as const;

/** Maps an error to an API error. Returns undefined for internal errors, which belong in the log. */
export const asRegistryError = (thrown: unknown): RegistryError | undefined => {
  if (thrown instanceof RegistryError) return thrown;
  if (isDatabaseOutage(thrown)) return new RegistryError(503, 50001, 'The database does not answer; try again', { 'Retry-After': '2' });
  return undefined;
};
