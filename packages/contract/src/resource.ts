/**
 * Shared route definitions for every entity: list, get, create, update and delete. An entity declares only what differs. Each route is
 * plain data, so an entity can omit or replace it.
 */
import * as z from 'zod/mini';
import type { ErrorCode } from './kernel/errors.ts';
import { pageCodes, pageOf } from './kernel/fields.ts';
import { route, type Access, type RouteShape } from './kernel/kernel.ts';
import { PipelineRun } from './pipeline/pipeline.ts';
import type { Kind } from './kernel/subject.ts';

export interface ResourceShape<
  Path extends string,
  Name extends string,
  View extends z.ZodMiniType,
  Create extends z.ZodMiniType,
  Update extends z.ZodMiniType,
  Query extends z.ZodMiniObject,
> {
  readonly kind: Kind;
  /** Prefix of its route ids. Defaults to the kind's word. */
  readonly id?: string;
  /** Section in the API documentation. Defaults to the kind's plural. */
  readonly tag?: string;
  /** Path of list and create: `/api/v1/teams/{team}/barges`. */
  readonly path: Path;
  /** Path parameter for a single entity: `barge`. */
  readonly name: Name;
  readonly view: View;
  readonly create: Create;
  readonly update: Update;
  /** Query of the list: `PageQuery`, or an extension of it. */
  readonly query: Query;
  readonly access: { readonly read: Access; readonly create: Access; readonly write: Access };
  readonly codes: {
    readonly missing: ErrorCode;
    /** Answered to create if the name is taken. */
    readonly taken: ErrorCode;
    /** Codes of its form fields. */
    readonly form: readonly ErrorCode[];
    /** Codes for missing parents in the path: `TeamDoesNotExist` below `{team}`. */
    readonly above?: readonly ErrorCode[];
    /** Codes that say why it cannot be deleted. */
    readonly kept: readonly ErrorCode[];
  };
  /** Overrides for the summaries of its routes in the documentation. */
  readonly summaries?: Readonly<Partial<Record<'list' | 'view' | 'create' | 'update' | 'remove', string>>>;
}

type Changes<Shape> = {
  -readonly [Name in keyof Shape]: Shape[Name] extends z.ZodMiniDefault<infer Inner> ? z.ZodMiniOptional<Inner> : Shape[Name];
};
const isDefault = (field: unknown): field is z.ZodMiniDefault => field instanceof z.ZodMiniDefault;
/**
 * Returns the body schema of an update. Fields with a default become optional: the default applies only to create, and an omitted field
 * keeps its value. `keepOmitted` fills in omitted fields.
 */
export const changesOf = <const Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodMiniObject<Changes<Shape>> =>
  z.object(
    Object.fromEntries(
      Object.entries<unknown>(shape).map(([name, field]) => [name, isDefault(field) ? z.optional(field.def.innerType) : field]),
    ),
  ) as never;
/** Returns the current values, overridden by those that the update contains. */
export const keepOmitted = <Current extends object, Wanted extends object>(current: Current, wanted: Wanted): Current & Wanted => {
  const given: [string, unknown][] = Object.entries(wanted);
  return Object.assign({}, wanted, current, Object.fromEntries(given.filter(([, value]) => value !== undefined)));
};

const omitted = 'A field that the body leaves out keeps its value.';
const active = 'WorkflowExecutionAlreadyStarted';
/** Codes for a caller without the right. Access words that hide the resource need none here: a general code covers them. */
const refusedBy: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: [],
  signedIn: [],
  appMember: ['NotAMember'],
  appMemberHidden: [],
  appOwner: ['NotAnOwner'],
  teamMember: ['NotAMember'],
  teamOwner: ['NotAnOwner'],
  administrator: ['NotAnAdministrator'],
  administratorHidden: [],
};
const idOf = ({ id, kind }: { id?: string; kind: Kind }, verb: string): string => `${id ?? kind.kind}${verb}`;

/** Builds the routes of an entity. Its writes answer the run of their pipeline. */
export const resource = <
  const Path extends string,
  const Name extends string,
  View extends z.ZodMiniType,
  Create extends z.ZodMiniType,
  Update extends z.ZodMiniType,
  Query extends z.ZodMiniObject,
