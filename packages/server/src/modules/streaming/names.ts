/** Paths of schemas and topics accept a name or an id. Ids contain an underscore, names only letters. */
import { sql } from 'kysely';
import { isErrorCode, type FieldError } from '@slipway/contract/kernel/errors.ts';
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Db } from '#db/database.ts';
import type { Caller, Context, Handler, Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { placeOf, placeSql, type Place, type Write } from '#modules/resources/index.ts';

export type { Place };
/** Parameters for inserting a row, from a request or from a pipeline step, which knows less about the requester. */
export interface Inserting<Body> extends Pick<Write<Body>, 'trx' | 'names' | 'wanted'> {
  readonly caller: Pick<Caller, 'id' | 'displayName' | 'origin'>;
  readonly owner: Pick<Owner, 'teamId'> | undefined;
}
type Addressed = 'schema' | 'topic';
const tables = { schema: 'event_schema', topic: 'topic' } as const;

export const isId = (text: string): boolean => text.includes('_');

const nameOfId = async (db: Db, of: Addressed, id: string, params: Readonly<Record<string, string>>): Promise<string | undefined> => {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(tables[of])}
    where id = ${id} and ${placeSql(placeOf(params), tables[of])}`.execute(db);
  return rows[0]?.name;
};

/** Resolves an id in the path to a name before calling the handler. */
export const withIds =
  (db: Db, of: Addressed) =>
  (handler: Handler): Handler => {
    const named = async (c: Context<RouteShape>): Promise<never> => {
      const params: Readonly<Record<string, string>> = c.params;
      const given = params[of];
      const name = given !== undefined && isId(given) ? await nameOfId(db, of, given, params) : undefined;
      return (name === undefined ? c : { ...c, params: { ...params, [of]: name } }) as never;
    };
    const { answer, again } = handler;
    return {
      ...handler,
      answer: async (c: never) => answer(await named(c)),
      again: again && (async (c: never, made) => again(await named(c), made)),
    };
  };

/** A body may repeat app and environment. Throws if they differ from the path. */
export const requireSamePlace = (
  { applicationCode, environmentClass }: { readonly applicationCode?: string | undefined; readonly environmentClass?: string | undefined },
  { app, environment }: Place,
): void => {
  if (applicationCode !== undefined && applicationCode !== app)
    throw new Problem('InvalidValue', { field: 'applicationCode', context: { label: 'Application code' } });
  if (environmentClass !== undefined && environmentOf(environmentClass) !== environment)
    throw new Problem('InvalidValue', { field: 'environmentClass', context: { label: 'Environment class' } });
};

/** Throws the errors. A single error keeps its own status code; several are combined, each at its field. */
export const requireNone = (refused: readonly FieldError[]): void => {
  const [first, ...others] = refused;
  if (!first) return;
  const { code, field, context } = first;
  if (others.length > 0 || !isErrorCode(code)) throw Problem.fields(refused);
  throw new Problem(code, { ...(field === undefined ? {} : { field }), ...(context && { context }) });
};
