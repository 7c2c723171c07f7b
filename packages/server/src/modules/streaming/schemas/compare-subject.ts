/** Where a subject differs from what is wanted of it, for a topic's subjects as for a schema's own. */
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
  /** The newest version there; undefined where the registry has none. */
  readonly version: number | undefined;
  /** The version that has the content that is wanted; undefined where none has. */
  readonly ours: number | undefined;
  readonly wantedLevel: CompatibilityLevel;
  /** Undefined where there is no version. */
  readonly level: CompatibilityLevel | undefined;
}
/** One content has one id, in most registries. Where the ids differ, the registry says whether the contents mean the same. */
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
  // A version that somebody else registered above ours stays: whoever saves a new version here comes above it.
  else {
    const theirs = version === undefined ? null : String(version);
    differences.push(difference('SUBJECT', subject, 'newest', theirs, ours === undefined ? 'r' : ''));
  }
  if (level === undefined) return;
  const name = levelName(subject);
  if (level === wantedLevel) same.push({ name, value: level });
  else differences.push(difference('LEVEL', name, wantedLevel, level, 'r'));
};
/** How the difference in a subject's level is called, beside that in its version. */
export const levelName = (subject: string): string => `${subject} compatibility`;
