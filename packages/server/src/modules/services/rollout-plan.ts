/** Plan notes of a rollout: effects on running revisions, by strategy and by the revisions to replace. */
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import type { RolloutStrategy, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { note } from '#modules/pipelines/index.ts';
import { hasTraffic } from './edge-settings.ts';
import type { ServiceKey, ServiceLinks } from './services.sql.ts';

interface Replaced {
  readonly name: string;
  readonly replicas: number;
}

const replacing = {
  RED_BLACK: 'ReplacesInstances',
  ROLLING_UPDATE: 'ReplacesInstancesOneByOne',
  RECREATE: 'ReplacesInstancesWithDowntime',
};

export const rolloutNotes = (strategy: RolloutStrategy, replaced: readonly Replaced[]): PlanNote[] =>
  replaced.flatMap(({ name, replicas }) => [
    ...(replicas > 0 ? [note(replacing[strategy], { count: String(replicas), revision: name })] : []),
    note(strategy === 'RED_BLACK' ? 'KeepsOldRevision' : 'DeletesOldRevision', { revision: name }),
  ]);

/** Returns the service's address, or null without external traffic. A domain is an additional address. */
export const addressOf = (links: ServiceLinks, key: ServiceKey, spec: ServiceSpec): string | null =>
  hasTraffic(spec) ? links.url(key, spec.externalTraffic.basePath) : null;
export const domainAddressOf = (spec: ServiceSpec): string | null => {
  const { domain, basePath } = spec.externalTraffic;
  return hasTraffic(spec) && domain !== null ? `${domain}${basePath.replace(/\/+$/, '')}/` : null;
};

/** Returns notes about changes of the service's addresses. */
export const addressNotes = (links: ServiceLinks, key: ServiceKey, before: ServiceSpec, after: ServiceSpec): PlanNote[] => {
  const pairs = [
    [addressOf(links, key, before), addressOf(links, key, after)],
    [domainAddressOf(before), domainAddressOf(after)],
  ] as const;
  return pairs.flatMap(([from, to]) => {
    if (from === to) return [];
    if (to === null) return [note('StopsTraffic', { url: from ?? '' })];
    return [from === null ? note('StartsTraffic', { url: to }) : note('MovesTraffic', { before: from, after: to })];
  });
};

export const productionNotes = ({ environment }: ServiceKey): PlanNote[] =>
  environment === 'production' ? [note('ProductionChange')] : [];
