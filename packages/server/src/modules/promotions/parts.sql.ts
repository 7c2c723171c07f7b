/** Rows of the parts of promotions. */
import { sql } from 'kysely';
import type { AppPromotion, PromotionKind, PromotionPart } from '@slipway/contract/promotion.ts';
import { promotionKind } from '@slipway/contract/kinds/promotion.kind.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';

/** The only place to which an app is promoted so far. */
const production = 'production';
export const promotionSubject = (app: string, team?: string): Subject => subjectOf(promotionKind, { app, promotion: production }, { team });

export interface NewPart extends Pick<PromotionPart, 'kind' | 'name' | 'state'> {
  readonly mark: string;
  readonly fields?: readonly string[] | undefined;
}
export const insertParts = async (trx: Db, pipelineId: string, parts: readonly NewPart[]): Promise<void> => {
  const rows = parts.map(({ fields, ...part }, index) => ({
    ...part,
    pipeline_id: pipelineId,
    index,
    fields: fields ? [...fields] : null,
  }));
  await trx.insertInto('promotion_part').values(rows).execute();
};

export const partsOf = (db: Db, pipelineId: string, kind?: PromotionKind) =>
  db
    .selectFrom('promotion_part')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'service'))
    .orderBy('index')
    .execute();
export type PartRow = Awaited<ReturnType<typeof partsOf>>[number];

type Change = Partial<Pick<PartRow, 'state' | 'part_pipeline_id' | 'request' | 'failure'>>;
/** Saves the progress of a part, and tells the browsers that show the promotion. */
export const setPart = async (db: Db, app: string, { pipeline_id: pipelineId, index }: PartRow, change: Change): Promise<void> => {
  await db.updateTable('promotion_part').set(change).where('pipeline_id', '=', pipelineId).where('index', '=', index).execute();
  await notifyChange(db, { kind: promotionKind.kind, app, promotion: production });
};

/** Excludes promotions of a deleted app with the same id, which may have belonged to another team. */
export const latestPromotion = async (db: Db, app: string): Promise<AppPromotion['latest']> => {
  const { rows } = await sql<{ id: string; state: NonNullable<AppPromotion['latest']>['state'] }>`
    select pipeline.id, run.state from pipeline join pipeline_run run on run.run_id = pipeline.latest_run_id
    join app on app.id = ${app} and pipeline.created_at >= app.created_at
    where pipeline.subject_keys @> ${[subjectKey(promotionSubject(app))]}::text[] order by pipeline.created_at desc limit 1`.execute(db);
  const [latest] = rows;
  if (!latest) return null;
  const parts = await partsOf(db, latest.id);
  return {
    pipelineId: latest.id,
    state: latest.state,
    parts: parts.map(({ kind, name, state, part_pipeline_id: pipelineId, request, failure }) => ({
      kind,
      name,
      state,
      pipelineId,
      request,
      failure,
    })),
  };
};
