/** Sends the metrics of `/metrics` to an OTLP collector. Loaded only if the export is configured. */
import { ValueType, type HrTime } from '@opentelemetry/api';
import { hrTime, millisToHrTime, type ExportResult } from '@opentelemetry/core';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { MetricsExporterMetricsHelper, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import {
  AggregationTemporality,
  DataPointType,
  PeriodicExportingMetricReader,
  type DataPoint,
  type Histogram,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { Log } from '#ports/log.ts';
import { collectorLog } from './collector-log.ts';
import type { Labels, Metric, Sample } from './metric.ts';
import { resourceOf } from './resource.ts';
import type { TelemetryConfig } from './telemetry-config.ts';

const TIMEOUT_MS = 10_000;
const SHUTDOWN_MS = 2000;
const SUCCESS = 0;

interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

const withoutBound = (labels: Labels): Labels => Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'le'));

/** Reads the cumulative buckets of each series back into counts. The last bucket, `+Inf`, has no boundary. */
const histogramPoints = (samples: readonly Sample[], span: Span): DataPoint<Histogram>[] => {
  const series = Map.groupBy(samples, ([labels]) => JSON.stringify(withoutBound(labels)));
  return [...series.values()].map((own) => {
    const valueOf = (wanted: string): number => own.find(([, , suffix]) => suffix === wanted)?.[1] ?? 0;
    const buckets = own.filter(([, , suffix]) => suffix === '_bucket');
    const attributes = withoutBound(own[0]?.[0] ?? {});
    const value = {
      buckets: {
        boundaries: buckets.slice(0, -1).map(([{ le }]) => Number(le)),
        counts: buckets.map(([, count], index) => count - (buckets[index - 1]?.[1] ?? 0)),
      },
      sum: valueOf('_sum'),
      count: valueOf('_count'),
    };
    return { ...span, attributes, value };
  });
};

export const metricData = ({ name, help, type, samples }: Metric, span: Span): MetricData => {
  const shared = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram') return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(samples, span) };
  const dataPoints = samples.map(([attributes, value]) => ({ ...span, attributes, value }));
  return type === 'counter'
    ? { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...shared, dataPointType: DataPointType.GAUGE, dataPoints };
};

/** Logs failures, which the reader of the SDK would report to a global handler. */
class LoggingExporter extends OTLPExporterBase<ResourceMetrics> {
  readonly #logOutcome: ReturnType<typeof collectorLog>;

  constructor(url: string, headers: Readonly<Record<string, string>>, log: Log) {
    const options = convertLegacyHttpOptions({ url, headers }, 'METRICS', 'v1/metrics', { 'Content-Type': 'application/x-protobuf' });
    super(
      createOtlpHttpExportDelegate(
        options,
        ProtobufMetricsSerializer,
        'otlp_http_metric_exporter',
        MetricsExporterMetricsHelper,
        undefined,
      ),
    );
    this.#logOutcome = collectorLog(log, 'metrics');
  }

  override export(metrics: ResourceMetrics, done: (result: ExportResult) => void): void {
    super.export(metrics, ({ code, error }) => {
      this.#logOutcome(code === SUCCESS ? undefined : (error ?? new Error('The collector refused the metrics')));
      done({ code: SUCCESS });
    });
  }
}

/** Sends what `read` returns at intervals. Returns a function that sends once more and stops, within two seconds. */
export const startMetricExport = (
  { headers, serviceName }: TelemetryConfig,
  { url, everyMs }: NonNullable<TelemetryConfig['metrics']>,
  { version, log, read }: { readonly version: string; readonly log: Log; readonly read: () => Promise<readonly Metric[]> },
): (() => Promise<void>) => {
  const reader = new PeriodicExportingMetricReader({
    exporter: new LoggingExporter(url, headers, log),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(TIMEOUT_MS, everyMs),
  });
  const resource = resourceOf(serviceName, version);
  const startTime = millisToHrTime(performance.timeOrigin);
  reader.setMetricProducer({
    collect: async () => {
      const metrics = (await read()).filter(({ samples }) => samples.length > 0);
      const span = { startTime, endTime: hrTime() };
      const scopeMetrics = [{ scope: { name: 'slipway', version }, metrics: metrics.map((metric) => metricData(metric, span)) }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  });
  return () => reader.shutdown({ timeoutMillis: SHUTDOWN_MS }).catch(() => {});
};
