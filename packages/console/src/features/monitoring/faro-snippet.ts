/** The code that a team puts into its pages. */
import type { Monitor } from '@slipway/contract/monitoring/monitor.ts';

/** Returns the snippet. It sets no sampling rate: the collector keeps the share of sessions, and two rates would multiply. */
export const snippetOf = ({
  collectorUrl,
  apiKey,
  name,
  environment,
}: Pick<Monitor, 'collectorUrl' | 'apiKey' | 'name' | 'environment'>): string => `// npm install @grafana/faro-web-sdk
import { getWebInstrumentations, initializeFaro } from '@grafana/faro-web-sdk';

initializeFaro({
  url: '${collectorUrl}',
  apiKey: '${apiKey}',
  app: { name: '${name}', version: '1.0.0', environment: '${environment}' },
  instrumentations: getWebInstrumentations(),
});`;
