/** Starts Faro's web SDK for the console, with the settings of the specification (§9). Loaded by watch-console.ts alone. */
import { getWebInstrumentations, initializeFaro, TransportItemType, type Faro, type TransportItem } from '@grafana/faro-web-sdk';
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { userKey } from '#kit/api/stored-user.ts';
import { onFlagUsage } from '#kit/features/flag-usage.ts';
import { ReportTransport } from './report-transport.ts';
import { accountIdIn, sessionPlace } from './session-facts.ts';

const settings = {
  batching: { itemLimit: 50, sendTimeout: 250 },
  sessionTracking: { enabled: true, persistent: false, samplingRate: 1 },
} as const;

/** Faro's SDK measures INP, which replaced the first input delay. The specification names both. */
const reportFirstInput = ({ api }: Faro): void => {
  const observer = new PerformanceObserver((list) => {
    const [first] = list.getEntries();
    if (!(first instanceof PerformanceEventTiming)) return;
    api.pushMeasurement({ type: 'web-vitals', values: { fid: first.processingStart - first.startTime } });
    observer.disconnect();
  });
  observer.observe({ type: 'first-input', buffered: true });
};

/** The tracing exporter repeats each span as an event. The calls are reported already. */
const isRepeated = ({ type, payload }: TransportItem): boolean =>
  type === TransportItemType.EVENT && isRecord(payload) && String(payload['name']).startsWith('faro.tracing.');

/** The SDK drops the items of sessions that are not sampled, and then removes the attribute. The specification names it. */
const asSampled = (item: TransportItem): TransportItem => {
  const { session } = item.meta;
  return { ...item, meta: { ...item.meta, session: { ...session, attributes: { ...session?.attributes, isSampled: 'true' } } } };
};

export const startFaro = (monitoring: NonNullable<RuntimeConfig['monitoring']>, early: readonly Error[]): void => {
  const { name, version, environment } = monitoring;
  const attributes = { ...sessionPlace(Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.languages), rum_version: version };
  const config = runtimeConfig();
  const faro = initializeFaro({
    transports: [new ReportTransport(monitoring)],
    app: { name, version, environment },
    instrumentations: getWebInstrumentations({ captureConsole: false }),
    ...settings,
    sessionTracking: { ...settings.sessionTracking, session: { attributes } },
  });
  faro.transports.addBeforeSendHooks((item) => (isRepeated(item) ? null : asSampled(item)));
  for (const error of early) faro.api.pushError(error);
  // The collector stores a salted hash of the id. Without a sign-in the session stays anonymous.
  const id = accountIdIn(localStorage.getItem(userKey(config)));
  if (id !== undefined) faro.api.setUser({ id });
  reportFirstInput(faro);
  onFlagUsage((usage) => faro.api.pushEvent('flag_usage', usage));
  if (config.tracing) void import('./start-traces.ts').then(({ startTraces }) => startTraces(faro));
};
