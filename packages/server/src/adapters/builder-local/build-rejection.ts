/** Why a source tree cannot become an image, in the codes that the pipeline's step shows. */
import { PortFailure } from '#ports/failure.ts';

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

/** `reason` is one sentence for people; it goes into the message and the context. */
export const buildRejection = (code: BuildCode, reason: string, context: Record<string, string> = {}): PortFailure =>
  new PortFailure('rejected', reason, { code, context: { reason, ...context } });