>(
  shape: ResourceShape<Path, Name, View, Create, Update, Query>,
) => {
  const { kind, path, view, access, codes, summaries = {} } = shape;
  const one = `${path}/{${shape.name}}` as `${Path}/{${Name}}`;
  const { tag = kind.plural } = shape;
  const word = kind.label.toLowerCase();
  const { above = [], missing } = codes;
  const started = { tag, status: 202 } as const;
  return {
    shape,
    list: route({
      id: idOf(shape, 'List'),
      method: 'GET',
      path,
      summary: summaries.list ?? kind.plural,
      tag,
      access: access.read,
      query: shape.query,
      response: pageOf(view),
      codes: [...above, ...pageCodes, ...refusedBy[access.read]],
    }),
    view: route({
      id: idOf(shape, 'View'),
      method: 'GET',
      path: one,
      summary: summaries.view ?? `One ${word}`,
      tag,
      access: access.read,
      response: view,
      codes: [...above, missing, ...refusedBy[access.read]],
    }),
    create: route({
      ...started,
      response: PipelineRun,
      id: idOf(shape, 'Create'),
      method: 'POST',
      path,
      summary: summaries.create ?? `Create a ${word}`,
      access: access.create,
      body: shape.create,
      codes: [...above, ...codes.form, codes.taken, ...refusedBy[access.create], active],
    }),
    update: route({
      ...started,
      response: PipelineRun,
      id: idOf(shape, 'Update'),
      method: 'PUT',
      path: one,
      summary: summaries.update ?? `Change a ${word}`,
      description: omitted,
      access: access.write,
      body: shape.update,
      codes: [...above, missing, ...codes.form, ...refusedBy[access.write], active],
    }),
    remove: route({
      ...started,
      response: PipelineRun,
      id: idOf(shape, 'Delete'),
      method: 'DELETE',
      path: one,
      summary: summaries.remove ?? `Delete a ${word}`,
      access: access.write,
      codes: [...above, missing, ...refusedBy[access.write], ...codes.kept, active],
    }),
  };
};

type Synchronous<R extends RouteShape> = Omit<R, 'response' | 'status' | 'codes'> & Pick<RouteShape, 'status' | 'codes'>;
/** Makes a write synchronous: `create: synchronous(made.create, View)`. Without a schema the answer has no body. */
export function synchronous<const R extends RouteShape>(write: R): Synchronous<R>;
export function synchronous<const R extends RouteShape, S extends z.ZodMiniType>(
  write: R,
  response: S,
): Synchronous<R> & { readonly response: S };
export function synchronous(write: RouteShape, response?: z.ZodMiniType): unknown {
  const { response: _, status: _accepted, ...rest } = write;
  const done: RouteShape = { ...rest, codes: write.codes.filter((code) => code !== active) };
  return { ...done, ...(response && { response }), ...(write.method === 'POST' && { status: 201 }) };
}
/** True if a pipeline executes the write. */
export const isByPipeline = ({ status }: RouteShape): boolean => status === 202;

/** Builds the same routes as version 1 of the specification defines them: a write waits for its pipeline and answers the entity. */
export const waitingRoutes = <
  const Path extends string,
  const Name extends string,
  View extends z.ZodMiniType,
  Create extends z.ZodMiniType,
  Update extends z.ZodMiniType,
  Query extends z.ZodMiniObject,
  const Base extends string,
>(
  of: ReturnType<typeof resource<Path, Name, View, Create, Update, Query>>,
  path: Base,
) => {
  const one = `${path}/{${of.shape.name}}` as `${Base}/{${Name}}`;
  const word = of.shape.kind.label.toLowerCase();
  const waits = (verb: string): string => `${verb} ${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word} and wait for it`;
  const { status: _, ...create } = of.create;
  const { status: _update, ...update } = of.update;
  const { status: _remove, ...remove } = of.remove;
  return {
    list: { ...of.list, id: `${of.list.id}V1`, path },
    view: { ...of.view, id: `${of.view.id}V1`, path: one },
    create: { ...create, id: `${create.id}V1`, path, summary: waits('Create'), response: z.union([of.shape.view, PipelineRun]) },
    update: { ...update, id: `${update.id}V1`, path: one, summary: waits('Change'), response: z.union([of.shape.view, PipelineRun]) },
    remove: { ...remove, id: `${remove.id}V1`, path: one, summary: waits('Delete'), response: z.union([z.null(), PipelineRun]) },
  };
};

/** A resource without its specific types, for generic code: the module's kernel, the console's lists, tests. */
export interface Resource {
  readonly shape: Pick<
    ResourceShape<string, string, z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, z.ZodMiniObject>,
    'kind' | 'id' | 'name' | 'codes'
  >;
  readonly list: RouteShape;
  readonly view: RouteShape;
  readonly create: RouteShape;
  readonly update: RouteShape;
  readonly remove: RouteShape;
}
/** A resource that omits routes. */
export type SomeResource = Pick<Resource, 'shape'> & Partial<Resource>;
export const resourceRoutes = ({ list, view, create, update, remove }: SomeResource): RouteShape[] =>
  [list, view, create, update, remove].filter((part) => part !== undefined);
