/** Settings of the platform's own traces: the standard variables of OpenTelemetry. */
import { ConfigError } from '../config-error.ts';

const sampled = ['always_on', 'always_off', 'traceidratio'] as const;
export const samplers = [...sampled, ...sampled.map((name) => `parentbased_${name}` as const)];
export type SamplerName = (typeof samplers)[number];

export interface TelemetryConfig {
  /** URL that accepts spans as OTLP over HTTP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: SamplerName;
  /** Share of the traces for `traceidratio`, 0 to 1. */
  readonly samplerArg: number;
}

interface TelemetryVariables {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string | undefined;
  readonly OTEL_SERVICE_NAME: string;
  readonly OTEL_TRACES_SAMPLER: SamplerName;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
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

/** Undefined without a collector: no trace is recorded then. */
export const telemetryOf = (env: TelemetryVariables): TelemetryConfig | undefined =>
  env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        url: `${env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
        headers: headersOf(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
        serviceName: env.OTEL_SERVICE_NAME,
        sampler: env.OTEL_TRACES_SAMPLER,
        samplerArg: env.OTEL_TRACES_SAMPLER_ARG,
      };
