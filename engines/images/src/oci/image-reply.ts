/** How a failure gets from the process that unpacks images to the platform. */
import { errorCode, errorMessage } from '@slipway/foundation/caught.ts';
import { isNoSpace, noSpace } from '@slipway/foundation/no-space.ts';
import { isPortFailure, PortFailure } from '@slipway/foundation/ports/failure.ts';

import { LayerDamaged } from './root-tree.ts';

export interface FailureReply {
  readonly kind: 'rejected' | 'damaged' | 'disk';
  readonly message: string;
  readonly code: string | undefined;
  readonly context: Record<string, string>;
}

export const failureReply = (error: unknown): FailureReply => {
  const message = errorMessage(error);
  if (error instanceof LayerDamaged) return { kind: 'damaged', message, code: undefined, context: {} };
  if (isPortFailure(error, 'rejected')) return { kind: 'rejected', message, code: error.code, context: error.context };
  return { kind: 'disk', message, code: errorCode(error), context: {} };
};

export const failureFrom = ({ kind, message, code, context }: FailureReply): Error => {
  if (kind === 'damaged') return new LayerDamaged(message);
  if (kind === 'rejected') return new PortFailure('rejected', message, { ...(code === undefined ? {} : { code }), context });
  const cause = Object.assign(new Error(message), { code });
  if (isNoSpace(cause)) return noSpace('the image cannot be unpacked: no space left', cause);
  return new PortFailure('unavailable', 'the image cannot be stored on this machine', { cause });
};
