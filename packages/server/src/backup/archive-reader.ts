/** Reads a platform archive and maps each part to its destination. */
import {
  readParts,
  type ArchiveFormat,
  type ArchiveVisitor,
  type ReadArchive,
  type ReadPart as AnyPart,
} from '#kernel/archive/archive-reader.ts';
import { FORMAT, Manifest, PRODUCT, placeOf, type PartPlace } from './archive-format.ts';

const format: ArchiveFormat<Manifest> = { manifest: Manifest, product: PRODUCT, format: FORMAT, madeBy: '`slipway backup`' };

export interface ReadPart extends AnyPart {
  readonly place: PartPlace;
}
type Visitor = Pick<ArchiveVisitor<Manifest>, 'onManifest'> & { readonly onPart?: (part: ReadPart) => Promise<void> };

/** Throws a StartError at the first problem. */
export const readArchive = (file: string, { onPart, ...visitor }: Visitor = {}): Promise<ReadArchive<Manifest>> =>
  readParts(file, format, {
    ...visitor,
    onPart: async (found) => {
      const place = placeOf(found.part.name);
      await onPart?.({ ...found, place });
    },
  });
