/** Says in words why a receiver could not be reached. */
import { causeOf, errorCode } from '#kernel/caught.ts';

/** Codes of OpenSSL and Node for certificates that are not trusted. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|INVALID_CA|HOSTNAME_MISMATCH)/;

const codeOf = (error: unknown): string =>
  errorCode(error) ?? (error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : '');

export const auditFailure = (error: unknown): Error => {
  // Node adds advice on its own options to some messages.
  const [reason = ''] = causeOf(error).split('; if the root CA');
  return CERTIFICATE.test(codeOf(error))
    ? new Error(`Its certificate is not trusted: ${reason}. A private authority belongs into NODE_EXTRA_CA_CERTS`, { cause: error })
    : new Error(reason, { cause: error });
};
