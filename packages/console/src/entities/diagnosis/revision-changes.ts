/** Differences between two revisions: settings, names of changed secret versions, and the commits between their sources. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { revisionSourceChanges, type RevisionSourceChanges } from '@slipway/contract/service/diagnosis.ts';
import { revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import { useQuery } from '#kit/api/query.ts';
import { revisionNumber } from '#entities/pipeline/index.ts';
import type { RevisionRef } from './diagnosis-labels.ts';

/** Converts a revision to settings. It has no repository and no on/off switch, so both sides get the same values. */
export const settingsOf = ({ spec }: Pick<Revision, 'spec'>): ServiceSettings => ({ githubRepositoryName: null, active: true, spec });

export const secretChanges = (
  { secretVersions: from }: Pick<Revision, 'secretVersions'>,
  { secretVersions: to }: Pick<Revision, 'secretVersions'>,
): Plan['secretVersions'] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .toSorted()
    .filter((group) => from[group] !== to[group])
    .map((group) => ({ group, before: from[group] ?? null, after: to[group] ?? null }));

export interface RevisionChanges {
  /** Name of the revision to compare with. */
  since: string;
  /** Null if the images are the same. */
  image: Plan['image'];
  settings: readonly ServiceChange[];
  secretVersions: Plan['secretVersions'];
  /** Null if the sources are unknown or the user may not see them. */
  source: RevisionSourceChanges | null;
}

/** Returns undefined until the changes are known, and if `since` is not an earlier revision. */
export const useRevisionChanges = (ref: RevisionRef | undefined, since: string | null): RevisionChanges | undefined => {
  const isEarlier = ref !== undefined && since !== null && Number(revisionNumber(since)) < Number(revisionNumber(ref.revision));
  const params = isEarlier && { app: ref.app, env: ref.env, service: ref.service, revision: ref.revision };
  const { data: to } = useQuery(revisionView, params && { params });
  const { data: from } = useQuery(revisionView, params && since !== null && { params: { ...params, revision: since } });
  const mayRead = to?.can['readLogs'] === true;
  const source = useQuery(revisionSourceChanges, params && since !== null && mayRead && { params, query: { since } });
  if (!to || !from || since === null || (mayRead && !source.data && !source.error)) return undefined;
  return {
    since,
    image: from.imageDigest === to.imageDigest ? null : { before: from.imageTag, after: to.imageTag },
    settings: serviceChanges(settingsOf(from), settingsOf(to)),
    secretVersions: secretChanges(from, to),
    source: source.data?.changes ?? null,
  };
};
