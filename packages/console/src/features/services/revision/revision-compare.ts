/** The default revision for a comparison. */
import type { Revision } from '@slipway/contract/service/revision.ts';

/** Returns the serving revision, or for the serving revision the previous one. */
export const comparedFirst = (
  { name, number, service }: Pick<Revision, 'name' | 'number' | 'service'>,
  serving: string | null | undefined,
): string | undefined => {
  if (serving && serving !== name) return serving;
  return number > 1 ? `${service}-${number - 1}` : undefined;
};
