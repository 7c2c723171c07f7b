/** Rules of the catalog that server and console share. */
import type { EntryKind, EntryStatus } from './entry.ts';

export const scorecardChecks = ['owners', 'runs', 'graded', 'purpose', 'true', 'issues', 'dates'] as const;
export type ScorecardCheck = (typeof scorecardChecks)[number];

export const seenRunningDays = 30;
export const attestedDays = 365;
/** Owners are asked to attest this many days after the last attestation. */
export const askToAttestDays = 335;
const purposeLength = 40;
const day = 86_400_000;

/** Facts of an application that the checks are about. */
export interface ApplicationFacts {
  readonly status: EntryStatus;
  readonly name: string;
  readonly description: string;
  readonly activeOwners: number;
  readonly platformStatus: EntryStatus | null;
  readonly criticality: string | null;
  readonly classification: string | null;
  readonly isLocallyManaged: boolean;
  readonly seenRunningAt: Date | null;
  readonly attestedAt: Date | null;
  readonly targetDate: string | null;
  readonly pendingIssues: number;
}

const isWithin = (at: Date | null, days: number, now: Date): boolean => at !== null && now.getTime() - at.getTime() <= days * day;
const isGraded = ({ criticality, classification }: ApplicationFacts): boolean => criticality !== null && classification !== null;

/** True if the entry is complete enough to rely on: active, on an active platform, owned and graded. */
export const isValidApp = (facts: ApplicationFacts): boolean =>
  facts.status === 'ACTIVE' && facts.platformStatus === 'ACTIVE' && facts.activeOwners > 0 && isGraded(facts);

/** True if the application was recently seen running, or attested if it runs outside of Slipway. */
export const isVerified = (facts: ApplicationFacts, now: Date): boolean =>
  facts.activeOwners > 0 &&
  (facts.isLocallyManaged ? isWithin(facts.attestedAt, attestedDays, now) : isWithin(facts.seenRunningAt, seenRunningDays, now));

const words = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const checks: Readonly<Record<ScorecardCheck, (facts: ApplicationFacts, now: Date) => boolean>> = {
  owners: ({ activeOwners }) => activeOwners >= 2,
  runs: ({ seenRunningAt }, now) => isWithin(seenRunningAt, seenRunningDays, now),
  graded: isGraded,
  purpose: ({ name, description }) => description.length >= purposeLength && words(description) !== words(name),
  true: ({ attestedAt }, now) => isWithin(attestedAt, attestedDays, now),
  issues: ({ pendingIssues }) => pendingIssues === 0,
  dates: ({ targetDate }, now) => targetDate === null || targetDate > now.toISOString().slice(0, 10),
};
/** The seven checks. Locally managed applications have six: nobody can see them running. */
export const scorecardOf = (facts: ApplicationFacts, now: Date): { check: ScorecardCheck; holds: boolean }[] =>
  scorecardChecks
    .filter((check) => check !== 'runs' || !facts.isLocallyManaged)
    .map((check) => ({ check, holds: checks[check](facts, now) }));

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

/** Adds working days, Monday to Friday, to a date. Returns `YYYY-MM-DD`. */
export const workingDaysAfter = (from: Date, count: number): string => {
  const date = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate()));
  for (let left = count; left > 0;) {
    date.setUTCDate(date.getUTCDate() + 1);
    if (date.getUTCDay() % 6 !== 0) left -= 1;
  }
  return date.toISOString().slice(0, 10);
};
