/** The bar under an entity's header: links to the two environments, and the running pipeline. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { filled } from '@slipway/contract/kinds.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Kind } from '@slipway/contract/kernel/subject.ts';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import type { ReactNode } from 'react';
import { PassingPipeline } from '#entities/pipeline/index.ts';
import { useQuery } from '#kit/api/query.ts';

export interface EntityBarProps {
  env: Environment;
  /** URL of the page in an environment. If the entity does not exist there, URL of its list. */
  hrefOf: (env: Environment) => string;
  /** The entity's newest pipeline, shown while it runs. */
  pipelineId?: string | null | undefined;
  /** Shown instead of the pipeline. */
  passing?: ReactNode;
}

export const EntityBar = ({ env, hrefOf, pipelineId, passing }: EntityBarProps) => (
  <EnvironmentBar
    environment={env}
    links={[...environments].reverse().map((environment) => ({ environment, href: hrefOf(environment) }))}
    passing={passing ?? (pipelineId !== undefined && <PassingPipeline pipelineId={pipelineId} />)}
  />
);

/**
 * True if the other environment has an entity of this name. Queries the list, because a request for an entity that does not exist would
 * fail with an error.
 */
export const useExistsInOther = <R extends RouteShape>(list: R, app: string, env: Environment, name: string): boolean => {
  const other = env === 'production' ? 'development' : 'production';
  const input = { params: { app, env: other }, query: { query: name, size: 100 } } as unknown as Call<R>;
  const { data } = useQuery(list, input, { pollMs: 0 });
  return (data as { content: readonly { name: string }[] } | undefined)?.content.some((one) => one.name === name) ?? false;
};

interface PlaceBarProps {
  kind: Kind;
  /** The route of its list. */
  list: RouteShape;
  place: { app: string; env: Environment } & Readonly<Record<string, string>>;
  /** Follows the entity's path: `/settings`. */
  tail?: string;
  pipelineId: string | null;
}

/** The bar of an entity with the paths of its kind. The other environment's link leads to its list if there is no such entity. */
export function PlaceBar({ kind, list, place, tail = '', pipelineId }: PlaceBarProps) {
  const { app, env } = place;
  const hasOther = useExistsInOther(list, app, env, place[kind.names.at(-1) ?? ''] ?? '');
  const hrefOf = (one: Environment): string => {
    const names = { ...place, env: one };
    return (one === env || hasOther ? (filled(kind.path ?? '', names) ?? '') + tail : filled(kind.listPath ?? '', names)) ?? '';
  };
  return <EntityBar env={env} hrefOf={hrefOf} pipelineId={pipelineId} />;
}
