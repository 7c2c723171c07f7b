/** Reads the state of an entity's pipelines, and derives rules and the draft from it. */
import { sql, type RawBuilder } from 'kysely';
import { isActive, type PipelineState } from '@slipway/contract/pipeline/pipeline.ts';

/** Read by `runColumns`. */
export interface RunState {
  /** State of the active run on the row, of any pipeline. */
  readonly busy: PipelineState | null;
  /** State of the pipeline that last created or changed the row. It may work under the lock of another row, as a stream does. */
  readonly last: PipelineState | null;
}

export const runColumns = (table: string, kind: string): RawBuilder<unknown> => {
  const of = (column: string) => sql.ref(`${table}.${column}`);
  const subject = sql`${sql.lit(`${kind}:`)} || ${of('app_id')} || '/' || ${of('environment')} || '/' || ${of('name')}`;
  return sql`
    (select state from pipeline_run where subject = ${subject} and state in ('QUEUED', 'PENDING', 'RUNNING')) as busy,
    (select run.state from pipeline join pipeline_run run on run.run_id = pipeline.latest_run_id where pipeline.id = ${of('pipeline_id')}) as last`;
};

export const isBusy = ({ busy, last }: RunState): boolean => {
  const state = busy ?? last;
  return state !== null && isActive(state);
};

/** Returns whether the entity can change now: no pipeline works on it, and it was created. Otherwise the code that says why not. */
export const changeRule = <Busy extends string, Missing extends string>(
  row: RunState & { readonly state: string },
  codes: { readonly busy: Busy; readonly missing: Missing },
): true | Busy | Missing => {
  if (isBusy(row)) return codes.busy;
  return row.state === 'ACTIVE' ? true : codes.missing;
};

/** Returns the settings of a change that is not applied: its run is active, or failed. `isApplied` compares with the current settings. */
export const draftOf = <Draft>(
  { change, busy, last }: RunState & { readonly change: { readonly after: Draft } | null },
  isApplied: (after: Draft) => boolean,
): Draft | null => {
  const isThrough = busy === null && last === 'COMPLETED';
  return !change || isThrough || isApplied(change.after) ? null : change.after;
};
