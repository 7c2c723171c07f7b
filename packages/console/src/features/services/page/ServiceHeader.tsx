/** The header of a service: name, health, URL, running revision, and actions. */
import type { Service } from '@slipway/contract/service/service.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { regionName } from '#entities/region.ts';
import { revisionNumber } from '#entities/pipeline/pipeline-title.ts';
import { CallServiceLink } from '#features/services/dialogs/ServiceDialogs.tsx';
import { ServiceActions } from './ServiceActions.tsx';
import css from './ServiceHeader.module.css';
import { serviceLook } from '#features/services/service-labels.ts';

export interface ServiceHeaderProps {
  place: ServiceRef;
  service: Service | undefined;
  team: string;
  /** The card below then has the primary button. */
  hasDiagnosis: boolean;
}

export function ServiceHeader({ place, service, team, hasDiagnosis }: ServiceHeaderProps) {
  const look = service && serviceLook(service);
  return (
    <PageHeader
      typeLabel="Service"
      name={place.service}
      copyText={place.service}
      {...(look ? { status: <Badge tone={look.tone}>{look.word}</Badge> } : {})}
      isLoading={!service}
      actions={service && <ServiceActions service={service} team={team} hasDiagnosis={hasDiagnosis} />}
    >
      <Details items={service ? detailsOf(service, place) : waiting} />
    </PageHeader>
  );
}

/** As wide as typical facts, to avoid a layout shift when they load. */
const waiting: Detail[] = [
  { label: 'URL', value: <Skeleton width={390} />, isWide: true },
  { label: 'Serving', value: <Skeleton width={70} /> },
  { label: 'Image tag', value: <Skeleton width={150} /> },
  { label: 'Repository', value: <Skeleton width={210} />, isWide: true },
  { label: 'Region', value: <Skeleton width={80} />, isWideOnly: true },
];

const bare = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');

function Address({ url }: { url: string }) {
  return (
    <span className="row row-baseline">
      <Link className="ell" href={url}>
        {bare(url)}
      </Link>
      <span className={css.call}>
        <CallServiceLink />
      </span>
    </span>
  );
}

const detailsOf = ({ status, repositoryUrl, githubRepositoryName, region, app }: Service, place: ServiceRef): Detail[] => [
  status.url ? { label: 'URL', value: <Address url={status.url} />, copyText: status.url, isWide: true } : { label: 'URL', value: 'None' },
  status.serving
    ? {
        label: 'Serving',
        value: <Link href={paths.revision({ ...place, revision: status.serving })}>Revision {revisionNumber(status.serving)}</Link>,
      }
    : { label: 'Serving', value: 'Nothing' },
  status.imageTag
    ? { label: 'Image tag', value: <MiddleTruncate text={status.imageTag} isMono isFocusable />, copyText: status.imageTag }
    : { label: 'Image tag', value: 'None' },
  repositoryUrl
    ? {
        label: 'Repository',
        value: <MiddleTruncate text={`${app}/${githubRepositoryName}`} isMono isFocusable />,
        copyText: `git clone ${repositoryUrl}`,
        isWide: true,
      }
    : { label: 'Repository', value: 'None' },
  { label: 'Region', value: regionName(region), isWideOnly: true },
];
