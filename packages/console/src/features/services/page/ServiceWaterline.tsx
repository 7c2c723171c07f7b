/** The line under a service's or a revision's header: the two environments, and the pipeline that passes. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { isActive } from '@slipway/contract/pipeline/pipeline.ts';
import { serviceList, type Service } from '@slipway/contract/service/service.ts';
import { DurationText } from '@slipway/ui/text/DurationText.tsx';
import { PipelineStrip } from '@slipway/ui/layout/PipelineStrip.tsx';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import { useQuery } from '#kit/api/query.ts';
import { paths, pipelinePath, type ServiceRef } from '#entities/paths.ts';
import { progressOf, progressText } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineTitle } from '#entities/pipeline/pipeline-title.ts';
import { usePipelineRun } from '#entities/pipeline/use-pipeline-run.ts';

export interface ServiceWaterlineProps {
  place: ServiceRef & { env: Environment };
  service: Service | undefined;
  /** Of this environment; the page itself. */
  href: string;
  tab?: string;
}

/** A list answers also where the service is not there; asking for the service itself would be an error on the way to nothing. */
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
      passing={<ServicePassing pipelineId={service?.status.pipelineId} />}
    />
  );
}

function ServicePassing({ pipelineId }: { pipelineId: string | null | undefined }) {
  const { data: run } = usePipelineRun(pipelineId);
  if (!pipelineId || !run || !isActive(run.status.state)) return null;
  return (
    <PipelineStrip
      title={pipelineTitle(run)}
      note={progressText(run)}
      meta={
        <>
          {run.createdBy.displayName}, <DurationText from={run.startedAt ?? run.creationTimestamp} />
        </>
      }
      progress={progressOf(run).share}
      href={pipelinePath(run)}
    />
  );
}
