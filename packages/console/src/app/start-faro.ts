/** Starts Faro's web SDK for the console, with the settings of the specification (§9). Loaded by watch-console.ts alone. */
import { getWebInstrumentations, initializeFaro } from '@grafana/faro-web-sdk';
import { meView, type Me } from '@slipway/contract/identity.ts';
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { call } from '#kit/api/call.ts';

const settings = {
  batching: { itemLimit: 50, sendTimeout: 250 },
  sessionTracking: { enabled: true, persistent: false, samplingRate: 1 },
} as const;

export const startFaro = (monitoring: NonNullable<RuntimeConfig['monitoring']>, early: readonly Error[]): void => {
  const { url, apiKey, name, version, environment } = monitoring;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const faro = initializeFaro({
    url,
    apiKey,
    app: { name, version, environment },
    instrumentations: getWebInstrumentations({ captureConsole: false }),
    ...settings,
    sessionTracking: { ...settings.sessionTracking, session: { attributes: { timezone: timeZone, rum_version: version } } },
  });
  for (const error of early) faro.api.pushError(error);
  // The collector stores a salted hash of the id. Without a sign-in the session stays anonymous.
  void call(meView, {}).then(
    (me: Me) => faro.api.setUser({ id: me.id }),
    () => undefined,
  );
};
