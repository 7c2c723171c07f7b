/** Compares a subject with its wanted state, both for subjects of topics and for a schema's own subject. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { TopicDifference, TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import type { CompatibilityLevel } from '#ports/schema.ts';
import type { SubjectHead } from '#ports/schema-registry.ts';
import { textOf, type SchemaDeps, type SchemaRow } from './schema-rows.ts';

export type ComparedSchema = Pick<SchemaRow, 'id' | 'subject' | 'registry_id' | 'compatibility'>;
export interface WantedSubject {
  readonly subject: string;
  readonly schema: ComparedSchema;
}
export interface SeenSubject {
  readonly subject: string;
  /** Newest version in the registry. Undefined if there is none. */
  readonly version: number | undefined;
  /** Version with the wanted content. Undefined if there is none. */
  readonly ours: number | undefined;
  readonly wantedLevel: CompatibilityLevel;
  /** Undefined if the subject has no version. */
  readonly level: CompatibilityLevel | undefined;
}
/** In most registries the same content has the same id. If the ids differ, the registry decides whether the contents are equivalent. */
const versionOf = async (
  { db, registry }: SchemaDeps,
  environment: Environment,
  { subject, schema }: WantedSubject,
): Promise<number | undefined> => {
  const { type, content, uses } = await db
    .selectFrom('event_schema')
    .select(['type', 'content', 'uses'])
    .where('id', '=', schema.id)
    .executeTakeFirstOrThrow();
  return (await registry.lookup(environment, subject, textOf(type, content, uses)))?.version;
};
export const seenSubject = async (
  deps: SchemaDeps,
  environment: Environment,
  wanted: WantedSubject,
  head: SubjectHead | undefined,
): Promise<SeenSubject> => {
  const { subject, schema } = wanted;
  const levels = { wantedLevel: schema.compatibility, level: head?.level };
  if (!head) return { subject, ...levels, version: undefined, ours: undefined };
  const { version } = head;
  return { subject, ...levels, version, ours: head.id === schema.registry_id ? version : await versionOf(deps, environment, wanted) };
};

export type Compared = Pick<TopicDrift, 'differences' | 'same'>;

export const difference = (
  kind: TopicDifference['kind'],
  name: string,
  ours: string | null,
  theirs: string | null,
  ways: string,
): TopicDifference => ({
  kind,
  name,
  ours,
  theirs,
  canRepair: ways.includes('r'),
  canAdopt: ways.includes('a'),
});

interface Found {
  readonly differences: TopicDifference[];
  readonly same: Compared['same'];
}
export const compareSubject = ({ subject, version, ours, level, wantedLevel }: SeenSubject, { differences, same }: Found): void => {
  if (version !== undefined && version === ours) same.push({ name: subject, value: String(version) });
  // A newer version that someone else registered stays. The next version saved here comes after it.
  else {
    const theirs = version === undefined ? null : String(version);
    differences.push(difference('SUBJECT', subject, 'newest', theirs, ours === undefined ? 'r' : ''));
  }
  if (level === undefined) return;
  const name = levelName(subject);
  if (level === wantedLevel) same.push({ name, value: level });
  else differences.push(difference('LEVEL', name, wantedLevel, level, 'r'));
};
/** Name of the difference in a subject's level, as opposed to its version. */
export const levelName = (subject: string): string => `${subject} compatibility`;
