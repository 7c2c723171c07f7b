/** The header of a revision: image, origin, author, and whether it serves. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { paths } from '#entities/paths.ts';
import type { LogRef } from '#features/services/logs/log-stream.ts';
import { comparedFirst } from './revision-compare.ts';
import { RevisionActions } from './RevisionActions.tsx';
import { ServiceBar } from '#features/services/page/ServiceBar.tsx';
import css from './RevisionHeader.module.css';
import { formatReason, revisionStatusLook } from '#features/services/service-labels.ts';

export interface RevisionHeaderProps {
  place: LogRef & { env: Environment };
  /** URL of this page. */
  href: string;
  revision: Revision | undefined;
  service: Service | undefined;
  team: string;
}

export function RevisionHeader({ place, href, revision, service, team }: RevisionHeaderProps) {
  const running = service?.status.pipelineId ?? null;
  const isTaking = running !== null && revision?.pipelineId === running && revision.enabled && !revision.isServing;
  const look = revision && revisionStatusLook(revision, isTaking);
  return (
    <>
      <PageHeader
        typeLabel="Revision"
        name={place.revision}
        copyText={place.revision}
        {...(look ? { status: <Badge tone={look.tone}>{look.word}</Badge> } : {})}
        isLoading={!revision}
        actions={revision && <RevisionActions revision={revision} team={team} other={comparedFirst(revision, service?.status.serving)} />}
      >
        <Details items={revision ? detailsOf(revision, place) : waiting(place)} />
      </PageHeader>
      <ServiceBar place={place} service={service} href={href} />
    </>
  );
}

function ServiceLink({ place }: { place: LogRef }) {
  return (
    <Link href={paths.service(place)} className={`ell ${css.name}`} title={place.service}>
      {place.service}
    </Link>
  );
}

/** As wide as typical facts, to avoid a layout shift when they load. */
const waiting = (place: LogRef): Detail[] => [
  { label: 'Service', value: <ServiceLink place={place} /> },
  { label: 'Image tag', value: <Skeleton width={150} /> },
  { label: 'Digest', value: <Skeleton width={150} /> },
  { label: 'Traffic', value: <Skeleton width={40} /> },
  { label: 'Made from', value: <Skeleton width={200} /> },
  { label: 'By', value: <Skeleton width={140} /> },
];

/** `sha256:9c41…7be2`. */
const shortDigest = (digest: string): string => digest.replace(/^(\w+:\w{4})\w+(\w{4})$/, '$1…$2');

const detailsOf = (revision: Revision, place: LogRef): Detail[] => [
  { label: 'Service', value: <ServiceLink place={place} /> },
  { label: 'Image tag', value: <MiddleTruncate text={revision.imageTag} isMono isFocusable />, copyText: revision.imageTag },
  { label: 'Digest', value: <code>{shortDigest(revision.imageDigest)}</code>, copyText: revision.imageDigest },
  { label: 'Traffic', value: revision.isServing ? '100 %' : 'None' },
  {
    label: 'Made from',
    value: (
      <span className={css.made} title={formatReason(revision.reason)}>
        {revision.pipelineId ? (
          <Link href={paths.pipeline({ ...place, pipeline: revision.pipelineId })}>{formatReason(revision.reason)}</Link>
        ) : (
          formatReason(revision.reason)
        )}
      </span>
    ),
  },
  {
    label: 'By',
    value: (
      <span>
        {revision.createdBy.displayName}, <RelativeTime at={revision.createdAt} />
      </span>
    ),
  },
];
