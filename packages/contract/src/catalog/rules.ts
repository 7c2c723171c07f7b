/** Rules of the catalog that server and console share. */
import type { EntryKind } from './entry.ts';

/** Checks of the scorecard. The database evaluates them (catalog_keep). Locally managed applications have no `runs`. */
export const scorecardChecks = ['owners', 'runs', 'graded', 'purpose', 'true', 'issues', 'dates'] as const;
export type ScorecardCheck = (typeof scorecardChecks)[number];

/** Owners are asked to attest this many days after the last attestation. */
export const askToAttestDays = 335;

/** Fields whose change needs an approval, by kind. Changes of owners and of an application's platform have request types of their own. */
export const gatedFields: Readonly<Record<EntryKind, readonly string[]>> = {
  application: ['applicationName', 'criticalityId', 'classificationId'],
  platform: ['platformName', 'portfolioId'],
  portfolio: ['portfolioName', 'shortName'],
  product: ['productName'],
};

/** `Terminal Operations` → `TO`. Names of one word give their first letters. */
export const shortNameOf = (name: string): string => {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
  const parts = plain.split(/[^A-Z0-9]+/).filter((part) => part !== '');
  const initials = parts.map((part) => part.charAt(0)).join('');
  return (initials.length >= 2 ? initials : (parts[0] ?? 'XX').padEnd(2, 'X').slice(0, 3)).slice(0, 8);
};
