/** Chooses which traces are recorded, as OTEL_TRACES_SAMPLER says. */
import { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler, type Sampler } from '@opentelemetry/sdk-trace';

const rootOf = (name: string, argument: number): Sampler => {
  if (name.endsWith('always_off')) return new AlwaysOffSampler();
  return name.endsWith('traceidratio') ? new TraceIdRatioBasedSampler(argument) : new AlwaysOnSampler();
};

/**
 * Spans of a request follow its first span. The first span never follows the client: otherwise any client could have all its requests
 * recorded. The ratio depends on the trace id alone, so all requests of one click are recorded, or none.
 */
export const samplerOf = (name: string, argument: number): Sampler => {
  const root = rootOf(name, argument);
  return new ParentBasedSampler({ root, remoteParentSampled: root, remoteParentNotSampled: root });
};
