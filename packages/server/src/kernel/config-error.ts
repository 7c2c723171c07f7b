/** A value of the environment that cannot be meant: it stops the start with the variable's name and why. */
import { StartError } from './start-error.ts';

export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}
