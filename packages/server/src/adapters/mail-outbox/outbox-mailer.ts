/** The embedded mail adapter: keeps e-mail in a table, where administrators read it. For laptops and trials without a mail server. */
import type { Pool } from 'pg';
import type { Mail, Mailer } from '#ports/mailer.ts';

/** Older e-mail is deleted. */
const KEPT_DAYS = 90;

export class OutboxMailer implements Mailer {
  readonly kind = 'embedded';
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async send({ id, to, subject, text }: Mail): Promise<string> {
    await this.#pool.query(
      `with swept as (delete from mail_outbox where at < now() - make_interval(days => $5))
       insert into mail_outbox (id, recipient, subject, body) values ($1, $2, $3, $4) on conflict (id) do nothing`,
      [id, to, subject, text, KEPT_DAYS],
    );
    return 'Kept in the outbox';
  }
}
