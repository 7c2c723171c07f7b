/** Chooses the receiver of the audit log by the scheme of its URL. */
import type { AuditConfig } from '#kernel/audit-config.ts';
import type { AuditReceiver } from '#ports/audit-receiver.ts';
import { HttpReceiver } from './http-receiver.ts';
import { SyslogReceiver } from './syslog-receiver.ts';

export const auditReceiverOf = ({ url, authorization, sender }: AuditConfig): AuditReceiver =>
  /^https?:/.test(url) ? new HttpReceiver({ url, authorization }) : new SyslogReceiver({ url, sender });
