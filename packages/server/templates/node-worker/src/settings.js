// The settings of the worker, from environment variables. A wrong value stops the start and says what is wrong.
const seconds = (env, name, fallback, least, most) => {
  const value = Number(env[name] ?? fallback);
  if (Number.isFinite(value) && value >= least && value <= most) return value * 1000;
  throw new Error(`${name} must be a number of seconds from ${least} to ${most}, not "${env[name]}"`);
};

export const readSettings = (env) => ({
  intervalMs: seconds(env, 'INTERVAL_SECONDS', 30, 0.1, 86_400),
  timeoutMs: seconds(env, 'TIMEOUT_SECONDS', 20, 0.1, 3_600),
});
