/** Labels for robot accounts: permissions, expiry, and groups. */
import { robotMatrix, type RobotAccount, type RobotPermission } from '@slipway/contract/registry/robot-account.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { RowGroup } from '@slipway/ui/list/Table.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import { daysUntil, dayLabel, inDays } from '#features/registry/days.ts';

export const robotAbilities = ['Pull', 'Push', 'Delete'] as const;
export type RobotAbility = (typeof robotAbilities)[number];

/** Abilities that the list shows. The form shows all permissions. */
export const abilitiesOf = (permissions: readonly RobotPermission[]): ReadonlySet<RobotAbility> =>
  new Set([
    ...(permissions.includes('repository:pull') ? (['Pull'] as const) : []),
    ...(permissions.includes('repository:push') ? (['Push'] as const) : []),
    ...(permissions.includes('artifact:delete') || permissions.includes('tag:delete') ? (['Delete'] as const) : []),
  ]);

export const matrixColumns = [
  { key: 'read', label: 'Read' },
  { key: 'write', label: 'Write' },
  { key: 'remove', label: 'Delete' },
] as const;
type MatrixRow = (typeof robotMatrix)[number];
/** Returns the permission of a cell, or undefined if the registry has none. */
export const cellOf = (row: MatrixRow, column: (typeof matrixColumns)[number]['key']): RobotPermission | undefined =>
  column === 'read' ? row.read : column === 'write' ? ('write' in row ? row.write : undefined) : 'remove' in row ? row.remove : undefined;

export interface ExpiryLook {
  tone: Tone | undefined;
  word: string;
  below: string;
}
/** "Expired 6 days ago" with refused logins since; "29 Nov, in 9 days"; "30 Jan 2027". */
export const expiryLook = ({ state, expiresOn, refusals, managedBy }: RobotAccount, now: Date): ExpiryLook => {
  const refused =
    refusals.count === 0 ? '' : `refused ${refusals.count === 1 ? 'once' : `${refusals.count.toLocaleString('en')} times`} since`;
  if (managedBy === 'PLATFORM') return { tone: undefined, word: 'Never', below: 'has no secret: a token of five minutes for each use' };
  if (state === 'DISABLED') return { tone: 'off', word: 'Disabled', below: refused };
  if (expiresOn === null) return { tone: undefined, word: 'Never', below: '' };
  const days = daysUntil(expiresOn, now);
  if (state === 'EXPIRED')
    return { tone: 'bad', word: days === -1 ? 'Expired yesterday' : `Expired ${count(-days, 'day')} ago`, below: refused };
  if (state === 'EXPIRING')
    return { tone: 'warn', word: `${dayLabel(expiresOn, now)}, ${inDays(days)}`, below: 'rotate and extend it before' };
  return { tone: undefined, word: dayLabel(expiresOn, now), below: inDays(days) };
};

/** Expired and expiring accounts first, the platform's accounts last. */
export const robotGroups = (robots: readonly RobotAccount[]): RowGroup<RobotAccount>[] => {
  const needsLook = ({ state, managedBy }: RobotAccount): boolean => managedBy === 'TEAM' && (state === 'EXPIRED' || state === 'EXPIRING');
  return [
    { key: 'look', label: 'Needs a look', rows: robots.filter(needsLook) },
    { key: 'order', label: 'In order', rows: robots.filter((robot) => robot.managedBy === 'TEAM' && !needsLook(robot)) },
    { key: 'platform', label: 'Kept by Slipway', rows: robots.filter(({ managedBy }) => managedBy === 'PLATFORM') },
  ];
};
