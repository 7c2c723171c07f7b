/** Sends the audit log by HTTP POST: one JSON object per line. */
import type { AuditMessage, AuditReceiver } from '#ports/audit-receiver.ts';
import { auditFailure } from './audit-failure.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 16 * 1024;
const REFUSED: readonly number[] = [401, 403];

export interface HttpReceiverOptions {
  readonly url: string;
  /** Value of the `Authorization` header. */
  readonly authorization: string | undefined;
}

export class HttpReceiver implements AuditReceiver {
  readonly kind = 'http';
  readonly maxBytes = MAX_BYTES;
  /** Without the path, in which some receivers carry a token. */
  readonly address: string;
  readonly #options: HttpReceiverOptions;

  constructor(options: HttpReceiverOptions) {
    this.#options = options;
    this.address = new URL(options.url).origin;
  }

  /** A receiver may refuse an empty body, which still shows that it is there and knows the caller. */
  async probe(): Promise<void> {
    const { status } = await this.#post('');
    if (REFUSED.includes(status)) throw new Error(`It refuses the credentials (${status})`);
    if (status === 404 || status >= 500 || (status >= 300 && status < 400)) throw new Error(`It answered ${status}`);
  }

  async send(messages: readonly AuditMessage[]): Promise<void> {
    const { ok, status } = await this.#post(messages.map(({ json }) => `${json}\n`).join(''));
    if (!ok) throw new Error(REFUSED.includes(status) ? `It refuses the credentials (${status})` : `It answered ${status}`);
  }

  async #post(body: string): Promise<Response> {
    const { url, authorization } = this.#options;
    const headers = { 'content-type': 'application/x-ndjson', ...(authorization === undefined ? {} : { authorization }) };
    const sent = { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
    const answer = await fetch(url, sent).catch((error: unknown) => {
      throw auditFailure(error);
    });
    await answer.body?.cancel();
    return answer;
  }
}
