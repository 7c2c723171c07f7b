/** Port of this run's server. Concurrent runs use different ports. */
export const port = Number(process.env['SLIPWAY_E2E_PORT'] ?? 4300);
export const ingressPort = port + 80;
/** Port of the development broker. The production broker uses the next port. */
export const kafkaPort = port + 85;
