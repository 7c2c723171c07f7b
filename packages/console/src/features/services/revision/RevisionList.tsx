/** The revisions of a service as draft marks: which one serves, which one takes over, and the reason for each. */
import { revisionList, revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Draft, DraftRow } from '@slipway/ui/form/Draft.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { lazy, Suspense, useRef } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import css from './RevisionList.module.css';
import { rollbackReason } from './revision-confirm.ts';
import { formatReason, revisionStatusLook } from '#features/services/service-labels.ts';

/** Only a service that has never run needs it. */
const FirstImage = lazy(() => import('#features/services/page/FirstImage.tsx'));

/** `?rollback=<revision>` opens the rollback dialog over the list. */
const defaults = { page: 0, rollback: '' };
const loadRollback = () => import('./RollbackDialog.tsx');
const RollbackDialog = lazy(loadRollback);
const pageSize = 20;

export const firstRevisions = (place: ServiceRef) => ({ params: { ...place }, query: { page: 0, size: pageSize } });

export function RevisionList({ place, service }: { place: ServiceRef; service: Service | undefined }) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const list = useQuery(revisionList, { params: { ...place }, query: { page: state.page, size: pageSize } }, { keepPreviousData: true });
  const { data } = list;
  // The dialog stays while its revision moves to another page.
  const asked = useQuery(revisionView, state.rollback !== '' && { params: { ...place, revision: state.rollback } });
  const target = asked.data ?? data?.content.find(({ name }) => name === state.rollback);
  const opener = useRef<HTMLElement>(null);
  return (
    <div className="stack stack-12">
      <Panel aria-labelledby="revisions">
        <PanelHead
          title="Revisions"
          titleId="revisions"
          {...(data ? { note: `${data.totalElements.toLocaleString('en')} in all, newest first` } : {})}
        />
        {list.error && !data ? (
          <ListError what="revisions" query={list} />
        ) : (
          <Loading isLoading={!data} label="Loading revisions" skeleton={<RevisionSkeleton />}>
            {data?.totalElements === 0 ? (
              <NoRevisions service={service} />
            ) : (
              <Rows
                revisions={data?.content ?? []}
                service={service}
                rollback={{ hrefOf: (rollback) => hrefOf({ rollback, page: state.page }), onOpen: (link) => (opener.current = link) }}
              />
            )}
          </Loading>
        )}
      </Panel>
      <Pagination label="revisions" page={state.page + 1} pageCount={data?.totalPages ?? 1} hrefOf={(page) => hrefOf({ page: page - 1 })} />
      <Suspense>
        {target && rollbackReason(target, '') === undefined && (
          <RollbackDialog revision={target} button={opener} onClose={() => set({ rollback: '', page: state.page }, { replace: true })} />
        )}
      </Suspense>
    </div>
  );
}

const hrefOf = ({ app, environment, service, name }: Revision): string =>
  paths.revision({ app, env: environment, service, revision: name });

/** How the rows link to the rollback dialog. `onOpen` receives the link that gets the focus back. */
interface RollbackLinks {
  hrefOf: (revision: string) => string;
  onOpen: (link: HTMLElement) => void;
}

function Rows({ revisions, service, rollback }: { revisions: Revision[]; service: Service | undefined; rollback: RollbackLinks }) {
  const running = service?.status.pipelineId ?? null;
  return (
    <Draft label="Revisions, newest first">
      {revisions.map((revision) => {
        const isTaking = running !== null && revision.pipelineId === running && revision.enabled && !revision.isServing;
        const look = revisionStatusLook(revision, isTaking);
        return (
          <DraftRow
            key={revision.name}
            number={revision.number}
            kind={revision.isServing ? 'serving' : isTaking ? 'taking' : 'past'}
            title={<span className={css.tag}>{revision.imageTag}</span>}
            href={hrefOf(revision)}
            summary={<Summary revision={revision} isTaking={isTaking} />}
            status={
              <Status tone={look.tone} isTinted>
                {look.word}
              </Status>
            }
            time={<RowEnd revision={revision} isTaking={isTaking} rollback={rollback} />}
          />
        );
      })}
    </Draft>
  );
}

/** The rollback link, shown on revisions that allow a rollback. */
function RowEnd({ revision, isTaking, rollback }: { revision: Revision; isTaking: boolean; rollback: RollbackLinks }) {
  const isPossible = !isTaking && revision.status !== 'FAILING' && rollbackReason(revision, '') === undefined;
  return (
    <>
      <RelativeTime at={revision.createdAt} />
      {isPossible && (
        <>
          {' · '}
          <Link
            className="in"
            href={rollback.hrefOf(revision.name)}
            aria-label={`Roll back to revision ${revision.number}`}
            onPointerEnter={() => void loadRollback()}
            onClick={(event) => rollback.onOpen(event.currentTarget)}
          >
            Roll back
          </Link>
        </>
      )}
    </>
  );
}

function Summary({ revision, isTaking }: { revision: Revision; isTaking: boolean }) {
  const { isServing, replicasReady, replicasWanted, reason, createdBy } = revision;
  const made = `${formatReason(reason)} by ${createdBy.displayName}`;
  if (!isServing && !isTaking) return <span>{made}</span>;
  return (
    <span>
      {isServing && 'Serves all traffic · '}
      {replicasWanted > 0 || replicasReady > 0 ? `${replicasReady} of ${replicasWanted} ready` : 'stopped'} · {made}
    </span>
  );
}

function NoRevisions({ service }: { service: Service | undefined }) {
  // While a pipeline creates the first revision, the user has nothing to do.
  if (service?.state === 'ACTIVE' && service.status.pipelineId === null) {
    return (
      <Suspense>
        <FirstImage service={service} />
      </Suspense>
    );
  }
  return (
    <EmptyState kind="first-use" title="No revisions yet">
      A revision is an image together with the settings it runs with. The first one is{' '}
      {service?.state === 'ACTIVE' ? 'being made by the pipeline that runs.' : 'made together with the service.'}
    </EmptyState>
  );
}

function RevisionSkeleton() {
  return (
    <div className={css.skeleton}>
      {[0, 1, 2].map((index) => (
        <Skeleton key={index} height={40} />
      ))}
    </div>
  );
}
