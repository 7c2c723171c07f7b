/** Port of the mail server. */
import type { EngineProbe } from './engine-probe.ts';

/** Sends plain-text e-mail. Fails with `rejected` if the server refuses a message, and with `unavailable` if it cannot be reached. */
export interface Mail {
  /** The same for every try, so that a receiver can recognize a repeat. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
export interface Mailer {
  readonly kind: 'embedded' | 'smtp';
  /** Connects and signs in without a message, as the probe of an engine. Undefined if there is no server. */
  probe?: EngineProbe['probe'];
  /** Resolves to the server's answer. When the signal aborts, the connection ends and the call fails with `unavailable`. */
  send(mail: Mail, signal: AbortSignal): Promise<string>;
}
