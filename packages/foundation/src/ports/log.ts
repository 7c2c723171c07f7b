/** The log that kernel, modules and adapters write to: pino's shape, JSON lines, no secrets. */
export interface Log {
  debug(context: object, message: string): void;
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}
