/** Payloads of the demo's browsers, as the monitoring SDK sends them: vitals, slow calls and errors of a day's sessions. */

const pages = ['/', '/bookings', '/containers/MAEU4821', '/schedules'];
const browsers = [
  { name: 'Chrome', version: '143.0.0.0', os: 'Windows 11' },
  { name: 'Safari', version: '26.1', os: 'macOS' },
  { name: 'Firefox', version: '145.0', os: 'Linux' },
];
const errors = [
  { type: 'TypeError', value: "Cannot read properties of undefined (reading 'eta')" },
  { type: 'RangeError', value: 'Invalid time value' },
];
const sessions = 24;

/** Spreads values without chance, so that each run shows the same figures. */
const spread = (index: number, least: number, most: number): number => least + ((index * 37) % 100) * ((most - least) / 100);
const at = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];

export const browserPayloads = (origin: string): object[] =>
  Array.from({ length: sessions }, (_, index) => {
    const timestamp = new Date(Date.now() - index * 60_000).toISOString();
    const vital = (name: string, value: number) => ({ type: 'web-vitals', values: { [name]: value, delta: value }, timestamp });
    const page = `${origin}${at(pages, index) ?? '/'}`;
    const error = index % 5 === 0 ? at(errors, index / 5) : undefined;
    return {
      meta: {
        app: { name: 'cargo-portal', version: index < sessions / 2 ? '2.4.1' : '2.4.0' },
        session: { id: `demo-session-${index + 1}`, attributes: { isSampled: 'true' } },
        page: { url: page },
        browser: at(browsers, index),
      },
      measurements: [
        vital('lcp', spread(index, 900, 3400)),
        vital('inp', spread(index + 3, 60, 320)),
        vital('cls', spread(index + 7, 0.01, 0.2)),
        vital('fcp', spread(index + 5, 500, 1900)),
        vital('ttfb', spread(index + 2, 80, 700)),
      ],
      events: [
        {
          name: 'faro.performance.resource',
          timestamp,
          attributes: {
            name: `${origin}/api/containers`,
            duration: String(spread(index, 80, 1900)),
            initiatorType: 'fetch',
            responseStatus: index % 8 === 0 ? '503' : '200',
          },
        },
      ],
      ...(error && {
        exceptions: [
          {
            ...error,
            timestamp,
            stacktrace: { frames: [{ filename: `${origin}/assets/index.js`, function: 'showArrival', lineno: 214, colno: 17 }] },
          },
        ],
      }),
    };
  });
