/** The end of a scan, for the webhooks of the image's project: in the body as Harbor has it. */
import { severities, totalOf, worstOf } from '@slipway/contract/registry/severity.ts';
import type { Db } from '#db/database.ts';
import type { Registry } from '#ports/registry.ts';
import { enqueueRegistryEvent } from '../webhooks/index.ts';
import type { ScanEvent } from './scan-image.ts';

const report = 'application/vnd.security.vulnerability.report; version=1.1';
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const announceScan = (trx: Db, registry: Pick<Registry, 'host'>, { type, repository, digest, counts }: ScanEvent): Promise<void> => {
  const overview = counts
    ? {
        scan_status: 'Success',
        severity: capital(worstOf(counts) ?? 'none'),
        summary: {
          total: totalOf(counts),
          summary: Object.fromEntries(severities.map((severity) => [capital(severity), counts[severity]])),
        },
      }
    : { scan_status: 'Error' };
  return enqueueRegistryEvent(trx, registry, {
    type,
    project: repository.slice(0, repository.indexOf('/')),
    operator: 'platform',
    repository,
    digest,
    aboutImage: { scan_overview: { [report]: overview } },
  });
};
