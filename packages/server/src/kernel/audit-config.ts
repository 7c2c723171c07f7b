/** Receiver of the audit log: syslog or HTTP. */
import type { Variables } from './config/settings.ts';
import { ConfigError } from './config-error.ts';

export interface AuditConfig {
  /** `tcp:` and `tls:` for syslog, `http:` and `https:`. */
  readonly url: string;
  /** Value of the `Authorization` header. */
  readonly authorization: string | undefined;
  /** Host that messages of syslog name as their sender. */
  readonly sender: string;
}

export const auditOf = (data: Variables, publicUrl: string): AuditConfig | undefined => {
  const { SLIPWAY_AUDIT_URL: url, SLIPWAY_AUDIT_AUTHORIZATION: authorization } = data;
  if (authorization !== undefined && !/^https?:/.test(url ?? ''))
    throw new ConfigError('SLIPWAY_AUDIT_AUTHORIZATION needs SLIPWAY_AUDIT_URL with http or https');
  return url === undefined ? undefined : { url, authorization, sender: new URL(publicUrl).hostname };
};
