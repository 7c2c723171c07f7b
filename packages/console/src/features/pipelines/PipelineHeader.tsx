/** The header of a pipeline: action, state, parameters, author, and its position on the waterline. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { isActive } from '@slipway/contract/pipeline/pipeline.ts';
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { DurationText } from '@slipway/ui/text/DurationText.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { PipelineStrip } from '@slipway/ui/layout/PipelineStrip.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { duration } from '@slipway/ui/format/duration.ts';
import { useLocation } from 'react-router';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { isUndoing, progressOf, usualTotalMs } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineTitle, revisionNumber } from '#entities/pipeline/pipeline-title.ts';
import { PipelineActions } from './PipelineActions.tsx';
import css from './PipelineHeader.module.css';
import { runDetails, runLook } from './run-details.tsx';

export interface PipelineHeaderProps {
  place: ServiceRef;
  run: PipelineRun | undefined;
  service: Service | undefined;
  team: string;
  /** Earlier runs are read-only: they can't be canceled or rerun. */
  isNewest: boolean;
}

export function PipelineHeader({ place, run, service, team, isNewest }: PipelineHeaderProps) {
  const env = environmentOf(place.env) ?? 'development';
  const { pathname } = useLocation();
  const look = run && runLook(run);
  return (
    <>
      <PageHeader
        typeLabel="Pipeline"
        name={run ? pipelineTitle(run) : 'Pipeline'}
        {...(run ? { copyText: run.pipelineId } : {})}
        {...(run?.facts['commitMessage'] ? { lede: `“${run.facts['commitMessage']}”` } : {})}
        {...(look ? { status: <Badge tone={look.tone}>{look.word}</Badge> } : {})}
        isLoading={!run}
        actions={run && isNewest && <PipelineActions run={run} team={team} />}
      >
        <Details items={run ? detailsOf(run, place, service) : waiting(place)} />
      </PageHeader>
      <EntityBar
        env={env}
        hrefOf={(other) => (other === env ? pathname : paths.app({ app: place.app, env: other }))}
        passing={run && isActive(run.status.state) && <RunPassing run={run} />}
      />
    </>
  );
}

function RunPassing({ run }: { run: PipelineRun }) {
  const { at, total, step, share } = progressOf(run);
  const usual = usualTotalMs(run);
  const start = run.startedAt ?? run.creationTimestamp;
  const isLate = useNow((now) => (usual !== undefined && now - Date.parse(start) > usual ? 1 : 0)) === 1;
  return (
    <PipelineStrip
      title={isUndoing(run) ? 'Undoing' : `Step ${at} of ${total}`}
      note={step?.name}
      meta={
        <>
          <DurationText from={start} />
          {usual !== undefined && (isLate ? `, usually ${duration(usual)}` : ` of about ${duration(usual)}`)}
        </>
      }
      progress={share}
    />
  );
}

function ServiceLink({ place }: { place: ServiceRef }) {
  return (
    <Link href={paths.service(place)} className={`ell ${css.name}`} title={place.service}>
      {place.service}
    </Link>
  );
}

/** As wide as typical facts, to avoid a layout shift when they load. */
const waiting = (place: ServiceRef): Detail[] => [
  { label: 'Service', value: <ServiceLink place={place} /> },
  { label: 'Revision', value: <Skeleton width={20} /> },
  { label: 'Image tag', value: <Skeleton width={150} /> },
  { label: 'URL', value: <Skeleton width={300} />, isWide: true },
  { label: 'Started by', value: <Skeleton width={110} /> },
  { label: 'Ended', value: <Skeleton width={150} /> },
];

/** Long app and service names could fill the whole line, so the URL is shortened. */
function Address({ url }: { url: string }) {
  return (
    <Link href={url} className={`ell ${css.url}`} title={url}>
      {bare(url)}
    </Link>
  );
}
const bare = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');

const detailsOf = (run: PipelineRun, place: ServiceRef, service: Service | undefined): Detail[] => {
  const { imageTag, commit, url, revision } = run.facts;
  const serving = service?.status.serving;
  return [
    { label: 'Service', value: <ServiceLink place={place} /> },
    ...(revision
      ? [{ label: 'Revision', value: <Link href={paths.revision({ ...place, revision })}>{revisionNumber(revision)}</Link> }]
      : []),
    ...(imageTag ? [{ label: 'Image tag', value: <MiddleTruncate text={imageTag} isMono />, copyText: imageTag }] : []),
    // A built image's tag ends with its commit. Showing the commit again would wrap the last fact to a second line.
    ...(commit && !imageTag?.endsWith(commit) ? [{ label: 'Commit', value: <code>{commit}</code> }] : []),
    ...(url && run.status.state === 'COMPLETED' ? [{ label: 'URL', value: <Address url={url} />, copyText: url, isWide: true }] : []),
    ...runDetails(run),
    ...(run.status.state === 'FAILED' && serving
      ? [
          {
            label: 'Still serving',
            value: <Link href={paths.revision({ ...place, revision: serving })}>Revision {revisionNumber(serving)}</Link>,
          },
        ]
      : []),
  ];
};
