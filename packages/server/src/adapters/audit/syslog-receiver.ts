/**
 * Sends the audit log as syslog: RFC 5424 messages over TCP (RFC 6587) or TLS (RFC 5425), with octet counting. Syslog has no
 * acknowledgement, so each batch has a connection of its own. The receiver closes it after it has read everything.
 */
import net from 'node:net';
import tls from 'node:tls';
import type { AuditMessage, AuditReceiver } from '#ports/audit-receiver.ts';
import { auditFailure } from './audit-failure.ts';

const TIMEOUT_MS = 10_000;
const PORTS = { 'tcp:': 601, 'tls:': 6514 };
/** The facility "log audit". */
const FACILITY = 13;
const SEVERITIES = { ERROR: 3, WARNING: 4, INFO: 6 };
/** Receivers must accept 2 KiB over TLS and should accept 8 KiB, header included. */
const MAX_BYTES = 8 * 1024 - 512;
const LONGEST_HOST = 255;
const LONGEST_ID = 32;

/** Header fields are printable ASCII without spaces. */
const field = (text: string, longest: number): string => text.replaceAll(/[^\x21-\x7e]/g, '').slice(0, longest) || '-';

/** Returns `{bytes} <{priority}>1 {time} {host} slipway - {type} - {JSON}`. */
export const syslogFrame = ({ at, level, type, json }: AuditMessage, host: string): string => {
  const header = `<${FACILITY * 8 + SEVERITIES[level]}>1 ${at.toISOString()} ${field(host, LONGEST_HOST)} slipway - ${field(type, LONGEST_ID)} -`;
  const message = `${header} ${json}`;
  return `${Buffer.byteLength(message)} ${message}`;
};

export interface SyslogReceiverOptions {
  /** `tcp://host:port` or `tls://host:port`. */
  readonly url: string;
  /** Host that the messages name as their sender. */
  readonly sender: string;
  readonly timeoutMs?: number;
}

export class SyslogReceiver implements AuditReceiver {
  readonly kind = 'syslog';
  readonly maxBytes = MAX_BYTES;
  readonly address: string;
  readonly #options: SyslogReceiverOptions;

  constructor(options: SyslogReceiverOptions) {
    this.#options = options;
    this.address = options.url;
  }

  probe(): Promise<void> {
    return this.#exchange('');
  }

  send(messages: readonly AuditMessage[]): Promise<void> {
    return this.#exchange(messages.map((message) => syslogFrame(message, this.#options.sender)).join(''));
  }

  #connect(): net.Socket {
    const { protocol, hostname, port } = new URL(this.#options.url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const at = { host, port: Number(port || PORTS[protocol === 'tls:' ? 'tls:' : 'tcp:']) };
    return protocol === 'tls:' ? tls.connect({ ...at, ...(net.isIP(host) === 0 && { servername: host }) }) : net.connect(at);
  }

  /** Writes the text, ends the connection, and waits until the receiver ends it, too. */
  #exchange(text: string): Promise<void> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    return new Promise((resolve, reject) => {
      const socket = this.#connect();
      let isSent = false;
      const fail = (error: Error): void => {
        clearTimeout(timer);
        socket.destroy();
        reject(auditFailure(error));
      };
      const timer = setTimeout(
        () =>
          fail(
            new Error(
              isSent
                ? `It did not end the connection within ${timeoutMs / 1000} s, so nobody knows whether it has read everything`
                : `It did not answer within ${timeoutMs / 1000} s`,
            ),
          ),
        timeoutMs,
      );
      socket.once('error', fail);
      // Without a reader, the end of the connection is never seen.
      socket.resume();
      socket.once('end', () => {
        if (!isSent) fail(new Error('It ended the connection before everything was sent'));
      });
      socket.once('close', () => {
        clearTimeout(timer);
        if (isSent) resolve();
        else reject(new Error('The connection ended before everything was sent'));
      });
      socket.once(socket instanceof tls.TLSSocket ? 'secureConnect' : 'connect', () => socket.end(text));
      socket.once('finish', () => (isSent = true));
    });
  }
}
