/** The bill of materials of an image: CycloneDX 1.6 as JSON. The same scan always gives the same bytes. */
import { createHash } from 'node:crypto';
import { isUnread } from '@slipway/contract/registry/scan-notes.ts';
import type { Db } from '#db/database.ts';
import type { FoundPackage } from '#ports/scanner.ts';
import { foundPackages } from './scan-result.sql.ts';
import type { ScanRow } from './scan-rows.ts';

export interface SbomImage {
  /** `{host}/{repository}` */
  readonly address: string;
  readonly repository: string;
  readonly digest: string;
}

/** A UUID of version 8: made of what it stands for. */
const uuidOf = (text: string): string => {
  const hash = createHash('sha256').update(text).digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
};

const property = (name: string, value: string | null) => (value === null ? [] : [{ name: `slipway:${name}`, value }]);

const componentOf = (found: FoundPackage, number: number) => ({
  type: 'library',
  // One package may lie in an image several times.
  'bom-ref': `package-${number}`,
  name: found.name,
  version: found.version,
  purl: found.purl,
  properties: [
    ...property('ecosystem', found.ecosystem),
    ...property('path', found.path),
    ...property('layer', found.layer),
    ...property('platforms', found.platforms.join(' ')),
  ],
});

export const sbomOf = async (db: Db, scan: ScanRow, { address, repository, digest }: SbomImage): Promise<string> => {
  const packages = await foundPackages(db, digest);
  const ordered = packages.toSorted((a, b) => (`${a.purl} ${a.path}` < `${b.purl} ${b.path}` ? -1 : 1));
  const name = repository.split('/').at(-1) ?? repository;
  const purl = `pkg:oci/${encodeURIComponent(name.toLowerCase())}@${encodeURIComponent(digest)}?repository_url=${encodeURIComponent(address)}`;
  const { vendor, name: scanner, version } = scan.scanner ?? { vendor: '', name: '', version: '' };
  return JSON.stringify({
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(`${digest} ${scan.scanned_at?.toISOString()}`)}`,
    version: 1,
    metadata: {
      timestamp: scan.scanned_at?.toISOString(),
      tools: {
        components: [{ type: 'application', name: scanner, version, ...(vendor === '' ? {} : { manufacturer: { name: vendor } }) }],
      },
      component: { type: 'container', 'bom-ref': 'image', name: address, version: digest, purl },
    },
    components: ordered.map(componentOf),
    // What could not be read may hold more; what was copied in by hand nobody can tell.
    compositions: [{ aggregate: scan.read_notes.some(isUnread) ? 'incomplete' : 'unknown', assemblies: ['image'] }],
  });
};
