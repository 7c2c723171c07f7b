/** Who is signed in, people search, identities, and API tokens. */
import {
  identityList,
  identityView,
  mePhoto,
  meTokenCreate,
  meTokenDelete,
  meTokenList,
  meView,
  serviceAccountCreate,
  userSearch,
  type ApiToken,
} from '@slipway/contract/identity.ts';
import { transaction, type Database } from '#db/database.ts';
import { createToken, type StoredToken } from '#kernel/auth/api-token.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordActivity } from '#modules/activity/index.ts';
import { identityById, identityPage, searchPeople, tokensOf } from './identities.sql.ts';

const tokenOf = (row: StoredToken): ApiToken => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
});
const days = (count: number): Date => new Date(Date.now() + count * 86_400_000);

export const identityRoutes = ({ db, pool }: Database): Handler[] => [
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
    // Smaller ones are the directory's placeholder (specification §2): initials look better.
    if (!row?.photo || row.photo.length <= 500) throw new Problem('MISSING_RESOURCE');
    return reply
      .type(row.photo_type ?? 'image/jpeg')
      .header('cache-control', 'private, max-age=3600')
      .send(row.photo);
  }),
  handle(meTokenList, async ({ caller }) => (await tokensOf(db, caller.id)).map(tokenOf)),
  handle(meTokenCreate, async ({ caller, body }) => {
    // A token must not make a stronger one.
    const missing = body.scopes.find((scope) => !caller.scopes.has(scope));
    if (missing) throw new Problem('TokenScopeMissing', { field: 'scopes', context: { scope: missing } });
    const made = await createToken(pool, {
      identityId: caller.id,
      name: body.name,
      scopes: body.scopes,
      expiresAt: days(body.expiresInDays),
    });
    return { ...tokenOf(made), token: made.token };
  }),
  handle(meTokenDelete, async ({ caller, params }) => {
    const done = await db
      .updateTable('api_token')
      .set({ revoked_at: new Date() })
      .where('id', '=', params.tokenId)
      .where('identity_id', '=', caller.id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (done.numUpdatedRows === 0n) throw new Problem('ApiTokenDoesNotExist');
    return undefined;
  }),
  handle(userSearch, ({ query }) => searchPeople(db, query.query)),
  handle(identityList, async ({ query }) => identityPage(db, query)),
  handle(identityView, async ({ params }) => {
    const found = await identityById(db, params.identityId);
    if (!found) throw new Problem('MISSING_RESOURCE');
    return found;
  }),
  handle(serviceAccountCreate, (c) =>
    transaction(db, async (trx) => {
      const id = newId('sa');
      await trx
        .insertInto('identity')
        .values({ id, display_name: c.body.displayName, provider: 'SLIPWAY', type: 'SERVICE_ACCOUNT' })
        .execute();
      await trx.insertInto('team_member').values({ team_id: c.params.team, identity_id: id, role: 'MEMBER' }).execute();
      await recordActivity(trx, {
        type: 'serviceAccountCreate',
        reason: 'Created',
        message: `${c.caller.displayName} created the service account ${c.body.displayName}`,
        actor: c.caller,
        origin: c.caller.origin,
        outcome: 'DONE',
        team: c.params.team,
        after: { id, displayName: c.body.displayName },
      });
      return id;
    }).then(async (id) => {
      const made = await createToken(pool, {
        identityId: id,
        name: 'First token',
        scopes: ['read', 'write', 'git', 'registry'],
        expiresAt: days(90),
      });
      const identity = await identityById(db, id);
      if (!identity) throw new Problem('MISSING_RESOURCE');
      return { identity, token: { ...tokenOf(made), token: made.token } };
    }),
  ),
];
