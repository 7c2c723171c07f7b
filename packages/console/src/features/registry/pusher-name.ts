/** Returns the pusher's name. A robot of the app's own project has its short name. */
import type { ImageTag } from '@slipway/contract/registry/images.ts';

export const pusherName = ({ kind, displayName }: ImageTag['pushedBy'], app: string): string => {
  const own = `robot$${app}+`;
  return kind === 'ROBOT' && displayName.startsWith(own) ? displayName.slice(own.length) : displayName;
};
