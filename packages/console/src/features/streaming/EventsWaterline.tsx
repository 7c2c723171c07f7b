/** The line under the header of a topic, a schema or an account: the two environments, and the pipeline that passes. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import { PassingPipeline } from '#entities/pipeline/PassingPipeline.tsx';

export interface EventsWaterlineProps {
  env: Environment;
  /** The same there, or the list where it may not be. */
  hrefOf: (env: Environment) => string;
  pipelineId: string | null | undefined;
}

export function EventsWaterline({ env, hrefOf, pipelineId }: EventsWaterlineProps) {
  return (
    <EnvironmentBar
      environment={env}
      links={[...environments].reverse().map((environment) => ({ environment, href: hrefOf(environment) }))}
      passing={<PassingPipeline pipelineId={pipelineId} />}
    />
  );
}
