/** Text-only checks before a promotion. */
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { compatibilityTexts } from '@slipway/contract/streaming/schema.ts';
import type { SchemaVerdict } from '@slipway/contract/streaming/schema-verdict.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { Check } from '#features/streaming/parts/CheckList.tsx';

const verdictOf = ({ state, reason, issues, revisionId, level, isSame }: SchemaVerdict): Omit<Check, 'key'> => {
  const against = `against version ${revisionId ?? '–'} there, ${compatibilityTexts[level].label}`;
  if (state === 'INCOMPATIBLE') return { tone: 'bad', main: count(issues.length, 'breaking change'), below: against };
  if (state === 'INVALID') return { tone: 'bad', main: 'It is not valid' };
  if (isSame) return { tone: 'ok', main: `The same content as version ${revisionId ?? '–'} there` };
  if (state === 'COMPATIBLE') return { tone: 'ok', main: `Compatible with version ${revisionId ?? '–'} there`, below: against };
  if (reason === 'REGISTRY_UNAVAILABLE')
    return { tone: 'warn', main: 'Not checked', below: 'The pipeline checks it before anything is changed.' };
  if (reason === 'LEVEL_NONE')
    return { tone: 'warn', main: 'Not checked: its level there is None', below: 'A change may stop those who read the messages.' };
  return { tone: 'ok', main: 'Nothing to compare with yet' };
};

const readersOf = ({ affected: { accounts, topics } }: SchemaVerdict): Check[] => {
  const apps = [...new Set(accounts.filter(({ operation }) => operation === 'READ').map(({ applicationCode }) => applicationCode))];
  if (topics.length === 0) return [];
  const names = topics.map(({ topic }) => topic).join(', ');
  const main = apps.length === 0 ? `Nobody reads ${names} there` : `${count(apps.length, 'app')} read ${names} there`;
  return [{ key: 'readers', tone: apps.length === 0 ? 'ok' : 'idle', main, ...(apps.length > 0 ? { below: apps.join(', ') } : {}) }];
};

/** Null means that production has no version yet. */
export const verdictChecks = (verdict: SchemaVerdict | null): Check[] =>
  verdict === null
    ? [{ key: 'verdict', tone: 'ok', main: 'New in production', below: 'It becomes version 1. Nobody reads it yet.' }]
    : [
        { key: 'verdict', ...verdictOf(verdict) },
        ...verdict.issues.map(({ path, subject, title, message, line }): Check => ({
          key: `${subject} ${path} ${title}`,
          tone: 'bad',
          main: title,
          below: line === null ? message : `Line ${line}. ${message}`,
        })),
        ...readersOf(verdict),
      ];

/** Omits the warning about production, which the page itself is about. */
export const warningChecks = (plan: Plan | undefined): Check[] =>
  (plan?.warnings ?? [])
    .filter(({ code }) => code !== 'ProductionChange')
    .map((note) => ({ key: JSON.stringify(note), tone: 'warn' as const, main: planTextOf(note) }));

export const deciderCheck = (team: string, isMember: boolean): Check => ({
  key: 'who',
  tone: isMember ? 'ok' : 'warn',
  main: isMember ? 'You decide' : `Members of ${team} decide`,
  below: isMember ? `As a member of ${team}. Nobody else is asked.` : 'You can see what would change.',
});
