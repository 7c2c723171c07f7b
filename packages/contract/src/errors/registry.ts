/** The container registry: a project's content and its pull policy. */
import type { ErrorEntry } from './error-entry.ts';

export const registryErrors = {
  RepositoryDoesNotExist: { status: 404, message: 'There is no such repository in the registry project' },
  TagDoesNotExist: { status: 404, message: 'There is no such tag in the repository' },
  TagInUse: { status: 409, message: 'A revision runs this image and needs it. {revision}' },
  RepositoryInUse: { status: 409, message: 'Revisions run images of this repository and need them. {revision}' },
  DuplicateCve: { status: 400, message: '{name} is allowed more than once' },
  CveExpiry: { status: 400, message: 'An allowed vulnerability needs an end, from today on and at most {max} days away' },
  ImageVulnerable: {
    status: 412,
    message: '{cve} ({severity}) is in {package}. The project refuses images from severity {from} on.',
  },
  ImagePartlyScanned: {
    status: 412,
    message: 'The image could not be checked wholly, and the project refuses vulnerable images. {detail}',
  },
  ImageNotScanned: { status: 412, message: 'The image has not been scanned, and the project refuses vulnerable images' },
  KeyRotationRunning: { status: 409, message: 'A rotation of the key is under way' },
  ScanMissing: { status: 409, message: 'The image has no scan to take it from. Scan it first.' },
  AdvisoriesInvalid: { status: 400, message: 'These are no advisories in the OSV format: {reason}' },
  AdvisoriesTooLarge: {
    status: 400,
    message: 'The import is larger than {limit}. Run slipway advisories import on the server, or import one ecosystem at a time.',
  },
} as const satisfies Record<string, ErrorEntry>;
