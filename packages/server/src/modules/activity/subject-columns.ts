/** Maps a subject to the columns of pipelines and activity. */
import { idsOf, subjectKeys } from '@slipway/contract/kinds.ts';
import type { Subject } from '@slipway/contract/kernel/subject.ts';

export interface SubjectColumns {
  readonly team_id: string | null;
  readonly app_id: string | null;
  readonly environment: string | null;
  readonly subject_kind: string;
  readonly subject_names: string;
  readonly subject_id: string | null;
  readonly subject_keys: string[];
}
/** Team, app and environment have their own columns, with indexes by time, because whole pages list them. */
export const subjectColumns = (subject: Subject): SubjectColumns => ({
  team_id: subject.team ?? subject.names['team'] ?? null,
  app_id: subject.names['app'] ?? null,
  environment: subject.names['env'] ?? null,
  subject_kind: subject.kind,
  subject_names: JSON.stringify(subject.names),
  subject_id: subject.ids?.[subject.kind] ?? null,
  subject_keys: subjectKeys(subject),
});

/** Undefined for a row without a subject. */
export const subjectOfRow = (row: {
  readonly team_id: string | null;
  readonly subject_kind: string | null;
  readonly subject_names: Readonly<Record<string, string>>;
  readonly subject_keys: readonly string[];
}): Subject | undefined =>
  row.subject_kind === null
    ? undefined
    : {
        kind: row.subject_kind,
        names: row.subject_names,
        team: row.team_id ?? undefined,
        ids: idsOf(row.subject_keys),
      };
