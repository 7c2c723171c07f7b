/** What a copy would do, in the words of a plan. */
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import type { Db } from '#db/database.ts';
import type { Copy } from './copy-comparison.ts';
import { isProtected } from '../pipelines/create.steps.ts';
import type { CreationDeps } from '../create-service.ts';
import type { PlanDraft } from '#modules/pipelines/index.ts';
import { note, planned } from '../operation.ts';
import { olderRevisions } from '../pipelines/rollout.sql.ts';
import { productionNotes, rolloutNotes } from '../rollout-plan.ts';
import type { ServiceLinks } from '../services.sql.ts';
import { plainVariables, secretNotes } from '../settings/plain-variables.ts';
import { addressInUse, hasEdgeCredential } from '../settings/settings.sql.ts';
import { servingRevision } from '../settings/state.sql.ts';

const domain = 'spec.externalTraffic.domain';

/** The domain is the source's own as long as that has it; so it is shown before somebody ticks it. */
const domainNotes = async (db: Db, links: ServiceLinks, { key, before, changes }: Copy): Promise<PlanNote[]> => {
  const change = changes.find(({ path }) => path === domain);
  if (typeof change?.after !== 'string') return [];
  const { externalTraffic, ...edge } = before.spec;
  const address = await addressInUse(db, links, key, { ...edge, externalTraffic: { ...externalTraffic, domain: change.after } });
  return address === undefined ? [] : [note('DomainTaken', { address }, domain)];
};

/** Values are never changed by magic: those that look as if they belonged to the other environment are named. */
const environmentNotes = ({ from, key, carried }: Copy): PlanNote[] =>
  plainVariables(carried).flatMap(({ path, name, value }) => {
    if (from.environment === key.environment) return [];
    const isNamed = new RegExp(`\\b${from.environment}\\b`, 'i').test(value);
    return isNamed ? [note('NamesOtherEnvironment', { name, environment: from.environment }, path)] : [];
  });

/** `isNoted`: a change of settings says the rest of it. */
export const copyWarnings = async (db: Db, links: ServiceLinks, copy: Copy, { isNoted = false } = {}): Promise<PlanNote[]> => [
  ...copy.secrets.warnings,
  ...(await domainNotes(db, links, copy)),
  ...environmentNotes(copy),
  ...(isNoted ? [] : [...secretNotes(copy.carried), ...productionNotes(copy.key)]),
];

/** With a tag to deploy, or of a new service. */
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
