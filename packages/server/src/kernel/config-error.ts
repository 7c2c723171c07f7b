/** An invalid environment variable. Stops the start with the variable's name and the reason. */
import { StartError } from '#kernel/start-error.ts';

export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}
