/** The log: JSON lines on standard error. Never log secrets. */
import { pino, type DestinationStream, type Logger } from 'pino';
import { errorCode } from './caught.ts';

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}
/** Maximum depth of logged causes. */
const DEEPEST = 4;

/** Keeps only what explains an error: a driver's errors carry the whole connection and the failed row. */
const loggedError = (error: unknown, depth = 0): LoggedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const code = errorCode(error);
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(error.stack ? { stack: error.stack } : {}),
    ...(error.cause !== undefined && depth < DEEPEST ? { cause: loggedError(error.cause, depth + 1) } : {}),
  };
};

/** Replaces pino's own destination, which retries forever at exit if the terminal is closed (EIO). */
const standardError: DestinationStream = { write: (line) => void process.stderr.write(line) };

export const createLog = (level: string, destination = standardError): Logger =>
  pino(
    {
      level,
      base: null,
      serializers: { err: (error: unknown) => loggedError(error) },
      redact: { paths: ['req.headers.authorization', '*.password', '*.secret', '*.token'], censor: '[redacted]' },
    },
    destination,
  );
