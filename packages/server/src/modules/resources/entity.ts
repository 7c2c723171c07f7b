/** Describes an entity on the server: its table, its view, its rules, and its pipelines. */
import type { RawBuilder, Transaction } from 'kysely';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import type { Can } from '@slipway/contract/kernel/fields.ts';
import type { Resource } from '@slipway/contract/resource.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import type { Searched } from '#kernel/text-search.ts';
import type { PipelineRights, PlanDraft } from '#modules/pipelines/index.ts';
import type { RowStep } from './managed/row-step.ts';

/** Path parameters of its routes. */
export type Names = Readonly<Record<string, string>>;
export interface EntityView {
  /** Checked before `update` and `delete`. */
  readonly can: Can;
  /** Present if pipelines execute its writes. */
  readonly state?: string;
}
/** Query of a list. */
export interface ListQuery {
  readonly page: number;
  readonly size: number;
  readonly query?: string | undefined;
  readonly sort?: string | undefined;
}
/** Pipeline input: the entity's names and the state to restore if the run fails. A change of what was not created names its `creation`. */
export type EntityInput = Names & { readonly stateBefore: string };

/** A validated write request. */
export interface Call<Body> {
  readonly caller: Caller;
  readonly names: Names;
  /** Owner of the resource in the path, or undefined if no team owns it. */
  readonly owner: Owner | undefined;
  readonly wanted: Body;
  /** Only plans the write. */
  readonly isDryRun?: boolean;
}
export interface Asked<Body, Query> extends Call<Body> {
  readonly query: Query;
}
export interface Write<Body> extends Call<Body> {
  readonly trx: Transaction<DB>;
}
/** Details of a write for the activity log, replacing the defaults. */
export interface Written {
  readonly reason?: string;
  readonly message?: string;
  readonly before?: unknown;
  readonly after?: unknown;
}
export interface Updated extends Written {
  /** Settings for the row's column `change`: steps apply them (`changeStep`), and the view shows them as a draft (`draftOf`). */
  readonly change?: { readonly before: object; readonly after: object };
}
export interface Inserted extends Written {
  /** Display title. Defaults to its name. */
  readonly title?: string;
  /** The owning team, if the path does not determine it. */
  readonly team?: string;
}

/** Parts of a dry run's result other than the steps. */
export interface PlanParts extends Pick<PlanDraft, 'consequences' | 'warnings'> {
  /** Steps that will do nothing. */
  readonly skips?: readonly string[];
}

export interface Entity<View extends EntityView, Row, Create, Update, Query extends ListQuery = ListQuery> {
  readonly resource: Resource;
  /** The routes in version 1 of the specification. */
  readonly waiting?: Omit<Resource, 'shape'>;
  /** Has the columns `state` and `pipeline_id` if pipelines execute its writes. */
  readonly table: string;
  /** Column of each path parameter, outermost first: `{ team: 'team_id', barge: 'name' }`. */
  readonly key: Names;
  /** Columns to select. Defaults to all. */
  readonly columns?: RawBuilder<unknown>;
  /** The table with the joins for `columns` and `sort`. */
  readonly from?: RawBuilder<unknown>;
  /** Columns by `sort` key. The first is the default. Columns of joined tables include the table's name. */
  readonly sort: Names;
  /** Target of a search: an indexed text, or columns of a short list. */
  readonly search: Searched | readonly string[];
  filter?(query: Query): RawBuilder<boolean>[];
  toView(row: Row, caller: Caller): View;
  /** Display title. */
  title(view: View): string;
  /** The owning team, if the entity stores it. Defaults to the owner of its parent. */
  teamOf?(view: View): string;
  readonly create: {
    /** Runs before the transaction: queries engines and keys, and reads input outside the body. */
    prepare?(asked: Asked<unknown, object>): Promise<Create>;
    name(wanted: Create): string;
    /** Name of the field for errors about a taken name. */
    readonly field: string;
    /** Inserts the row, in the state CREATING if it has states. Undefined if the name is taken. */
    insert(write: Write<Create>): Promise<Inserted | undefined>;
  };
  /** Fills fields that the update omits with their current values. */
  complete?(before: View, changes: unknown): Update;
  // oxlint-disable-next-line typescript/no-invalid-void-type -- an update may have nothing to add
  update(write: Write<Update> & { readonly before: View }): Promise<Updated | void>;
  /** Called if the rules allow the write, for routes with `?dryRun=true`. */
  readonly plan?: {
    create(call: Call<Create>): PlanParts;
    update(before: View, wanted: Update): PlanParts;
    remove(before: View): PlanParts;
  };
  /** Previous state for the activity log. */
  before(view: View): object;
  /** Runs in the transaction that deletes the row, before the deletion. */
  beforeErase?(trx: Db, names: Names): Promise<void>;
  /** Returns why the row cannot be deleted now. Called by the delete pipeline. */
  whyKept?(db: Db, names: Names): Promise<ErrorCode | undefined>;
  /** Who may re-run and cancel its pipelines: the create pipeline, and the others. */
  readonly rights?: { readonly create: PipelineRights; readonly write: PipelineRights };
  /** Steps outside of the row, before it becomes active or is deleted. */
  readonly steps?: Readonly<Partial<Record<'create' | 'update' | 'remove', readonly RowStep<Row, EntityInput>[]>>>;
}
/** An entity with only the properties that the kernel needs. */
export type AnyEntity = Entity<EntityView, unknown, unknown, unknown>;
