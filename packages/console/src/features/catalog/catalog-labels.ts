/** Words and marks of the catalog. */
import type { EntryStatus } from '@slipway/contract/catalog/entry.ts';
import type { ScorecardCheck } from '@slipway/contract/catalog/rules.ts';
import type { CatalogFound } from '@slipway/contract/catalog/search.ts';
import type { StatusLook } from '#entities/status.ts';

export const entryLook: Readonly<Record<EntryStatus, StatusLook>> = {
  PENDING: { tone: 'warn', word: 'Waiting for approval' },
  ACTIVE: { tone: 'ok', word: 'Active' },
  REJECTED: { tone: 'bad', word: 'Rejected' },
  DECOMMISSIONED: { tone: 'idle', word: 'Decommissioned' },
};

const today = (): string => new Date().toISOString().slice(0, 10);
export const isPast = (date: string | null): boolean => date !== null && date < today();

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
/** "12 Mar 2026", of a date or a time. */
export const dayText = (at: string): string => day.format(new Date(at));

/** The worst fact about an entry, or what proves it. */
export const stateOf = (found: CatalogFound): StatusLook => {
  if (found.status !== 'ACTIVE') return entryLook[found.status];
  if (!found.owners.some(({ active }) => active)) return { tone: 'bad', word: 'No active owner' };
  if (isPast(found.targetDecommissioningDate)) return { tone: 'warn', word: 'Date passed' };
  if (found.kind !== 'application') return entryLook.ACTIVE;
  return found.verified ? { tone: 'ok', word: 'Verified' } : { tone: 'warn', word: 'Not verified' };
};

export const checkNames: Readonly<Record<ScorecardCheck, { holds: string; fails: string }>> = {
  owners: { holds: 'Two or more active owners', fails: 'Fewer than two active owners' },
  runs: { holds: 'Seen running within 30 days', fails: 'Not seen running within 30 days' },
  graded: { holds: 'Criticality and classification set', fails: 'Criticality or classification missing' },
  purpose: { holds: 'The description says what it is for', fails: 'The description is too short' },
  true: { holds: 'Confirmed within a year', fails: 'Not confirmed within a year' },
  issues: { holds: 'No open data issue', fails: 'A data issue is open' },
  dates: { holds: 'No date has passed', fails: 'The decommissioning date has passed' },
};

export const typeNames: Readonly<Record<string, string>> = {
  CUSTOMER: 'Customer',
  OPERATIONS: 'Operations',
  CORPORATE: 'Corporate',
  DATA: 'Data',
  FOUNDATION: 'Foundation',
  BUSINESS: 'Business',
  TECHNOLOGY: 'Technology',
  EXTERNAL: 'External',
  INTERNAL: 'Internal',
};
