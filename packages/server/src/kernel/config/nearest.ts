/** Finds the known name that was probably meant. */
import { distance } from '../edit-distance.ts';

/** Undefined if no name is close: at most a third of the letters may differ, or only letter case and separators. */
export const nearest = (name: string, known: readonly string[]): string | undefined => {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const [best] = known
    .map((one) => ({ one, edits: distance(plain(name), plain(one)) }))
    .toSorted((left, right) => left.edits - right.edits);
  return best !== undefined && best.edits <= Math.max(1, Math.floor(name.length / 3)) ? best.one : undefined;
};
