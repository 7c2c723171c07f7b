/** Reasons why a source tree cannot become an image, as codes that the pipeline step shows. */
import { PortFailure } from '@slipway/foundation/ports/failure.ts';

export type BuildCode =
  | 'BuildSourceInvalid'
  | 'BuildPackageInvalid'
  | 'BuildNoStartCommand'
  | 'BuildLockfileMissing'
  | 'BuildSandboxRequired'
  | 'BuildDependenciesFailed'
  | 'BuildScriptFailed'
  | 'BuildTimeout'
  | 'BuildTooLarge'
  | 'BuildOutputInvalid';

/** `reason` is one readable sentence. It goes into the message and the context. */
export const buildRejection = (code: BuildCode, reason: string, context: Record<string, string> = {}): PortFailure =>
  new PortFailure('rejected', reason, { code, context: { reason, ...context } });
