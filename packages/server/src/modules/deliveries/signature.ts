/** Headers of a delivery as Standard Webhooks has them: an id that stays, the time of the try, and a signature over both and the body. */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newSigningSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

const signed = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(content)
    .digest('base64')}`;

interface Signed {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
  /** Those in force: while one is replaced, both sign. */
  readonly secrets: readonly string[];
}
export const signatureHeaders = ({ id, at, body, secrets }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => signed(secret, `${id}.${timestamp}.${body}`));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' '), 'x-slipway-signature': signatures.join(' ') } : {}),
  };
};
