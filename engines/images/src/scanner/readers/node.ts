/** Node.js itself: its program names its version in the addresses of its release, whichever image it was copied into. */
import { isVersion, type ReadPackage } from './reading.ts';
import type { Pieces } from './elf.ts';
import { purlOf } from './purl.ts';

const RELEASE = Buffer.from('https://nodejs.org/download/release/v');
const VERSION_BYTES = 32;
const PIECE_BYTES = 8 << 20;
const LONGEST_BYTES = 512 << 20;

/** Returns Node.js as the ecosystem names it that has advisories for it. Undefined if the program is no official Node.js. */
export const readNode = async (file: Pieces): Promise<ReadPackage[] | undefined> => {
  const overlap = RELEASE.length + VERSION_BYTES;
  for (let at = 0; at < Math.min(file.size, LONGEST_BYTES); at += PIECE_BYTES) {
    const piece = await file.upTo(at, PIECE_BYTES + overlap);
    const found = piece.indexOf(RELEASE);
    if (found < 0) continue;
    const rest = piece.toString('latin1', found + RELEASE.length, found + overlap);
    const version = /^(\d+\.\d+\.\d+)\//.exec(rest)?.[1];
    if (!isVersion(version)) continue;
    return [{ ecosystem: 'Bitnami', name: 'node', version, source: null, purl: purlOf({ type: 'generic', name: 'node', version }) }];
  }
  return undefined;
};
