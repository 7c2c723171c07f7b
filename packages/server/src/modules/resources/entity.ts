/** What an entity says of itself on the server: its table, what it looks like outside, its rules, and what its pipelines do. */
import type { RawBuilder, Transaction } from 'kysely';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import type { Can } from '@slipway/contract/kernel/fields.ts';
import type { Resource } from '@slipway/contract/kernel/resource.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import type { Searched } from '#kernel/text-search.ts';
import type { PipelineRights, PlanDraft, StepDefinition } from '#modules/pipelines/index.ts';

/** The names of its address: the parameters of its routes. */
export type Names = Readonly<Record<string, string>>;
export interface EntityView {
  /** `update` and `delete` are asked before such a write. */
  readonly can: Can;
  /** Where pipelines carry its writes out. */
  readonly state?: string;
}
/** What is asked of the rows of a list. */
export interface ListQuery {
  readonly page: number;
  readonly size: number;
  readonly query?: string | undefined;
  readonly sort?: string | undefined;
}
/** Input of its pipelines: its names, and the state that a run which comes to nothing leaves behind. */
export type EntityInput = Names & { readonly stateBefore: string };
type Step = StepDefinition<EntityInput, object>;

/** A write as it was asked for, checked by its schemas. */
export interface Call<Body> {
  readonly caller: Caller;
  readonly names: Names;
  /** Whose what its path names is; undefined where it names nothing that a team owns. */
  readonly owner: Owner | undefined;
  readonly wanted: Body;
  /** It is planned, and nothing of it is done. */
  readonly isDryRun?: boolean;
}
export interface Asked<Body, Query> extends Call<Body> {
  readonly query: Query;
}
export interface Write<Body> extends Call<Body> {
  readonly trx: Transaction<DB>;
}
/** What the activity log says of a write, where the usual says too little. */
export interface Written {
  readonly reason?: string;
  readonly message?: string;
  readonly before?: unknown;
  readonly after?: unknown;
}
export interface Inserted extends Written {
  /** As people call it; its name, unless said. */
  readonly title?: string;
  /** The team that owns it, where its path does not say it. */
  readonly team?: string;
}

/** What a dry run says beside the steps. */
export interface PlanParts extends Pick<PlanDraft, 'consequences' | 'warnings'> {
  /** Steps that will have nothing to do. */
  readonly skips?: readonly string[];
}

export interface Entity<View extends EntityView, Row, Create, Update, Query extends ListQuery = ListQuery> {
  readonly resource: Resource;
  /** The same, as version 1 of the specification has it. */
  readonly waiting?: Omit<Resource, 'shape'>;
  /** Has the columns `state` and `pipeline_id` where pipelines carry writes out. */
  readonly table: string;
  /** The column behind each of its names, the outermost first: `{ team: 'team_id', barge: 'name' }`. */
  readonly key: Names;
  /** What is read of a row; all of its columns, unless said. */
  readonly columns?: RawBuilder<unknown>;
  /** The table with what is joined to it for `columns` and `sort`. */
  readonly from?: RawBuilder<unknown>;
  /** Columns by the word of `sort`, the first of which orders unless asked; of a joined table with its name before. */
  readonly sort: Names;
  /** What a search looks in: a text that an index holds, or columns of a list that stays short. */
  readonly search: Searched | readonly string[];
  filter?(query: Query): RawBuilder<boolean>[];
  toView(row: Row, caller: Caller): View;
  /** As people call it. */
  title(view: View): string;
  /** The team that owns it, where it says so itself; else the one that owns what it lies in. */
  teamOf?(view: View): string;
  readonly create: {
    /** Before the transaction: what is asked of engines and keys, or taken from elsewhere than the body. */
    prepare?(asked: Asked<unknown, object>): Promise<Create>;
    name(wanted: Create): string;
    /** The field that carries the name, for the one that is taken. */
    readonly field: string;
    /** Inserts the row, in the state CREATING where it has one; undefined where the name is taken. */
    insert(write: Write<Create>): Promise<Inserted | undefined>;
  };
  /** The update with the current values of the fields that it omits. */
  complete?(before: View, changes: unknown): Update;
  // oxlint-disable-next-line typescript/no-invalid-void-type -- an update may have nothing to add
  update(write: Write<Update> & { readonly before: View }): Promise<Written | void>;
  /** Asked where the rules allow the write, for routes that take `?dryRun=true`. */
  readonly plan?: {
    create(call: Call<Create>): PlanParts;
    update(before: View, wanted: Update): PlanParts;
    remove(before: View): PlanParts;
  };
  /** What the activity log keeps of how it was. */
  before(view: View): object;
  /** Why its row cannot go by now, asked by the pipeline that deletes it. */
  whyKept?(db: Db, names: Names): Promise<ErrorCode | undefined>;
  /** Who may re-run and cancel its pipelines: the one that makes it, and the others. */
  readonly rights?: { readonly create: PipelineRights; readonly write: PipelineRights };
  /** What is done outside of its row, before that becomes active or goes. */
  readonly steps?: { readonly create?: readonly Step[]; readonly update?: readonly Step[]; readonly remove?: readonly Step[] };
}
/** An entity of which nothing but what the kernel needs is known. */
export type AnyEntity = Entity<EntityView, unknown, unknown, unknown>;
