/** A delivery's request as text: for reading, and as a command that sends the same. */
import type { WebhookDeliveryDetails } from '@slipway/contract/registry/webhook.ts';

type Request = WebhookDeliveryDetails['request'];

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The value of Authorization is nobody's to read: words stand in its place, to be replaced by whoever sends it. */
export const curlOf = ({ method, url, headers, body }: Request): string =>
  [
    `curl -X ${method} ${quoted(url)}`,
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${/^authorization$/i.test(name) ? 'YOUR VALUE' : value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');

/** JSON on several lines; anything else as it is. */
export const prettyBody = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
