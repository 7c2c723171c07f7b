/** The platform's own directory: administrators deactivate people in it. */
import type { Pool } from 'pg';
import type { Directory, DirectoryPerson, Standing } from '#ports/directory.ts';

export class EmbeddedDirectory implements Directory {
  readonly kind = 'embedded';
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async standings(people: readonly DirectoryPerson[]): Promise<ReadonlyMap<string, Standing>> {
    const { rows } = await this.#pool.query<{ id: string; standing: Standing }>(
      `select id, case when deactivated_at is null then 'active' else 'left' end as standing from identity where id = any($1) and type = 'USER'`,
      [people.map(({ id }) => id)],
    );
    return new Map(rows.map(({ id, standing }) => [id, standing]));
  }

  async setActive(id: string, isActive: boolean): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update identity set deactivated_at = case when $2 then null else coalesce(deactivated_at, now()) end where id = $1 and type = 'USER'`,
      [id, isActive],
    );
    return rowCount === 1;
  }
}
