// Storage for oidc-provider: rows in PostgreSQL, so that any replica can continue.
import { createHash } from 'node:crypto';
import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import type { Pool } from 'pg';
import { CHANGE_CHANNEL, CREDENTIALS_CHANGED } from '@slipway/foundation/change-channel.ts';

interface Row {
  id: string;
  payload: AdapterPayload;
  consumed: number | null;
}

/** Models whose ids are presented without a signature. Stored as a hash, so that reading the database gives no access. */
const HASHED = new Set(['AuthorizationCode', 'RefreshToken', 'AccessToken']);

export class PayloadStore implements Adapter {
  readonly #pool: Pool;
  readonly #model: string;

  constructor(pool: Pool, model: string) {
    this.#pool = pool;
    this.#model = model;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { jti, ...rest } = payload;
    await this.#pool.query(
      `insert into oidc_payload (model, id, payload, grant_id, user_code, uid, expires_at)
       values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
       on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
         user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
      [
        this.#model,
        this.#key(id),
        JSON.stringify(HASHED.has(this.#model) ? rest : { ...rest, jti }),
        payload.grantId ?? null,
        payload.userCode ?? null,
        payload.uid ?? null,
        expiresIn ?? null,
      ],
    );
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await this.#first('id = $2', this.#key(id));
    return found && { ...found, jti: id };
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#first('uid = $2', uid);
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#first('user_code = $2', userCode);
  }

  /** Marks a code or refresh token as used. If two requests present it at the same time, one is rejected. */
  async consume(id: string): Promise<void> {
    const { rowCount } = await this.#pool.query(
      'update oidc_payload set consumed_at = now() where model = $1 and id = $2 and consumed_at is null',
      [this.#model, this.#key(id)],
    );
    if (rowCount === 0) throw new errors.InvalidGrant('already used');
  }

  async destroy(id: string): Promise<void> {
    await this.#pool.query('delete from oidc_payload where model = $1 and id = $2', [this.#model, this.#key(id)]);
    if (this.#model === 'Grant') await tellCredentials(this.#pool);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#pool.query('delete from oidc_payload where model = $1 and grant_id = $2', [this.#model, grantId]);
  }

  async #first(condition: string, value: string): Promise<AdapterPayload | undefined> {
    const { rows } = await this.#pool.query<Row>(
      `select id, payload, floor(extract(epoch from consumed_at))::integer as consumed from oidc_payload where model = $1 and ${condition}`,
      [this.#model, value],
    );
    const row = rows[0];
    return row && { ...row.payload, ...(row.consumed === null ? {} : { consumed: row.consumed }) };
  }

  #key(id: string): string {
    return HASHED.has(this.#model) ? createHash('sha256').update(id).digest('base64url') : id;
  }
}

/** Notifies replicas, which close open streams of revoked tokens. */
const tellCredentials = (db: Pick<Pool, 'query'>): Promise<unknown> =>
  db.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, CREDENTIALS_CHANGED]);

/** Ends all sessions, grants and refresh tokens of one identity, and its access tokens with the grants. */
export const endSessionsOf = async (db: Pick<Pool, 'query'>, identityId: string): Promise<void> => {
  await db.query(`delete from oidc_payload where payload ->> 'accountId' = $1`, [identityId]);
  await tellCredentials(db);
};

/** Removes expired rows to keep the table small. oidc-provider checks expiry itself. */
export const removeExpired = async (pool: Pool): Promise<void> => {
  await pool.query('delete from oidc_payload where expires_at < now()');
};
