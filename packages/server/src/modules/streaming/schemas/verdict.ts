/** Verdict on a draft by the registry's own check, for the schema's subject and those of all topics that use it. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { SchemaAffected, SchemaIssue, SchemaVerdict } from '@slipway/contract/streaming/schema-verdict.ts';
import type { CompatibilityLevel, SchemaType, StoredUse } from '@slipway/contract/streaming/schema.ts';
import type * as z from 'zod/mini';
import { isPortFailure } from '#ports/failure.ts';
import type { SchemaVerdict as PortVerdict, SchemaText } from '#ports/schema-registry.ts';
import type { SchemaField, SchemaProblem } from '#ports/schema.ts';
import type { StreamingUsers } from '../streaming-users.ts';
import { subjectsOf, textOf, topicsOf, type SchemaDeps, type SchemaRow } from './schema-rows.ts';

export interface Draft {
  readonly content: string;
  readonly level: CompatibilityLevel;
  readonly uses: readonly StoredUse[];
}

const countFields = (fields: readonly SchemaField[]): number => fields.length;
const problemsOf = (problems: readonly SchemaProblem[]): SchemaVerdict['problems'] =>
  problems.map(({ path, line, column, message }) => ({ path, line, column, message }));

const issuesOf = (subject: string, { issues }: PortVerdict): SchemaIssue[] =>
  issues.map(({ code, path, line, title, message, fix, version }) => ({
    code,
    path,
    line,
    title,
    message,
    subject,
    revisionId: version === 0 ? null : version,
    fix: fix ? { label: fix.label, edits: fix.edits.map(({ from, to, text }) => ({ from, to, insert: text })) } : null,
  }));

/** Removes issues that several subjects repeat. */
const distinct = (issues: readonly SchemaIssue[]): SchemaIssue[] => {
  const seen = new Map<string, SchemaIssue>();
  for (const issue of issues) {
    const key = `${issue.code} ${issue.path} ${issue.revisionId} ${issue.message}`;
    if (!seen.has(key)) seen.set(key, issue);
  }
  return [...seen.values()].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
};

export interface SubjectVerdict {
  readonly subject: string;
  readonly verdict: PortVerdict;
}
/** Checks every subject in which the new version would be registered, the schema's own first. */
export const checkSubjects = async (
  { db, registry }: SchemaDeps,
  row: SchemaRow,
  { content, level, uses }: Draft,
): Promise<SubjectVerdict[]> => {
  const text = textOf(row.type, content, uses);
  const verdicts: SubjectVerdict[] = [];
  for (const subject of await subjectsOf(db, row)) {
    verdicts.push({ subject, verdict: await registry.check(row.environment, subject, text, level) });
  }
  return verdicts;
};

const affectedBy = async (
  deps: SchemaDeps & { readonly users: StreamingUsers },
  row: SchemaRow,
): Promise<z.infer<typeof SchemaAffected>> => {
  const topics = await topicsOf(deps.db, row.id);
  const users = await deps.users.ofTopics([...new Set(topics.map(({ topicId }) => topicId))]);
  return {
    topics: topics.map(({ topicId, topic, applicationCode, part }) => ({
      topicId,
      topic,
      applicationCode,
      environmentClass: row.environment,
      part,
    })),
    accounts: users.map(({ account, applicationCode, topic, operation }) => ({ account, applicationCode, topic, operation })),
  };
};

const empty = { problems: [], issues: [], fields: null, isSame: false } satisfies Partial<SchemaVerdict>;
const noneAffected = { topics: [], accounts: [] };
/** Returns NOT_CHECKED if the registry is unavailable. Rethrows other errors. */
const unlessAway = async (work: () => Promise<SchemaVerdict>, away: Omit<SchemaVerdict, 'state' | 'reason'>): Promise<SchemaVerdict> => {
  try {
    return await work();
  } catch (error) {
    if (!isPortFailure(error, 'unavailable')) throw error;
    return { ...away, state: 'NOT_CHECKED', reason: 'REGISTRY_UNAVAILABLE' };
  }
};

/** Returns the verdict for a schema that does not exist yet. */
export const firstVerdict = (
  { registry }: SchemaDeps,
  environment: Environment,
  type: SchemaType,
  { content, level, uses }: Draft,
): Promise<SchemaVerdict> => {
  const base = { ...empty, level, revisionId: null, affected: noneAffected };
  return unlessAway(async () => {
    const text: SchemaText = textOf(type, content, uses);
    const parsed = await registry.parse(environment, text);
    if (!parsed.ok) return { ...base, state: 'INVALID', reason: null, problems: problemsOf(parsed.problems) };
    return { ...base, state: 'NOT_CHECKED', reason: 'FIRST_VERSION', fields: countFields(parsed.schema.fields()) };
  }, base);
};

export const draftVerdict = async (
  deps: SchemaDeps & { readonly users: StreamingUsers },
  row: SchemaRow,
  draft: Draft,
): Promise<SchemaVerdict> => {
  const base = { ...empty, level: draft.level, revisionId: row.revision_id, affected: await affectedBy(deps, row) };
  return unlessAway(async () => {
    const parsed = await deps.registry.parse(row.environment, textOf(row.type, draft.content, draft.uses));
    if (!parsed.ok) return { ...base, state: 'INVALID', reason: null, problems: problemsOf(parsed.problems) };
    const verdicts = await checkSubjects(deps, row, draft);
    const isSame = verdicts[0]?.verdict.same !== undefined && verdicts[0].verdict.same === verdicts[0].verdict.newest;
    const found = { ...base, isSame, fields: countFields(parsed.schema.fields()) };
    if (draft.level === 'NONE') return { ...found, state: 'NOT_CHECKED', reason: 'LEVEL_NONE' };
    const issues = distinct(verdicts.flatMap(({ subject, verdict }) => issuesOf(subject, verdict)));
    const isCompatible = verdicts.every(({ verdict }) => verdict.isCompatible);
    return { ...found, state: isCompatible ? 'COMPATIBLE' : 'INCOMPATIBLE', reason: null, issues };
  }, base);
};
