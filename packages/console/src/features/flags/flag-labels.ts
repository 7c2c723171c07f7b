/** Words for flags, rules and previews. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { FlagRule, FlagType } from '@slipway/contract/flag/flag-rule.ts';
import type { Flag, FlagPreview, FlagSettings } from '@slipway/contract/flag/flag.ts';
import type { Tone } from '@slipway/ui/tone.ts';

export const typeLabels: Readonly<Record<FlagType, string>> = {
  BOOLEAN: 'Yes or no',
  STRING: 'Text',
  NUMBER: 'Number',
  JSON: 'JSON',
};

export const valueText = (value: unknown): string => {
  if (value === true) return 'on';
  if (value === false) return 'off';
  return value === null || value === undefined ? 'the fallback in the code' : JSON.stringify(value);
};

/** Summary of a flag in one environment. */
export const reachOf = ({ enabled, value, rules }: FlagSettings): { word: string; tone: Tone } => {
  const active = rules.filter((rule) => rule.enabled);
  if (!enabled) return { word: 'Off', tone: 'idle' };
  if (active.length === 0)
    return value === false ? { word: 'Off for everyone', tone: 'idle' } : { word: value === true ? 'On' : 'One value', tone: 'ok' };
  const [only] = active;
  return active.length === 1 && only && only.percentage < 100
    ? { word: `${only.percentage} %`, tone: 'run' }
    : { word: `${active.length} ${active.length === 1 ? 'rule' : 'rules'}`, tone: 'run' };
};

export const staleText: Readonly<Record<NonNullable<Flag['stale']>, string>> = {
  SAME_FOR_ALL: 'The answer has been the same for everyone for 90 days',
  UNUSED: 'No client has asked for 60 days',
};

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
/** Title of a rule: whom it is for. */
export const ruleTitle = (rule: FlagRule): string => {
  if (rule.effect === 'REQUIRE')
    return `Requires ${rule.prerequisites.map(({ flag, value }) => `${flag} = ${valueText(value)}`).join(' and ')}`;
  const whom = [
    ...(rule.people.length > 0 ? [counted(rule.people.length, 'person', 'people')] : []),
    ...(rule.teams.length > 0 ? [`teams ${rule.teams.join(', ')}`] : []),
    ...rule.groups.map(({ group, isIn }) => `${isIn ? 'people in' : 'people not in'} ${group}`),
    ...(Object.keys(rule.condition).length > 0 ? ['people who match the condition'] : []),
  ].join(' and ');
  const share = rule.percentage < 100 ? `${rule.percentage} % of ` : '';
  const needed = rule.prerequisites.map(({ flag, value }) => `${flag} = ${valueText(value)}`).join(' and ');
  return `For ${share}${whom === '' ? 'everyone' : whom}${needed === '' ? '' : `, if ${needed}`}`;
};
export const ruleAnswer = (rule: FlagRule): string => {
  if (rule.effect === 'REQUIRE') return 'otherwise the fallback in the code';
  return rule.effect === 'SPLIT'
    ? rule.variations.map(({ value, share }) => `${valueText(value)} ${share} %`).join(', ')
    : valueText(rule.value);
};

export const outcomeTexts: Readonly<Record<FlagPreview['steps'][number]['outcome'], readonly [Tone, string]>> = {
  MATCHED: ['ok', 'Matches'],
  PASSED: ['ok', 'The prerequisites hold. Go on'],
  DISABLED: ['idle', 'Disabled'],
  NOT_SCHEDULED: ['idle', 'Outside its schedule'],
  PREREQUISITE: ['warn', 'A prerequisite does not hold'],
  CONDITION: ['idle', 'Does not match'],
  BUCKET: ['idle', 'Matches, but is outside the share'],
  NOT_REACHED: ['idle', 'Not reached'],
};

export const newRule = (type: FlagType, id: string): FlagRule => ({
  id,
  description: '',
  enabled: true,
  effect: 'SERVE',
  value: { BOOLEAN: true, STRING: '', NUMBER: 0, JSON: {} }[type],
  variations: [],
  prerequisites: [],
  people: [],
  teams: [],
  groups: [],
  condition: {},
  percentage: 100,
  hashAttribute: 'id',
  seed: '',
  startsAt: null,
  endsAt: null,
});

export interface FlagPlace {
  app: string;
  env: Environment;
}
