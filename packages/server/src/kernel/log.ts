/** The log: JSON lines to standard error, or readable lines where a person watches. Secrets have no place in it. */
import { pino, type Logger } from 'pino';

export const createLog = (level: string): Logger =>
  pino(
    { level, base: null, redact: { paths: ['req.headers.authorization', '*.password', '*.secret', '*.token'], censor: '[redacted]' } },
    pino.destination(2),
  );
