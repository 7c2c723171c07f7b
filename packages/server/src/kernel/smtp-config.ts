/** Mail server of the environment. Without SLIPWAY_SMTP_HOST the embedded outbox keeps e-mail. */
import type { Variables } from './config/settings.ts';
import { ConfigError } from './config-error.ts';

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: 'implicit' | 'required' | 'off';
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly from: string;
}

export const smtpOf = (data: Variables): SmtpConfig | undefined => {
  const { SLIPWAY_SMTP_HOST: host, SLIPWAY_SMTP_USER: user, SLIPWAY_SMTP_PASSWORD: password, SLIPWAY_SMTP_FROM: from } = data;
  if (host === undefined) {
    if (user ?? password ?? from)
      throw new ConfigError('SLIPWAY_SMTP_USER, SLIPWAY_SMTP_PASSWORD and SLIPWAY_SMTP_FROM need SLIPWAY_SMTP_HOST');
    return undefined;
  }
  if (from === undefined) throw new ConfigError('SLIPWAY_SMTP_FROM is required with SLIPWAY_SMTP_HOST');
  if ((user === undefined) !== (password === undefined))
    throw new ConfigError('SLIPWAY_SMTP_USER and SLIPWAY_SMTP_PASSWORD belong together');
  return { host, port: data.SLIPWAY_SMTP_PORT, tls: data.SLIPWAY_SMTP_TLS, user, password, from };
};
