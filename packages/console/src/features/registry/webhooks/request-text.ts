/** A delivery's request as text, and as a command that repeats the request. */
import type { WebhookDeliveryDetails } from '@slipway/contract/registry/webhook.ts';

type Request = WebhookDeliveryDetails['request'];

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The Authorization value is not readable, so the command has a placeholder to replace. */
export const curlOf = ({ method, url, headers, body }: Request): string =>
  [
    `curl -X ${method} ${quoted(url)}`,
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${/^authorization$/i.test(name) ? 'YOUR VALUE' : value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');

/** Formats JSON on several lines. Returns other text unchanged. */
export const prettyBody = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
