/** Drift of a topic as table rows: Kafka's setting names beside ours, and a subject's version and level in one row. */
import { compatibilityTexts, CompatibilityLevel } from '@slipway/contract/streaming/schema.ts';
import type { TopicDifference, TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { cleanupLabels, hoursLabel } from '#features/streaming/streaming-labels.ts';

export interface DriftRow {
  readonly name: string;
  readonly ours: string;
  readonly theirs: string;
  readonly difference: TopicDifference | undefined;
}

const hourMs = 3_600_000;
const none = '–';
const ofLevel = ' compatibility';

const settingNames: Readonly<Record<string, string>> = {
  'cleanup.policy': 'Cleanup policy',
  'retention.ms': 'Kept',
  'segment.bytes': 'Size of a segment',
  'segment.ms': 'Time of a segment',
  'min.insync.replicas': 'Replicas that must confirm',
  partitions: 'Partitions',
  replicas: 'Replicas',
  topic: 'Topic',
};
/** Undefined if only Kafka's name exists. */
export const settingName = (name: string): string | undefined => settingNames[name];

const policyWords: Readonly<Record<string, string>> = {
  delete: cleanupLabels.DELETE,
  compact: cleanupLabels.COMPACT,
  'compact,delete': cleanupLabels.COMPACT_DELETE,
  'delete,compact': cleanupLabels.COMPACT_DELETE,
};
const levelWords = (value: string): string => {
  const { data } = CompatibilityLevel.safeParse(value);
  return data === undefined ? value : compatibilityTexts[data].label;
};

/** Formats Kafka's numbers, so that 86400000 reads as a day. */
export const settingValue = (name: string, value: string | null): string => {
  if (value === null) return none;
  if (name.endsWith(ofLevel)) return levelWords(value);
  if (name === 'cleanup.policy') return policyWords[value] ?? value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  if (name.endsWith('.ms') && number >= hourMs && number % hourMs === 0) return hoursLabel(number / hourMs);
  return name.endsWith('.bytes') ? bytes(number) : value;
};
const valueOf = ({ kind, name }: TopicDifference, value: string | null): string =>
  kind === 'SUBJECT' && value !== null ? versionWords(value) : settingValue(name, value);
const versionWords = (value: string): string => (value === 'newest' ? 'our newest version' : `version ${value}`);

const sameRow = (name: string, value: string): DriftRow => ({ name, ours: value, theirs: value, difference: undefined });

/** Differences first. */
export const driftRows = ({ differences, same }: TopicDrift): DriftRow[] => {
  const levels = new Map(same.filter(({ name }) => name.endsWith(ofLevel)).map(({ name, value }) => [name, levelWords(value)]));
  const settings = same.filter(({ name }) => settingName(name) !== undefined);
  const subjects = same.filter(({ name }) => settingName(name) === undefined && !levels.has(name));
  const said = new Set(subjects.map(({ name }) => name + ofLevel));
  return [
    ...differences.map((difference) => ({
      name: difference.name,
      ours: valueOf(difference, difference.ours),
      theirs: valueOf(difference, difference.theirs),
      difference,
    })),
    ...settings.map(({ name, value }) => sameRow(name, settingValue(name, value))),
    ...subjects.map(({ name, value }) => sameRow(name, [versionWords(value), levels.get(name + ofLevel)].filter(Boolean).join(', '))),
    // Adds the levels of subjects whose version differs.
    ...[...levels].filter(([name]) => !said.has(name)).map(([name, level]) => sameRow(name, level)),
  ];
};

/** Describes the effect of a resolution on one difference. */
export const becomes = (difference: TopicDifference, keep: 'ours' | 'theirs'): string => {
  const { name, ours, theirs } = difference;
  const own = ours === null ? 'the default' : valueOf(difference, ours);
  const other = theirs === null ? 'not there' : valueOf(difference, theirs);
  const what = settingName(name) ?? name;
  return keep === 'ours' ? `${what}: ${other} becomes ${own}` : `${what}: ${own} becomes ${other}`;
};
