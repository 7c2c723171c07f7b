/** A retention rule as a sentence. */
import type { Retention } from '@slipway/contract/registry/policy.ts';
import { count } from '@slipway/ui/format/count.ts';

/** "Keeps the newest 10 tags of each repository, everything pushed in the last 90 days, and tags that match v.*." */
export const retentionWords = (rule: Retention | null): string => {
  if (rule === null) return 'Keeps every tag: nothing is deleted by itself.';
  const parts = [
    `the newest ${rule.keepNewest === 1 ? 'tag' : count(rule.keepNewest, 'tag')} of each repository`,
    ...(rule.keepDays === null ? [] : [`everything pushed in the last ${rule.keepDays === 1 ? 'day' : count(rule.keepDays, 'day')}`]),
    ...(rule.keepPattern === null ? [] : [`tags that match ${rule.keepPattern}`]),
  ];
  return `Keeps ${new Intl.ListFormat('en-GB').format(parts)}.`;
};
