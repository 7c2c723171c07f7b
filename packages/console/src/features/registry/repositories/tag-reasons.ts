/** Returns why a tag cannot be deleted, naming the revision that needs it. */
import type { ImageTag } from '@slipway/contract/registry/images.ts';
import { reasonOf } from '#kit/error/messages.ts';

export const deleteReason = ({ can, runs }: Pick<ImageTag, 'can' | 'runs'>, team: string): string | undefined => {
  if (can['delete'] === 'TagInUse') {
    const live = runs.find(({ isLive }) => isLive);
    if (live) return `${live.revision} runs it in ${live.environment}`;
  }
  return reasonOf(can, 'delete', { team });
};
