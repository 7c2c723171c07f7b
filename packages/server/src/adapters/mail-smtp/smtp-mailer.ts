/** Sends e-mail through an SMTP server. The client library is loaded with the first message. */
import type { Transporter } from 'nodemailer';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import { inSpan } from '#kernel/telemetry/tracing.ts';
import type { Findings } from '#ports/engine-probe.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Mail, Mailer } from '#ports/mailer.ts';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte. `required`: STARTTLS. `off`: plain text, for a server on the same machine. */
  readonly tls: 'implicit' | 'required' | 'off';
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Sender of every message: `Slipway <slipway@example.com>`. */
  readonly from: string;
}

const TIMEOUT_MS = 9000;
/** Equals the number of deliveries that a worker sends at once, so that none waits for a connection. */
const MAX_CONNECTIONS = 16;
/** Permanent answers of SMTP: the server will not accept this message later, either. Source: RFC 5321, 4.2.1. */
const isRejected = (code: unknown): boolean => typeof code === 'number' && code >= 500 && code < 600;

/** Advice by the client's code of the failure. */
const advice: Readonly<Record<string, string>> = {
  EAUTH: 'Correct SLIPWAY_SMTP_USER and SLIPWAY_SMTP_PASSWORD.',
  ETLS: 'The server offers no STARTTLS. Set SLIPWAY_SMTP_TLS to implicit (usually with port 465), or to off on the same machine.',
  EDNS: 'Correct SLIPWAY_SMTP_HOST.',
  ESOCKET: 'Correct SLIPWAY_SMTP_HOST, SLIPWAY_SMTP_PORT and SLIPWAY_SMTP_TLS. A private authority belongs into NODE_EXTRA_CA_CERTS.',
  ETIMEDOUT: 'Look for a firewall between this machine and the server. Many networks close port 25.',
};

export class SmtpMailer implements Mailer {
  readonly kind = 'smtp';
  readonly #options: SmtpOptions;
  #transport: Promise<Transporter> | undefined;

  constructor(options: SmtpOptions) {
    this.#options = options;
  }

  async send({ id, to, subject, text }: Mail, signal: AbortSignal): Promise<string> {
    const { from } = this.#options;
    const transport = await (this.#transport ??= this.#open());
    const domain = /@([^>\s]+)/.exec(from)?.[1] ?? 'slipway';
    try {
      const addressed = { from, to: { name: '', address: to }, messageId: `<${id}@${domain}>` };
      const attributes = { 'server.address': this.#options.host };
      const { response } = await inSpan('smtp send', { kind: 'client', parent: null, attributes }, () =>
        transport.sendMail({ ...addressed, subject, text, signal }),
      );
      return String(response);
    } catch (error) {
      const code = typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : undefined;
      throw new PortFailure(isRejected(code) ? 'rejected' : 'unavailable', errorMessage(error), { cause: error });
    }
  }

  /** Connects and signs in, without a message. */
  async probe(findings: Findings): Promise<undefined> {
    const { host, port, user } = this.#options;
    const transport = await (this.#transport ??= this.#open());
    try {
      await transport.verify();
      findings.ok(`${host}:${port} answers${user === undefined ? '' : ` and accepts the user ${user}`}. No message was sent.`);
    } catch (error) {
      findings.failed(
        `${host}:${port}: ${errorMessage(error)}.`,
        advice[errorCode(error) ?? ''] ?? 'Correct SLIPWAY_SMTP_HOST, SLIPWAY_SMTP_PORT and SLIPWAY_SMTP_TLS.',
      );
    }
  }

  async close(): Promise<void> {
    (await this.#transport)?.close();
  }

  async #open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer');
    const { host, port, tls, user, password } = this.#options;
    return createTransport({
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'required',
      ignoreTLS: tls === 'off',
      ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // An aborted message ends its connection at once.
      socketCloseTimeout: 0,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}
