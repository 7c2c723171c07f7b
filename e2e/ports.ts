/** Where the run's server listens; several runs at a time take different ones. */
export const port = Number(process.env['SLIPWAY_E2E_PORT'] ?? 4300);
export const ingressPort = port + 80;
/** Of the broker for development; that for production is the next. */
export const kafkaPort = port + 85;
