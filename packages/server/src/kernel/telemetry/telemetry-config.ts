/** Settings of the platform's own traces and metrics: the standard variables of OpenTelemetry. */
import type { Variables } from '../config/settings.ts';
import { ConfigError } from '../config-error.ts';

export type SamplerName = Variables['OTEL_TRACES_SAMPLER'];

export interface TelemetryConfig {
  /** URL that accepts spans as OTLP over HTTP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: SamplerName;
  /** Share of the traces for `traceidratio`, 0 to 1. */
  readonly samplerArg: number;
  /** URL that accepts metrics, and the interval. Undefined: metrics are only served at `/metrics`. */
  readonly metrics?: { readonly url: string; readonly everyMs: number } | undefined;
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Reads `name=value` pairs with percent-encoded values, separated by commas. */
const headersOf = (text: string, variable = 'OTEL_EXPORTER_OTLP_HEADERS'): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [, name = '', value = ''] = /^\s*([\w-]+)\s*=(.*)$/.exec(part) ?? [];
        const plain = decoded(value.trim());
        if (name === '' || plain === undefined || /[\r\n\0]/.test(plain))
          throw new ConfigError(`${variable}: must be like authorization=Bearer%20secret,x-tenant=one`);
        return [name.toLowerCase(), plain];
      }),
  );

const signalUrl = (endpoint: string, signal: 'traces' | 'metrics'): string => `${endpoint.replace(/\/+$/, '')}/v1/${signal}`;

/** Collector that gets the traces of services. Undefined if they stay on the platform. */
export const serviceCollectorOf = (env: Variables): Pick<TelemetryConfig, 'url' | 'headers'> | undefined =>
  env.SLIPWAY_SERVICE_TRACES_ENDPOINT === undefined
    ? undefined
    : {
        url: signalUrl(env.SLIPWAY_SERVICE_TRACES_ENDPOINT, 'traces'),
        headers: headersOf(env.SLIPWAY_SERVICE_TRACES_HEADERS ?? '', 'SLIPWAY_SERVICE_TRACES_HEADERS'),
      };

/** Undefined without a collector: nothing is recorded or sent then. */
export const telemetryOf = (env: Variables): TelemetryConfig | undefined => {
  const sendsMetrics = env.OTEL_METRICS_EXPORTER === 'otlp';
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) {
    if (sendsMetrics) throw new ConfigError('OTEL_METRICS_EXPORTER=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT');
    return undefined;
  }
  return {
    url: signalUrl(env.OTEL_EXPORTER_OTLP_ENDPOINT, 'traces'),
    headers: headersOf(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    serviceName: env.OTEL_SERVICE_NAME,
    sampler: env.OTEL_TRACES_SAMPLER,
    samplerArg: env.OTEL_TRACES_SAMPLER_ARG,
    metrics: sendsMetrics
      ? { url: signalUrl(env.OTEL_EXPORTER_OTLP_ENDPOINT, 'metrics'), everyMs: env.OTEL_METRIC_EXPORT_INTERVAL }
      : undefined,
  };
};
