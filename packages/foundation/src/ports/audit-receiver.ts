/** A system outside that collects the audit log. */
export interface AuditMessage {
  readonly at: Date;
  readonly level: 'INFO' | 'WARNING' | 'ERROR';
  /** Operation or pipeline type of the entry: `serviceUpdate`. */
  readonly type: string;
  /** The entry as one line of JSON in ASCII, not longer than `maxBytes`. */
  readonly json: string;
}

export interface AuditReceiver {
  readonly kind: 'syslog' | 'http';
  /** Address without credentials. */
  readonly address: string;
  /** Size of one entry's JSON that the receiver can be expected to accept. */
  readonly maxBytes: number;
  /** Connects, and signs in if the protocol can. Sends no entry. Throws an error that says what is wrong. */
  probe(): Promise<void>;
  /** Resolves once the receiver has all messages. Throws otherwise: some of them may have arrived then. */
  send(messages: readonly AuditMessage[]): Promise<void>;
}
