/** The line under the header of a service or revision: the two environments, and the running pipeline. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { serviceList, type Service } from '@slipway/contract/service/service.ts';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import { useQuery } from '#kit/api/query.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { PassingPipeline } from '#entities/pipeline/PassingPipeline.tsx';

export interface ServiceWaterlineProps {
  place: ServiceRef & { env: Environment };
  service: Service | undefined;
  /** URL of this page in this environment. */
  href: string;
  tab?: string;
}

/** Queries the list, because it also answers if the service does not exist. A request for the service itself would fail with an error. */
const useOtherEnvironment = ({ app, env, service }: ServiceWaterlineProps['place']): boolean => {
  const other = env === 'production' ? 'development' : 'production';
  const { data } = useQuery(serviceList, { params: { app, env: other }, query: { query: service, size: 100 } }, { pollMs: 0 });
  return data?.content.some(({ name }) => name === service) ?? false;
};

export function ServiceWaterline({ place, service, href, tab }: ServiceWaterlineProps) {
  const hasOther = useOtherEnvironment(place);
  const hrefOf = (environment: Environment): string => {
    if (environment === place.env) return href;
    return hasOther ? paths.service({ ...place, env: environment }, tab) : paths.app({ app: place.app, env: environment });
  };
  return (
    <EnvironmentBar
      environment={place.env}
      links={[...environments].reverse().map((environment) => ({ environment, href: hrefOf(environment) }))}
      passing={<PassingPipeline pipelineId={service?.status.pipelineId} />}
    />
  );
}
