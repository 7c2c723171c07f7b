/** The content of a promotion: the rows and differences that are taken, and the values that were typed. */
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { promotionKinds, type AppPromote, type PromotionKind, type PromotionRow } from '@slipway/contract/promotion.ts';

export const kindPlurals: Readonly<Record<PromotionKind, string>> = {
  secretGroup: 'Secrets, by name',
  database: 'Databases',
  schema: 'Schemas',
  topic: 'Topics',
  account: 'Accounts',
  service: 'Services',
};
export const kindLabels: Readonly<Record<PromotionKind, string>> = {
  secretGroup: 'Secret group',
  database: 'Database',
  schema: 'Schema',
  topic: 'Topic',
  account: 'Account',
  service: 'Service',
};

export type Difference = PromotionRow['differences'][number];
/** A line of the comparison: a resource, one key of a secret group, or one difference of a service that both environments have. */
export interface Line {
  readonly id: string;
  readonly row: PromotionRow;
  readonly difference: Difference | undefined;
}
/** The user's ticks by line, where they differ from the preselection. */
export type Ticks = ReadonlyMap<string, boolean>;
/** Typed values by `valueId`. */
export type Values = ReadonlyMap<string, string>;

export const rowId = ({ kind, name }: Pick<PromotionRow, 'kind' | 'name'>): string => `${kind} ${name}`;
export const valueId = (row: Pick<PromotionRow, 'kind' | 'name'>, key: string): string => `${rowId(row)} ${key}`;

export const linesOf = (row: PromotionRow): Line[] =>
  (row.kind === 'service' && row.state === 'DIFFERS') || row.missingKeys.length > 0
    ? row.differences.map((difference) => ({ id: `${rowId(row)} ${difference.field}`, row, difference }))
    : [{ id: rowId(row), row, difference: undefined }];

export const canTake = ({ state, blocked }: PromotionRow): boolean => (state === 'MISSING' || state === 'DIFFERS') && blocked === null;
export const isTaken = ({ id, row, difference }: Line, ticks: Ticks): boolean =>
  canTake(row) && (ticks.get(id) ?? (difference ? difference.isChosen : row.isChosen));

/** A part as it would be sent. `missing` are the keys without a value. */
export interface ChosenPart {
  readonly row: PromotionRow;
  readonly part: AppPromote['parts'][number];
  readonly missing: readonly string[];
}
const chosenPart = (row: PromotionRow, ticks: Ticks, values: Values): ChosenPart | undefined => {
  const taken = linesOf(row).filter((line) => isTaken(line, ticks));
  if (taken.length === 0) return undefined;
  const { kind, name, mark } = row;
  const fields = taken.flatMap(({ difference }) => difference?.field ?? []);
  const typed = row.missingKeys.filter((key) => fields.includes(key)).map((key) => ({ key, value: values.get(valueId(row, key)) ?? '' }));
  return {
    row,
    part: {
      kind,
      name,
      mark,
      ...(kind === 'service' && fields.length > 0 ? { fields } : {}),
      ...(kind === 'secretGroup' ? { entries: typed.filter(({ value }) => value !== '') } : {}),
    },
    missing: typed.filter(({ value }) => value === '').map(({ key }) => key),
  };
};
/** In the order in which they are promoted. */
export const chosenParts = (rows: readonly PromotionRow[], ticks: Ticks, values: Values): ChosenPart[] =>
  rows
    .flatMap((row) => chosenPart(row, ticks, values) ?? [])
    .toSorted((a, b) => promotionKinds.indexOf(a.row.kind) - promotionKinds.indexOf(b.row.kind));

/** The parts to send. A key without a value is left out, and so is a group without any. */
export const sentParts = (chosen: readonly ChosenPart[]): ChosenPart[] =>
  chosen.filter(({ part }) => part.kind !== 'secretGroup' || (part.entries?.length ?? 0) > 0);

/** The notes of a plan have the fields `parts.N`, by the order of the parts that were planned. */
export interface PlannedParts {
  readonly plan: Pick<Plan, 'consequences' | 'warnings' | 'freeze'>;
  readonly rows: readonly string[];
}
/** Returns the notes about one row. A plan of other rows has none for it. */
export const textsFor = (planned: PlannedParts | undefined, part: ChosenPart, notes: 'consequences' | 'warnings'): string[] => {
  const field = `parts.${planned?.rows.indexOf(rowId(part.row))}`;
  return [...new Set(planned?.plan[notes].filter((note) => note.field === field).map(planTextOf))];
};
