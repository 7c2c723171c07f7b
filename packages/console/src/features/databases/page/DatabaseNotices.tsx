/** The most important notices about a database: creating, creation failed, deleting, change failed, inactive, backups missing. */
import type { Database } from '@slipway/contract/database/database.ts';
import { backupWarningTexts } from '@slipway/contract/database/backup-summary.ts';
import { databaseKind } from '@slipway/contract/kinds/database.kind.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { Power } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { paths, pipelinePath } from '#entities/paths.ts';
import { usePipelineRun } from '#entities/pipeline/index.ts';
import { LifecycleNotice } from '#entities/resource/LifecycleNotice.tsx';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { timeText } from '#kit/chart/time-ticks.ts';
import { isStale } from '#features/databases/database-labels.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { useDatabaseRemoval } from './DatabaseActions.tsx';

/** Loaded lazily, because few pages need it. */
const PipelineFailure = lazy(async () => ({ default: (await import('#entities/diagnosis/index.ts')).PipelineFailure }));
const ActivationDialog = lazy(() => import('./ActivationDialog.tsx'));

interface NoticesProps {
  place: DatabasePlace;
  database: Database;
  team: string;
}

export function DatabaseNotices({ place, database, team }: NoticesProps) {
  const { state, active, can, status } = database;
  const { discard } = useDatabaseRemoval(place, database);
  const subject = { kind: databaseKind.kind, names: { ...place } };
  const isThere = state === 'ACTIVE';
  return (
    <>
      <LifecycleNotice noun="database" subject={subject} state={state} can={can} team={team} onDiscard={() => confirmAction(discard)} />
      {isThere && status.provisioning === 'FAILED' && <FailedChange database={database} team={team} />}
      {isThere && status.provisioning === 'UNKNOWN' && (
        <Notice tone="idle">
          <strong>Changes are pending.</strong> The database server has not shown this database yet. They are applied as soon as it answers.
        </Notice>
      )}
      {isThere && !active && <Inactive database={database} team={team} />}
      {isThere && active && <Stale observedAt={status.observedAt} />}
      {isThere && <BackupWarning place={place} backups={database.backups} />}
    </>
  );
}

/** A failed change, activation or rotation. Creation and deletion have their own notices. */
function FailedChange({ database: { status }, team }: Pick<NoticesProps, 'database' | 'team'>) {
  const { data: run } = usePipelineRun(status.pipelineId);
  if (run?.status.state !== 'FAILED' || /^(Create|Delete|Restore)/.test(run.pipelineType)) return null;
  return (
    <Suspense fallback={null}>
      <PipelineFailure run={run} team={team}>
        <LinkButton variant="quiet" href={pipelinePath(run)}>
          View pipeline
        </LinkButton>
      </PipelineFailure>
    </Suspense>
  );
}

function Inactive({ database, team }: Pick<NoticesProps, 'database' | 'team'>) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Notice
        icon={<Power aria-hidden="true" />}
        actions={
          <Button variant="primary" disabledReason={reasonOf(database.can, 'activate', { team })} onClick={() => setAsking(true)}>
            Activate
          </Button>
        }
      >
        <strong>This database is inactive.</strong> It refuses connections. Data and backups are kept; no new backup is made.
      </Notice>
      <Suspense fallback={null}>{isAsking && <ActivationDialog database={database} onClose={() => setAsking(false)} />}</Suspense>
    </>
  );
}

/** The database server does not respond, so the page shows its last known state. */
function Stale({ observedAt }: { observedAt: string | null }) {
  const since = useNow((now) => (observedAt !== null && isStale(observedAt, now) ? Date.parse(observedAt) : 0));
  if (since === 0) return null;
  return (
    <Notice tone="warn" isLive>
      <strong>Figures are stale since {timeText(since / 1000, 7200)}.</strong> The database server does not answer. Changes wait until it
      does.
    </Notice>
  );
}

function BackupWarning({ place, backups: { warning } }: { place: DatabasePlace } & Pick<Database, 'backups'>) {
  if (warning === null) return null;
  return (
    <Notice
      tone="warn"
      actions={
        <LinkButton size="sm" href={paths.database(place, 'backups')}>
          See backups
        </LinkButton>
      }
    >
      {backupWarningTexts[warning]}
    </Notice>
  );
}
