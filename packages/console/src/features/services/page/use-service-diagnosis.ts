/** Chooses the revision to diagnose: the newest if it is unhealthy, otherwise the serving one. */
import { revisionList, type Revision } from '@slipway/contract/service/revision.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import type { Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { useQuery } from '#kit/api/query.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { useDiagnosis } from '#entities/diagnosis/use-diagnosis.ts';
import { firstRevisions } from '#features/services/revision/RevisionList.tsx';

type Judged = Pick<Revision, 'name' | 'status' | 'isServing' | 'enabled'>;

/** True if no instance of the revision runs. */
export const isStopped = ({ replicasWanted, replicasReady }: Pick<Revision, 'replicasWanted' | 'replicasReady'>): boolean =>
  replicasWanted === 0 && replicasReady === 0;

const isUnwell = ({ status }: Judged): boolean => status === 'FAILING' || status === 'PENDING' || status === 'UNKNOWN';

/** `revisions`: newest first. */
export const failingRevision = (revisions: readonly Judged[]): string | undefined => {
  const [newest] = revisions;
  if (newest && isUnwell(newest)) return newest.name;
  return revisions.find((revision) => revision.isServing && isUnwell(revision))?.name;
};

export const useServiceDiagnosis = (
  place: ServiceRef,
  service: Service | undefined,
): { failing: Revision | undefined; diagnosis: Diagnosis | null } => {
  const { data } = useQuery(revisionList, firstRevisions(place));
  const revisions = service?.state === 'ACTIVE' ? (data?.content ?? []) : [];
  // For an inactive or idle service, checks the revision that an activation may have failed to start. The server knows whether it did.
  const failing =
    service && (!service.active || service.status.scaledDownAt !== null)
      ? revisions.find(({ status }) => status !== 'DELETED' && status !== 'FAILING')?.name
      : failingRevision(revisions);
  const { diagnosis } = useDiagnosis(failing === undefined ? undefined : { ...place, revision: failing });
  return { failing: revisions.find(({ name }) => name === failing), diagnosis };
};
