/** Engines and disk of the platform. */
import type { ErrorEntry } from './error-entry.ts';

export const platformErrors = {
  EngineUnavailable: {
    status: 503,
    message: 'The {engine} does not answer. Nothing was changed. Try again in a moment.',
  },
  PlatformDiskFull: {
    status: 507,
    message: 'The disk of the platform is full, so that nothing more can be kept. Nothing was changed. Tell your operators, and try again.',
  },
} as const satisfies Record<string, ErrorEntry>;
