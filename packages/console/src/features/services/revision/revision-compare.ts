/** Two revisions' snapshots, made comparable. */
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';

/** What one compares a revision with first: the one that runs, and that one with the one before it. */
export const comparedFirst = (
  { name, number, service }: Pick<Revision, 'name' | 'number' | 'service'>,
  serving: string | null | undefined,
): string | undefined => {
  if (serving && serving !== name) return serving;
  return number > 1 ? `${service}-${number - 1}` : undefined;
};

/** A revision has no repository and is neither on nor off by its settings: both sides get the same. */
export const settingsOf = ({ spec }: Pick<Revision, 'spec'>): ServiceSettings => ({ githubRepositoryName: null, active: true, spec });

export const secretChanges = (
  { secretVersions: from }: Pick<Revision, 'secretVersions'>,
  { secretVersions: to }: Pick<Revision, 'secretVersions'>,
): Plan['secretVersions'] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .toSorted()
    .filter((group) => from[group] !== to[group])
    .map((group) => ({ group, before: from[group] ?? null, after: to[group] ?? null }));
