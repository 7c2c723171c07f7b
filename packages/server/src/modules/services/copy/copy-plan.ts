/** Builds the plan of a copy. */
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import type { Db } from '#db/database.ts';
import { note } from '#modules/pipelines/index.ts';
import type { Copy } from './copy-comparison.ts';
import { isProtected } from '../pipelines/create.steps.ts';
import type { CreationDeps } from '../create-service.ts';
import type { PlanDraft } from '#modules/pipelines/index.ts';
import { planned } from '../operation.ts';
import { olderRevisions } from '../pipelines/rollout.sql.ts';
import { productionNotes, rolloutNotes } from '../rollout-plan.ts';
import type { ServiceLinks } from '../services.sql.ts';
import { plainVariables, secretNotes } from '../settings/plain-variables.ts';
import { addressInUse, hasEdgeCredential } from '../settings/settings.sql.ts';
import { servingRevision } from '../settings/state.sql.ts';

const domain = 'spec.externalTraffic.domain';

/** Warns that the source still uses the domain, before the user selects it. */
const domainNotes = async (db: Db, links: ServiceLinks, { key, before, changes }: Copy): Promise<PlanNote[]> => {
  const change = changes.find(({ path }) => path === domain);
  if (typeof change?.after !== 'string') return [];
  const { externalTraffic, ...edge } = before.spec;
  const address = await addressInUse(db, links, key, { ...edge, externalTraffic: { ...externalTraffic, domain: change.after } });
  return address === undefined ? [] : [note('DomainTaken', { address }, domain)];
};

/** Values are never rewritten. Warns about values that seem to belong to the other environment. */
const environmentNotes = ({ from, key, carried }: Copy): PlanNote[] =>
  plainVariables(carried).flatMap(({ path, name, value }) => {
    if (from.environment === key.environment) return [];
    const isNamed = new RegExp(`\\b${from.environment}\\b`, 'i').test(value);
    return isNamed ? [note('NamesOtherEnvironment', { name, environment: from.environment }, path)] : [];
  });

/** `isNoted`: the plan of the settings change already contains the remaining warnings. */
export const copyWarnings = async (db: Db, links: ServiceLinks, copy: Copy, { isNoted = false } = {}): Promise<PlanNote[]> => [
  ...copy.secrets.warnings,
  ...(await domainNotes(db, links, copy)),
  ...environmentNotes(copy),
  ...(isNoted ? [] : [...secretNotes(copy.carried), ...productionNotes(copy.key)]),
];

/** Builds the draft for a copy that has a tag to deploy, or that creates the service. */
export const copyDraft = async (
  db: Db,
  { creation }: Pick<CreationDeps, 'creation'>,
  copy: Copy,
  warnings: readonly PlanNote[],
): Promise<PlanDraft> => {
  const { key, after, target, changes, secrets, imageTag } = copy;
  const { strategy } = after.spec.rollout;
  const replaced = target ? await olderRevisions(db, target.id) : [];
  const serving = target && (await servingRevision(db, target));
  const impact = {
    isNew: !target,
    isConnected: !target && after.githubRepositoryName !== null,
    attaches: secrets.groups.length > 0,
    needsCredential: isProtected(after.spec) && !(target && (await hasEdgeCredential(db, target.id))),
    rollout: imageTag === null ? null : { strategy, replaces: replaced.map(({ name }) => name) },
  };
  const runs =
    imageTag === null
      ? [note('NothingRuns')]
      : [note('MakesRevision', { image: `${after.spec.containerImageName}:${imageTag}` }), ...rolloutNotes(strategy, replaced)];
  return {
    ...planned(creation.copy, impact),
    changes: [...changes],
    consequences: [
      ...(target ? [] : [note('MakesService', { service: key.service, environment: key.environment })]),
      ...runs,
      ...secrets.groups.map(({ name }) => note('AttachesSecretGroup', { group: name })),
    ],
    warnings: [
      ...warnings,
      ...(imageTag === null || after.spec.template.healthCheck.enabled
        ? []
        : [note('NoHealthCheck', {}, 'spec.template.healthCheck.enabled')]),
    ],
    image: imageTag === null ? null : { before: serving?.imageTag ?? null, after: imageTag },
  };
};
