/** Explains why a connection to brokers fails, and what to do. */
import { causeOf, errorMessage } from '#kernel/caught.ts';
import type { Findings } from '#ports/engine-probe.ts';

const adviceFor = (isRefused: boolean, cause: string, suffix: string): string => {
  if (isRefused)
    return `Correct SLIPWAY_KAFKA_USER_${suffix}, SLIPWAY_KAFKA_PASSWORD_${suffix} and SLIPWAY_KAFKA_MECHANISM_${suffix}. The user must exist with a SCRAM password of this mechanism.`;
  if (/certificate|TLS|SSL/i.test(cause))
    return `SLIPWAY_KAFKA_TLS_${suffix} is off for a listener without TLS. SLIPWAY_KAFKA_TLS_CA_FILE_${suffix} names the authority of the brokers' certificates.`;
  return `Correct SLIPWAY_KAFKA_BROKERS_${suffix}. Each must be a listener with SASL that this machine reaches.`;
};

/** `name` is the subject of a sentence. `suffix` ends the names of variables: `PRODUCTION`. */
export const reportBroker = (
  findings: Findings,
  error: unknown,
  { name, suffix }: { readonly name: string; readonly suffix: string },
): void => {
  const cause = causeOf(error);
  const isRefused = /PLT_KFK_AUTHENTICATION|SASL|authentication/i.test(`${cause} ${errorMessage(error)}`);
  findings.failed(`${name} ${isRefused ? 'refuses the sign-in' : 'cannot be reached'}: ${cause}.`, adviceFor(isRefused, cause, suffix));
};
