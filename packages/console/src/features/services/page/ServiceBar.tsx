/** The line under the header of a service or revision: the two environments, and the running pipeline. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { serviceList, type Service } from '@slipway/contract/service/service.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { EntityBar, useExistsInOther } from '#entities/resource/EntityBar.tsx';

export interface ServiceBarProps {
  place: ServiceRef & { env: Environment };
  service: Service | undefined;
  /** URL of this page in this environment. */
  href: string;
  tab?: string;
}

export function ServiceBar({ place, service, href, tab }: ServiceBarProps) {
  const hasOther = useExistsInOther(serviceList, place.app, place.env, place.service);
  const inOther = (env: Environment): string => (hasOther ? paths.service({ ...place, env }, tab) : paths.app({ ...place, env }));
  return (
    <EntityBar
      env={place.env}
      hrefOf={(env) => (env === place.env ? href : inOther(env))}
      pipelineId={service?.status.pipelineId ?? null}
    />
  );
}
