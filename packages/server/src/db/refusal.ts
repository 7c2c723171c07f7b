/** Explains why a connection to PostgreSQL fails, and what to do. */
import { errorCode, errorMessage } from '#kernel/caught.ts';
import type { Findings } from '#ports/engine-probe.ts';

const TLS_CODES = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_/;
const refusal = (error: unknown): readonly [message: string, next: string] => {
  const code = errorCode(error) ?? '';
  const reason = errorMessage(error instanceof AggregateError ? error.errors[0] : error);
  const known: Readonly<Record<string, readonly [string, string]>> = {
    ENOTFOUND: ['The host name is unknown.', 'Correct the host of the URL, or the DNS of this machine.'],
    EAI_AGAIN: ['The host name cannot be looked up now.', 'Correct the host of the URL, or the DNS of this machine.'],
    ECONNREFUSED: [
      'Nothing listens there.',
      "Start the server, or correct host and port of the URL. listen_addresses must contain the server's address.",
    ],
    '28P01': [
      'The server refuses the user or the password.',
      'Correct user and password of the URL. Special characters must be percent-encoded.',
    ],
    '28000': [
      `The server refuses the connection: ${reason}.`,
      'Add a line for this user, database and address to pg_hba.conf. It may require TLS: add ?sslmode=require.',
    ],
    '3D000': ['The database does not exist.', 'Create it: create database slipway owner slipway;'],
    '53300': ['The server has no free connection.', 'Raise max_connections, or close other connections.'],
  };
  if (known[code]) return known[code];
  if (reason.includes('does not support SSL'))
    return [
      'The server has no TLS, and the URL asks for it.',
      'Set ssl = on on the server, or remove sslmode from the URL in a network that you trust.',
    ];
  if (TLS_CODES.test(code))
    return [
      `The server's certificate is not trusted: ${reason}.`,
      'Use the name in the certificate as the host, and give Node the authority by NODE_EXTRA_CA_CERTS.',
    ];
  if (/timeout/i.test(reason)) return ['The server does not answer.', 'Look for a firewall between this machine and the server.'];
  return [`The connection fails: ${reason}.`, 'Look at the log of the PostgreSQL server.'];
};

/** `variable` contains the URL. */
export const reportRefusal = (findings: Findings, error: unknown, variable: string): void => {
  const [message, next] = refusal(error);
  findings.failed(message, next.replace('the URL', variable));
};
