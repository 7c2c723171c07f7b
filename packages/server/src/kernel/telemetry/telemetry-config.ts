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
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [, name = '', value = ''] = /^\s*([\w-]+)\s*=(.*)$/.exec(part) ?? [];
        const plain = decoded(value.trim());
        if (name === '' || plain === undefined || /[\r\n\0]/.test(plain))
          throw new ConfigError('OTEL_EXPORTER_OTLP_HEADERS: must be like authorization=Bearer%20secret,x-tenant=one');
        return [name.toLowerCase(), plain];
      }),
  );

/** Undefined without a collector: nothing is recorded or sent then. */
export const telemetryOf = (env: Variables): TelemetryConfig | undefined => {
  const sendsMetrics = env.OTEL_METRICS_EXPORTER === 'otlp';
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) {
    if (sendsMetrics) throw new ConfigError('OTEL_METRICS_EXPORTER=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT');
    return undefined;
  }
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '');
  return {
    url: `${endpoint}/v1/traces`,
    headers: headersOf(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    serviceName: env.OTEL_SERVICE_NAME,
    sampler: env.OTEL_TRACES_SAMPLER,
    samplerArg: env.OTEL_TRACES_SAMPLER_ARG,
    metrics: sendsMetrics ? { url: `${endpoint}/v1/metrics`, everyMs: env.OTEL_METRIC_EXPORT_INTERVAL } : undefined,
  };
};
