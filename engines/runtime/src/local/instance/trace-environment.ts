/**
 * Variables of OpenTelemetry that send an instance's traces to the platform. A program without an OpenTelemetry SDK does not read them. The
 * image's and the service's own variables override them.
 */
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';

interface Place {
  readonly instance: string;
  /** Variables of the image. */
  readonly image: Readonly<Record<string, string>>;
  readonly platformUrl: string | undefined;
}

const OWN_EXPORTER = /^OTEL_EXPORTER_/;

export function traceEnvironment(spec: RevisionSpec, { instance, image, platformUrl }: Place): Record<string, string> {
  const { traceToken } = spec;
  if (traceToken === undefined || platformUrl === undefined) return {};
  const attributes = {
    'service.namespace': spec.app,
    'service.version': spec.revision,
    'service.instance.id': instance,
    'deployment.environment.name': spec.environment,
  };
  const names = {
    OTEL_SERVICE_NAME: spec.service,
    OTEL_RESOURCE_ATTRIBUTES: Object.entries(attributes)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join(','),
  };
  // A service with a collector of its own must not send the platform's token there.
  if ([...Object.keys(spec.env), ...Object.keys(image)].some((name) => OWN_EXPORTER.test(name))) return names;
  return {
    ...names,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${platformUrl.replace(/\/$/, '')}/otlp`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${traceToken}`,
    // The platform takes traces only. Exporters of other signals would report an error every minute.
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  };
}
