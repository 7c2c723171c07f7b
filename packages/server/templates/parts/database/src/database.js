// The PostgreSQL database of this app. The platform sets DB_URL from the secret group that is attached to the service.
import pg from '../vendor/pg.js';

import { log } from './log.js';

const pool = new pg.Pool({ connectionString: process.env.DB_URL, max: 4, connectionTimeoutMillis: 5_000 });
pool.on('error', (error) => log.error('database connection lost', { error: error.message }));

/** Two instances that start together may both try to create the table. The second one finds it. */
const DUPLICATES = new Set(['23505', '42P07']);

export const database = {
  title: 'Database',
  async open() {
    try {
      await pool.query(`create table if not exists entry (
        id bigint generated always as identity primary key,
        at timestamptz not null default now(),
        text text not null)`);
    } catch (error) {
      if (!DUPLICATES.has(error.code)) throw error;
    }
  },
  record: (text) => pool.query('insert into entry (text) values ($1)', [text]),
  async read() {
    const { rows } = await pool.query('select at, text, count(*) over () as total from entry order by id desc limit 5');
    const total = Number(rows[0]?.total ?? 0);
    return {
      summary: `PostgreSQL, table entry: ${total} ${total === 1 ? 'row' : 'rows'}`,
      entries: rows.map(({ at, text }) => ({ at: at.toISOString(), text })),
    };
  },
  close: () => pool.end(),
};
