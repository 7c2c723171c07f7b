/** Claims a name on an engine without owners. The row's column `claim` holds the pipeline that found the name free. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import type { EntityInput } from '../entity.ts';
import type { RowStep } from './row-step.ts';

interface Claimed {
  readonly id: string;
  readonly claim: string | null;
}
interface Claim<Row> {
  readonly code: string;
  readonly table: string;
  /** Throws if someone else uses the name. Everything created there afterwards belongs to the row. */
  requireFree(row: Row): Promise<void>;
  /** Returns whether an undo left something under the name. The claim then stays, so that a discard can remove it. */
  isLeft?(row: Row): boolean;
}

export const claimStep = <Row extends Claimed>(db: Db, { code, table, requireFree, isLeft }: Claim<Row>): RowStep<Row, EntityInput> => {
  const set = async ({ id }: Row, claim: string | null): Promise<void> => {
    await sql`update ${sql.table(table)} set claim = ${claim} where id = ${id}`.execute(db);
  };
  return {
    code,
    run: async ({ row, pipelineId }) => {
      if (row.claim === pipelineId) return;
      await requireFree(row);
      await set(row, pipelineId);
    },
    undo: async ({ row }) => {
      if (!isLeft?.(row)) await set(row, null);
    },
  };
};
