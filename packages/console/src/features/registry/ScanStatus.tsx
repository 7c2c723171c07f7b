/** The scan of an image as a table cell: icon, word, and a second line with time, further findings or failure. */
import { imageScanView, type ScanSummary } from '@slipway/contract/registry/scan.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import type { RepositoryRef } from '#entities/paths.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { scanLook } from './scan-labels.ts';

export interface ImageRef extends RepositoryRef {
  /** Tag or digest. */
  tag: string;
}
export const imageParams = ({ app, env, repository, tag }: ImageRef) => ({ app, env, repository, tag });

/** A scan takes seconds, so the page polls quickly in case live updates are unavailable. */
const movingPollMs = 2000;
const restingPollMs = 10_000;
export const useScan = (image: ImageRef | undefined): QueryResult<typeof imageScanView> =>
  useQuery(imageScanView, image && { params: imageParams(image) }, {
    pollMs: (scan) => (scan?.state === 'QUEUED' || scan?.state === 'SCANNING' ? movingPollMs : restingPollMs),
  });

export function ScanStatus({ scan }: { scan: ScanSummary }) {
  const { tone, word, below, at } = scanLook(scan);
  return (
    <TwoLines
      isUnderStatus
      below={
        below === '' && !at ? undefined : (
          <>
            {below}
            {below !== '' && at && ', '}
            {at && (
              <>
                {at.before} <RelativeTime at={at.at} isShort />
              </>
            )}
          </>
        )
      }
    >
      <Status tone={tone}>{word}</Status>
    </TwoLines>
  );
}
