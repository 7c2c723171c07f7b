/** Which revision a revision is compared with. */
import type { Revision } from '@slipway/contract/service/revision.ts';

/** What one compares a revision with first: the one that runs, and that one with the one before it. */
export const comparedFirst = (
  { name, number, service }: Pick<Revision, 'name' | 'number' | 'service'>,
  serving: string | null | undefined,
): string | undefined => {
  if (serving && serving !== name) return serving;
  return number > 1 ? `${service}-${number - 1}` : undefined;
};
