/** The line under the header of a topic, a schema or an account: the two environments, and the running pipeline. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import { PassingPipeline } from '#entities/pipeline/PassingPipeline.tsx';

export interface EventsWaterlineProps {
  env: Environment;
  /** URL in the other environment: the same object, or the list if it may not exist there. */
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
