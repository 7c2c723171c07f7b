/** Resource limits of a build, and their log messages. */
import { DEPTH, PATH_BYTES } from '@slipway/images/oci/image-limits.ts';
import type { PortFailure } from '@slipway/foundation/ports/failure.ts';

import { bytesText } from './amounts.ts';
import { buildRejection } from './build-rejection.ts';

export interface BuildLimits {
  /** Total for all commands of one build. */
  readonly timeMs: number;
  readonly memoryMegabytes: number;
  /** Total of the source, installed packages and build output. */
  readonly bytes: number;
  /** Includes directories. */
  readonly files: number;
}
export const defaultBuildLimits: BuildLimits = { timeMs: 300_000, memoryMegabytes: 2048, bytes: 1_500_000_000, files: 200_000 };

export const tooLarge = ({ bytes, files }: BuildLimits): PortFailure =>
  buildRejection('BuildTooLarge', 'The build wrote too much', { limit: `${bytesText(bytes)} or ${files} files` });

const SHOWN = 100;
const shown = (path: string): string => (path.length > SHOWN ? `${path.slice(0, SHOWN)}…` : path);

export const tooDeep = (path: string): PortFailure =>
  buildRejection('BuildOutputInvalid', `a path is longer than ${PATH_BYTES} bytes, or deeper than ${DEPTH} directories: ${shown(path)}`);
export const unreadable = (path: string): PortFailure => buildRejection('BuildOutputInvalid', `this cannot be read: ${shown(path)}`);
export const nameless = (path: string): PortFailure => buildRejection('BuildOutputInvalid', `a name is no UTF-8 text: ${shown(path)}`);
