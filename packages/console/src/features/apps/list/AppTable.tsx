/** The app table, one row per app: health in both environments, team, two weeks of deploys, and the last change. */
import type { ApplicationSummary, ServiceHealth } from '@slipway/contract/application.ts';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { MiniSteps } from '@slipway/ui/figures/MiniSteps.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { DeployHistory } from '@slipway/ui/figures/DeployHistory.tsx';
import { paths } from '#entities/paths.ts';
import { healthLook, lifecycleLook } from '#entities/status.ts';
import css from './AppTable.module.css';

function HealthStatus({ health }: { health: ServiceHealth }) {
  const { tone, word } = healthLook[health];
  return <Status tone={tone}>{word}</Status>;
}

/** Splits a revision's name into service name and number. */
const serviceOf = (revision: string): { service: string; number: string } => {
  const dash = revision.lastIndexOf('-');
  return { service: revision.slice(0, dash), number: revision.slice(dash + 1) };
};

function LastDeploy({ app }: { app: ApplicationSummary }) {
  const { running, lastDeploy, state } = app;
  if (running) {
    const at = Math.min(running.stepsDone + 1, running.stepsTotal);
    return (
      <Link href={paths.app({ app: app.id })} className={css.running}>
        <Status tone="run" isTinted>
          Step {at} of {running.stepsTotal}
        </Status>
        <span className="only-wide">
          <MiniSteps done={running.stepsDone} total={running.stepsTotal} />
        </span>
      </Link>
    );
  }
  const look = lifecycleLook[state];
  if (look) return <Status tone={look.tone}>{look.word}</Status>;
  if (!lastDeploy) return <span className="meta">Never</span>;
  const { service, number } = serviceOf(lastDeploy.revision);
  return (
    <span className={css.last}>
      {lastDeploy.state === 'FAILED' && lastDeploy.pipelineId ? (
        <Link href={paths.pipeline({ app: app.id, env: lastDeploy.env, service, pipeline: lastDeploy.pipelineId })}>
          <Status tone="bad">Rev {number} failed</Status>
        </Link>
      ) : (
        <span className={`only-wide ${css.who}`}>
          <Avatar name={lastDeploy.by} />
          <span className="ell">{lastDeploy.by}</span>
        </span>
      )}
      <span className={css.when}>
        <RelativeTime at={lastDeploy.at} isShort />
      </span>
    </span>
  );
}

const environmentHeader = (shape: 'load' | 'load-open', word: string) => (
  <span className={css.environment} data-shape={shape}>
    <StatusIcon shape={shape} />
    {word}
  </span>
);

/** Phones show one environment: production, or development if production has no services. */
const isDevelopmentOnly = ({ health }: ApplicationSummary): boolean => health.production === 'NONE' && health.development !== 'NONE';
/** On phones, development also appears if it is failing or pending. */
const isLoud = (app: ApplicationSummary): boolean => !isDevelopmentOnly(app) && ['FAILING', 'PENDING'].includes(app.health.development);

export const appColumns: Column<ApplicationSummary>[] = [
  {
    key: 'name',
    header: 'App',
    isSortable: true,
    phone: 'title',
    cell: (app) => (
      <Link className={cellMain} href={paths.app({ app: app.id })}>
        <MiddleTruncate text={app.id} tail={10} className={css.name ?? ''} />
      </Link>
    ),
  },
  {
    key: 'production',
    header: environmentHeader('load', 'Production'),
    label: 'Production',
    phone: 'status',
    cell: (app) => (
      <>
        <span className={isDevelopmentOnly(app) ? 'only-wide' : undefined}>
          <HealthStatus health={app.health.production} />
        </span>
        {isDevelopmentOnly(app) && (
          <span className="only-phone">
            <span className={css.phoneLabel}>Development: </span>
            <HealthStatus health={app.health.development} />
          </span>
        )}
      </>
    ),
  },
  {
    key: 'development',
    header: environmentHeader('load-open', 'Development'),
    label: 'Development',
    phone: 'extra',
    cell: (app) => (
      <span className={isLoud(app) ? undefined : 'only-wide'}>
        <span className={css.phoneLabel}>Development: </span>
        <HealthStatus health={app.health.development} />
      </span>
    ),
  },
  {
    key: 'team',
    header: 'Team',
    isSortable: true,
    phone: 'meta',
    cell: (app) => (
      <Link className={`${css.team} ell`} href={paths.team(app.teamId)} title={app.teamName}>
        {app.teamName}
      </Link>
    ),
  },
  {
    key: 'deploys',
    header: 'Deploys, 14 days',
    isRoomy: true,
    cell: (app) => <DeployHistory days={app.deploys.map(({ completed, failed }) => ({ deploys: completed + failed, failed }))} />,
  },
  {
    key: 'lastDeploy',
    header: 'Last deploy',
    isSortable: true,
    isDescendingFirst: true,
    phone: 'end',
    cell: (app) => <LastDeploy app={app} />,
  },
];
