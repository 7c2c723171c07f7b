/** Routes for the signed-in identity, people search, identities, and API tokens. */
import {
  identityList,
  identityView,
  mePhoto,
  meSessionsDelete,
  meTokenCreate,
  meTokenDelete,
  meTokenList,
  meTokenResource,
  meView,
  serviceAccountCreate,
  serviceAccountTokenCreate,
  userSearch,
  type ApiToken,
  type Identity,
  type TokenScope,
} from '@slipway/contract/identity.ts';
import { ownerRule } from '@slipway/contract/kernel/rights.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { teamKind } from '@slipway/contract/kinds/team.kind.ts';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import { transaction, type Database, type Db } from '#db/database.ts';
import { notifyCredentials } from '#kernel/changes.ts';
import { createToken, type StoredToken } from '#kernel/auth/api-token.ts';
import type { DB } from '#db/types.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import type { Made } from '#kernel/http/write-claim.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { holdAccount } from '#modules/requests/index.ts';
import { recordChange, type AreaOf, type Change } from '#modules/resources/index.ts';
import { identityById, identityPage, isLive, searchPeople, tokensOf } from './identities.sql.ts';
import { madeId, renewToken } from './renew-token.ts';
import { requireRoomForToken } from './token-limit.ts';

const shortestSearch = 3;
const END_OF_TIME = '9999-12-31T23:59:59.999Z';
const tokenOf = (row: StoredToken): ApiToken => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.createdAt.toISOString(),
  // The environment's administrator token never expires: PostgreSQL's `infinity` is not a valid date.
  expiresAt: row.expiresAt instanceof Date ? row.expiresAt.toISOString() : END_OF_TIME,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  parent: row.parent,
});
const shownOnce = (made: StoredToken & { token: string }) => ({ ...tokenOf(made), token: made.token });
const days = (count: number): Date => new Date(Date.now() + count * 86_400_000);

/** Adapts a transaction to the pool's `query`, which the kernel's token functions use. */
const queries = (trx: Transaction<DB>) =>
  ({ query: (text: string, values: unknown[]) => trx.executeQuery(CompiledQuery.raw(text, values)) }) as unknown as Pick<Pool, 'query'>;

const tokenChange = (caller: Caller, verb: string, after: { readonly name: string }): Change => ({
  caller,
  names: {},
  team: undefined,
  title: after.name,
  reason: 'Token',
  message: `${caller.displayName} ${verb} the API token ${after.name}`,
  after,
});

const createServiceAccount = async (trx: Transaction<DB>, caller: Caller, team: string, displayName: string) => {
  const id = newId('sa');
  await trx.insertInto('identity').values({ id, display_name: displayName, provider: 'SLIPWAY', type: 'SERVICE_ACCOUNT' }).execute();
  await trx.insertInto('team_member').values({ team_id: team, identity_id: id, role: 'MEMBER' }).execute();
  await holdAccount(trx, caller.id, id);
  const token = await createToken(queries(trx), {
    identityId: id,
    name: 'First token',
    scopes: ['read', 'write', 'git', 'registry'],
    expiresAt: days(90),
    parentId: caller.token?.id,
  });
  await recordWrite(trx, caller, {
    type: 'serviceAccountCreate',
    reason: 'Created',
    message: `${caller.displayName} created the service account ${displayName}`,
    subject: subjectOf(teamKind, { team }, { team }),
    after: { id, displayName },
  });
  const identity: Identity = { id, displayName, email: null, provider: 'SLIPWAY', type: 'SERVICE_ACCOUNT' };
  return { identity, token };
};

/** Rejects accounts that could give a team's owner access to other teams or to the platform. */
const requireOwnAccount = async (trx: Db, caller: Caller, team: string, id: string): Promise<{ display_name: string }> => {
  const account = await trx
    .selectFrom('identity')
    .select(['display_name', 'is_administrator', 'type'])
    .where('id', '=', id)
    .executeTakeFirst();
  const teams = await trx.selectFrom('team_member').select('team_id').where('identity_id', '=', id).execute();
  const isOfTeam = teams.some(({ team_id }) => team_id === team);
  if (!account || account.type !== 'SERVICE_ACCOUNT' || account.is_administrator || !isOfTeam) throw new Problem('MISSING_RESOURCE');
  const foreign = teams.find(({ team_id }) => ownerRule(caller, team_id) !== true);
  if (foreign) throw new Problem('NotAnOwner', { context: { team: foreign.team_id } });
  return account;
};

/** A token must not create a token with more scopes. */
const requireScopes = (caller: Caller, scopes: readonly TokenScope[]): void => {
  const missing = scopes.find((scope) => !caller.scopes.has(scope));
  if (missing) throw new Problem('TokenScopeMissing', { field: 'scopes', context: { scope: missing } });
};

interface SignIn {
  /** Set for the embedded sign-in. */
  readonly endSessions?: (identityId: string) => Promise<void>;
}

/** Answers a retry, if the caller may still create such a token. */
const renewed = async (db: Db, { caller, body }: { caller: Caller; body: { scopes: TokenScope[] } }, made: readonly Made[]) => {
  requireScopes(caller, body.scopes);
  return shownOnce(await renewToken(db, caller, { column: 'id', id: await madeId(db, made) }));
};
const renewedAccount = async (db: Db, { caller }: { caller: Caller }, made: readonly Made[]) => {
  const identity = await identityById(db, await madeId(db, made));
  if (!identity) throw new Problem('IdempotencyKeyReused');
  return { identity, token: shownOnce(await renewToken(db, caller, { column: 'identity_id', id: identity.id })) };
};

