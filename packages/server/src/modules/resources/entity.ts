/** What an entity says of itself on the server: its table, what it looks like outside, its rules, and what its pipelines do. */
import type { RawBuilder, Transaction } from 'kysely';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import type { Resource } from '@slipway/contract/kernel/resource.ts';
import type { Actor } from '@slipway/contract/kernel/rights.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { Searched } from '#kernel/text-search.ts';
import type { AnyPipeline, StepDefinition } from '#modules/pipelines/index.ts';

/** The names of its address: the parameters of its routes. */
export type Names = Readonly<Record<string, string>>;
export interface EntityView {
  readonly state: string;
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

export interface Write<Body> {
  readonly trx: Transaction<DB>;
  readonly caller: Caller;
  readonly names: Names;
  readonly wanted: Body;
}

export interface Entity<View extends EntityView, Row, Create, Update, Query extends ListQuery = ListQuery> {
  readonly resource: Resource;
  /** The same, as version 1 of the specification has it. */
  readonly waiting?: Omit<Resource, 'shape'>;
  /** Its rows have the columns `state` and `pipeline_id`. */
  readonly table: string;
  /** The column behind each of its names, the outermost first: `{ team: 'team_id', barge: 'name' }`. */
  readonly key: Names;
  /** What is read of a row; all of its columns, unless said. */
  readonly columns?: RawBuilder<unknown>;
  /** Columns by the word of `sort`, the first of which orders unless asked. */
  readonly sort: Names;
  /** What a search looks in: a text that an index holds, or columns of a list that stays short. */
  readonly search: Searched | readonly string[];
  filter?(query: Query): RawBuilder<boolean>[];
  toView(row: Row, actor: Actor): View;
  /** As people call it. */
  title(view: View): string;
  /** The team that owns it. */
  teamOf(names: Names): string | undefined;
  readonly create: {
    name(wanted: Create): string;
    /** The field that carries the name, for the one that is taken. */
    readonly field: string;
    title(wanted: Create): string;
    /** Inserts the row in the state CREATING; false where the name is taken. */
    insert(write: Write<Create>): Promise<boolean>;
  };
  update(write: Write<Update>): Promise<void>;
  /** What the activity log keeps of how it was. */
  before(view: View): object;
  /** Why it cannot be deleted as it is; asked again by the pipeline. */
  whyKept?(db: Db, names: Names): Promise<ErrorCode | undefined>;
  /** Who may re-run and cancel its pipelines. */
  readonly rights: NonNullable<AnyPipeline['rights']>;
  /** What is done outside of its row, before that becomes active or goes. */
  readonly steps?: { readonly create?: readonly Step[]; readonly update?: readonly Step[]; readonly remove?: readonly Step[] };
}
/** An entity of which nothing but what the kernel needs is known. */
export type AnyEntity = Entity<EntityView, unknown, unknown, unknown>;

export const subjectIn = (entity: AnyEntity, names: Names): Subject => {
  const { kind } = entity.resource.shape;
  const address = Object.fromEntries(kind.address.map((name) => [name, names[name] ?? '']));
  return subjectOf(kind, address, { team: entity.teamOf(names) });
};
/** `team` → `CreateTeam`, `secretGroup` → `DeleteSecretGroup`. */
export const pipelineTypeOf = ({ resource }: AnyEntity, verb: 'Create' | 'Update' | 'Delete'): string => {
  const { kind } = resource.shape.kind;
  return `${verb}${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
};