const endSessions = async (signIn: SignIn, { id }: Caller): Promise<undefined> => {
  await signIn.endSessions?.(id);
  return undefined;
};

const identityRoutes = ({ db }: Database, signIn: SignIn): Handler[] => [
  handle(meView, async ({ caller }) => ({
    id: caller.id,
    displayName: caller.displayName,
    email: caller.email,
    provider: caller.provider,
    type: caller.type,
    isAdministrator: caller.isAdministrator,
    teamRefs: [...caller.memberOf].sort(),
    ownedTeamRefs: [...caller.ownerOf].sort(),
  })),
  handle(mePhoto, async ({ caller, reply }) => {
    const row = await db.selectFrom('identity').select(['photo', 'photo_type']).where('id', '=', caller.id).executeTakeFirst();
    // Smaller photos are the directory's placeholder (specification §2). Initials look better.
    if (!row?.photo || row.photo.length <= 500) throw new Problem('MISSING_RESOURCE');
    return reply
      .type(row.photo_type ?? 'image/jpeg')
      .header('cache-control', 'private, max-age=3600')
      .send(row.photo);
  }),
  handle(meTokenList, async ({ caller }) => (await tokensOf(db, caller.id)).map(tokenOf)),
  handle(
    meTokenCreate,
    async ({ caller, body }) => {
      requireScopes(caller, body.scopes);
      const made = await transaction(db, async (trx) => {
        await requireRoomForToken(trx, caller.id);
        const token = await createToken(queries(trx), {
          identityId: caller.id,
          name: body.name,
          scopes: body.scopes,
          expiresAt: days(body.expiresInDays),
          parentId: caller.token?.id,
        });
        await recordChange(trx, meTokenResource, meTokenCreate, tokenChange(caller, 'created', tokenOf(token)));
        return token;
      });
      return shownOnce(made);
    },
    (c, made) => renewed(db, c, made),
  ),
  handle(meTokenDelete, async ({ caller, params }) => {
    await transaction(db, async (trx) => {
      const row = await trx
        .updateTable('api_token')
        .set({ revoked_at: new Date() })
        .where('id', '=', params.tokenId)
        .where('identity_id', '=', caller.id)
        .where(isLive)
        .returning(['id', 'name'])
        .executeTakeFirst();
      if (!row) throw new Problem('ApiTokenDoesNotExist');
      await recordChange(trx, meTokenResource, meTokenDelete, tokenChange(caller, 'revoked', row));
      await notifyCredentials(trx);
    });
    return undefined;
  }),
  handle(
    meSessionsDelete,
    async ({ caller }) => {
      await transaction(db, async (trx) => {
        await trx.updateTable('identity').set({ signed_out_at: new Date() }).where('id', '=', caller.id).execute();
        const message = `${caller.displayName} signed out everywhere`;
        await recordWrite(trx, caller, { type: 'meSessionsDelete', reason: 'SignedOut', message });
        await notifyCredentials(trx);
      });
      return endSessions(signIn, caller);
    },
    ({ caller }) => endSessions(signIn, caller),
  ),
  handle(userSearch, ({ query }) => searchPeople(db, query.query)),
  handle(identityList, async ({ query }) => {
    const isShort = query.query !== undefined && query.query.trim() !== '' && query.query.trim().length < shortestSearch;
    // Within a team any text narrows a short list. Without a team it searches the whole directory (specification §5).
    if (isShort && query.teamId === undefined) throw new Problem('QueryTooShort', { field: 'query' });
    return identityPage(db, query);
  }),
  handle(identityView, async ({ params }) => {
    const found = await identityById(db, params.identityId);
    if (!found) throw new Problem('MISSING_RESOURCE');
    return found;
  }),
  handle(
    serviceAccountCreate,
    async ({ caller, body, params }) => {
      const made = await transaction(db, (trx) => createServiceAccount(trx, caller, params.team, body.displayName));
      return { identity: made.identity, token: shownOnce(made.token) };
    },
    (c, made) => renewedAccount(db, c, made),
  ),
  handle(
    serviceAccountTokenCreate,
    async ({ caller, body, params }) => {
      requireScopes(caller, body.scopes);
      const made = await transaction(db, async (trx) => {
        const account = await requireOwnAccount(trx, caller, params.team, params.identityId);
        await holdAccount(trx, caller.id, params.identityId);
        const token = await createToken(queries(trx), {
          identityId: params.identityId,
          name: body.name,
          scopes: body.scopes,
          expiresAt: days(body.expiresInDays),
          parentId: caller.token?.id,
        });
        await recordWrite(trx, caller, {
          type: 'serviceAccountTokenCreate',
          reason: 'Token',
          message: `${caller.displayName} created the API token ${body.name} of the service account ${account.display_name}`,
          subject: subjectOf(teamKind, { team: params.team }, { team: params.team }),
          after: tokenOf(token),
        });
        return token;
      });
      return shownOnce(made);
    },
    async (c, made) => {
      await requireOwnAccount(db, c.caller, c.params.team, c.params.identityId);
      return renewed(db, c, made);
    },
  ),
];

export const identityArea: AreaOf = ({ database, adapters }) => ({ routes: identityRoutes(database, adapters.signIn) });
